#include "operations/log/tail.h"

#include <limits>
#include <memory>

#include "common/ports/deployment_check.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kTailRecordsMax = 1000;
constexpr std::int64_t kTailPollMs = 200;
constexpr std::int64_t kTailRetryMs = 1000;

Status StartAll(EventLog& log, Topic topic, std::int32_t partitions, bool from_start,
                LogReader& reader) {
  Result<std::vector<LogBounds>> bounds = log.AllBounds(topic, partitions);
  if (!bounds) return Forward(bounds);
  for (std::int32_t p = 0; p < partitions; ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    Status started = reader.Start(Partition(p), from_start ? held.begin : held.end);
    if (!started) return started;
  }
  return {};
}

}  // namespace

Status Tail(Context& context, const TailOptions& options, const SeeRecord& see) {
  const Topic topic = options.topic;
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  const std::int32_t partitions = context.backend.partitions();
  if (Status fits = CheckTopic(**log, topic, partitions); !fits) return fits;
  Result<std::unique_ptr<LogReader>> reader = (*log)->NewReader(topic);
  if (!reader) return Forward(reader);
  Status started = StartAll(**log, topic, partitions, options.from_start, **reader);
  if (!started) return started;
  std::int64_t pause_ms = 0;
  std::int64_t left = options.count.value_or(std::numeric_limits<std::int64_t>::max());
  while (left > 0 && !context.interrupt.WaitFor(pause_ms)) {
    Result<LogBatch> batch = (*reader)->Poll(kTailRecordsMax, kTailPollMs);
    if (!batch && batch.error().code != ErrorCode::kUnavailable) return Forward(batch);
    pause_ms = batch ? 0 : kTailRetryMs;
    if (!batch) continue;
    for (const LogRecord& record : batch->records) {
      const bool is_last = &record == &batch->records.back() || left == 1;
      if (!see(record, partitions, is_last)) return {};
      if (--left == 0) break;
    }
  }
  return {};
}

}  // namespace fanfold::operations
