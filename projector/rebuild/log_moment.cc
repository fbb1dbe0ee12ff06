#include "projector/rebuild/log_moment.h"

#include <memory>
#include <utility>

#include "projector/runtime/patient_poll.h"

namespace fanfold::projector {
namespace {

struct Appended {
  Offset offset;
  std::int64_t at_ms = 0;
};

// The first record at or above `from`.
Result<Appended> RecordFrom(LogReader& reader, Partition partition, Offset from, ScanPace& pace) {
  if (Status started = reader.Start(partition, from); !started) return Forward(started);
  Result<LogBatch> batch = PollPatiently(reader, 1, pace);
  if (!batch) return Forward(batch);
  return Appended{batch->records.front().offset, batch->records.front().appended_ms};
}

Result<Offset> FirstAfter(LogReader& reader, Partition partition, const LogBounds& bounds,
                          std::int64_t until_ms, ScanPace& pace) {
  auto [low, high] = bounds;  // what is below `low` is of then, what is at `high` is not
  while (low < high) {
    const Offset middle(low.value + (high.value - low.value) / 2);
    const Result<Appended> record = RecordFrom(reader, partition, middle, pace);
    if (!record) return std::unexpected(record.error());
    if (record->at_ms <= until_ms) {
      low = Next(record->offset);
    } else {
      high = middle;
    }
  }
  reader.Stop(partition);
  return low;
}

}  // namespace

Result<std::vector<Offset>> EventsUntil(EventLog& log, Topic events, std::int32_t partitions,
                                        std::int64_t until_ms, ScanPace& pace) {
  Result<std::unique_ptr<LogReader>> reader = log.NewReader(events);
  if (!reader) return Forward(reader);
  std::vector<Offset> until;
  for (std::int32_t p = 0; p < partitions; ++p) {
    const Result<LogBounds> bounds = log.Bounds(events, Partition(p));
    if (!bounds) return std::unexpected(bounds.error());
    Result<Offset> first = FirstAfter(**reader, Partition(p), *bounds, until_ms, pace);
    if (!first) return Forward(first);
    until.push_back(*first);
  }
  return until;
}

}  // namespace fanfold::projector
