// The topics' word on chosen rows of one stream, at any position read so far. Lanes move on
// meanwhile, so it can read on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/table_operations.h"
#include "common/stream/slot.h"
#include "projector/audit/record_scan.h"
#include "projector/audit/row_digest.h"

namespace fanfold::projector {

class RowHistories {
 public:
  // `projection` is one of those of the stream; the ports outlive this.
  RowHistories(Projection projection, EventLog& log, ScanPace& pace, std::int32_t partitions,
               const std::set<RecordKey>& keys);

  // Reads to the ends that the partitions of these rows have now. Errors: RecordScan's.
  [[nodiscard]] Status ReadOn();

  // The row when every event below `position` is folded; `outbox` goes on where the topic ends.
  // Requires: a key of the constructor's. Errors: kUnavailable, the tables have folded more than
  // was read: read on.
  [[nodiscard]] Result<RowToBe> At(const RecordKey& key, Offset position,
                                   std::span<const OutboxRow> outbox);

 private:
  struct Moved {
    Offset event;
    RowToBe to;
  };
  void Keep(const SaidRecord& said, const LogRecord& record);

  const Projection projection_;
  EventLog& log_;
  ScanPace& pace_;
  const std::int32_t partitions_;
  std::unique_ptr<LogReader> reader_;  // none before the first ReadOn
  std::map<Partition, std::optional<RecordScan>> scans_;
  std::unordered_map<RecordKey, std::vector<Moved>> moves_;  // in order
};

}  // namespace fanfold::projector
