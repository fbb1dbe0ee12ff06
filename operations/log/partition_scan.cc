#include "operations/log/partition_scan.h"

#include <fmt/format.h>
#include <memory>

#include "common/stream/position.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kScanRecordsMax = 10'000;

}  // namespace

PartitionScan::PartitionScan(Context& context, EventLog& log, std::int64_t records_total)
    : context_(context), log_(log), records_total_(records_total), progress_(context) {}

Status PartitionScan::Run(const ScanRange& range, const Visit& visit) {
  if (range.from >= range.end) return {};
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(range.topic);
  if (!reader) return Forward(reader);
  if (Status started = (*reader)->Start(range.partition, range.from); !started) return started;
  Status read = Read(range, **reader, visit);
  progress_.Clear();
  return read;
}

Status PartitionScan::Read(const ScanRange& range, LogReader& reader, const Visit& visit) {
  Offset next = range.from;
  std::int64_t heard_ms = context_.clock.SteadyMs();
  while (next < range.end) {
    Result<LogBatch> batch = reader.Poll(kScanRecordsMax, kRangePollMs);
    if (!batch && batch.error().code != ErrorCode::kUnavailable) return Forward(batch);
    if (context_.interrupt.WaitFor(batch ? 0 : kRangeRetryMs)) {
      return Fail(ErrorCode::kInternal, "interrupted");
    }
    const std::int64_t now_ms = context_.clock.SteadyMs();
    if (batch && !batch->records.empty()) {
      heard_ms = now_ms;
    } else if (now_ms - heard_ms > kSilenceMaxMs) {
      return Fail(ErrorCode::kUnavailable, fmt::format("{} {} does not come", range.topic.name(),
                                                       ToString(Position{range.partition, next})));
    }
    if (!batch) continue;
    for (const LogRecord& record : batch->records) {
      if (record.offset >= range.end) return {};
      visit(record);
      next = Next(record.offset);
      ++records_;
    }
    ShowProgress();
  }
  return {};
}

void PartitionScan::ShowProgress() {
  if (!progress_.Due()) return;
  progress_.Show({.done = records_,
                  .total = records_total_,
                  .items = records_,
                  .items_name = "records",
                  .elapsed_ms = progress_.elapsed_ms()});
}

}  // namespace fanfold::operations
