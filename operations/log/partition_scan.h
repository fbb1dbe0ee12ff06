// A partition read from one offset to another, for those who look for a few of its records.
#pragma once

#include <cstdint>
#include <functional>

#include "common/ports/event_log.h"
#include "operations/base/context.h"

namespace fanfold::operations {

// For reading up to an end that the log has told: a scan, an export.
inline constexpr std::int64_t kRangePollMs = 200;
inline constexpr std::int64_t kRangeRetryMs = 200;
// How long nothing may come of what the log said it holds.
inline constexpr std::int64_t kSilenceMaxMs = 60'000;

struct ScanRange {
  Topic topic = topics::kRelationEvents;
  Partition partition;
  Offset from;
  Offset end;  // exclusive

  [[nodiscard]] std::int64_t records() const noexcept { return end.value - from.value; }
};

// Shows how far it is while it reads. One thread at a time.
class PartitionScan {
 public:
  // Sees the records of a range in order; what it does not copy is gone afterwards.
  using Visit = std::function<void(const LogRecord&)>;

  // `records_total` is what all ranges hold together, for the bar.
  PartitionScan(Context& context, EventLog& log, std::int64_t records_total);

  // Errors: as LogReader's; kUnavailable when nothing came for a minute; kInternal when it was
  // interrupted.
  [[nodiscard]] Status Run(const ScanRange& range, const Visit& visit);

 private:
  [[nodiscard]] Status Read(const ScanRange& range, LogReader& reader, const Visit& visit);
  void ShowProgress();

  Context& context_;
  EventLog& log_;
  const std::int64_t records_total_;
  std::int64_t records_ = 0;
  Stretch progress_;
};

}  // namespace fanfold::operations
