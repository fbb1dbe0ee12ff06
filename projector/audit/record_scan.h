// Reads what is applied of a partition from its beginning: each event once, in order. Copies are
// left out; the first event that is missing ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/row_kinds.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

class RecordScan {
 public:
  static constexpr std::size_t kPollRecordsMax = 10'000;

  // Sees what a record says, and the record.
  using Take = std::function<void(const SaidRecord&, const LogRecord& record)>;

  // `projection` is one of those of the stream. `reader` is of the topic that is applied; the ports
  // outlive the scan.
  RecordScan(Projection projection, EventLog& log, LogReader& reader, ScanPace& pace,
             std::int32_t partitions, Partition partition)
      : projection_(projection),
        log_(log),
        reader_(reader),
        pace_(pace),
        partitions_(partitions),
        partition_(partition) {}

  // Reads on to the end that the topic has now. Errors: kRefused, the topic's beginning is gone;
  // kTimeout, the pace said stop; the log's. Blocks as long as it takes.
  [[nodiscard]] Status ReadOn(const Take& take);
  // Goes on with what was decided and is not in the topic yet. Requires: rows by `first`.
  void ReadOutbox(std::span<const OutboxRow> outbox, const Take& take);

  // The event whose turn it is.
  [[nodiscard]] Offset next_event() const noexcept { return next_event_; }

 private:
  void TakeRecords(std::span<const LogRecord> records, const Take& take);

  const Projection projection_;
  EventLog& log_;
  LogReader& reader_;
  ScanPace& pace_;
  const std::int32_t partitions_;
  const Partition partition_;
  Offset next_event_;
  Offset next_record_;
  SaidRecords said_;  // reused, so that its memory is
};

}  // namespace fanfold::projector
