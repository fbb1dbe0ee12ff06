#include "operations/lanes/status.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "operations/log/record_reader.h"

namespace fanfold::operations {
namespace {

// Between the two looks that a rate wants.
constexpr std::int64_t kRatePeriodMs = 500;

LaneReport ReportOf(ShardLane lane, const ReadGenerations& read, const AllEnds& ends) {
  LaneReport report;
  report.shard = lane.shard;
  report.status = std::move(lane.status);
  const LaneId& id = report.status.lane;
  report.read = IsRead(id, read);
  report.end = EndOf(ends[id.projection.ReadBy(report.status.deciding)], id.partition);
  const Offset events = EndOf(ends[id.stream.events()], id.partition);
  const std::int64_t left = events.value - report.status.progress.event_offset.value;
  report.lag_events = std::max<std::int64_t>(left, 0);
  return report;
}

OpenWork OpenOf(Projection projection, const ShardReaders& readers) {
  OpenWork sum;
  for (const auto& reader : readers) {
    const std::unique_ptr<RowReader> rows = reader->OpenRows(projection);
    if (!rows) continue;
    const Result<OpenWork> open = rows->Open();
    if (!open || open->count == 0) continue;
    sum.what = open->what;
    sum.count += open->count;
    sum.oldest_ms = sum.oldest_ms == 0 ? open->oldest_ms : std::min(sum.oldest_ms, open->oldest_ms);
  }
  return sum;
}

}  // namespace

PerProjection<OpenWork> OpenWorkOf(const ShardReaders& readers) {
  PerProjection<OpenWork> open;
  for (const Projection projection : Projection::All()) {
    open[projection] = OpenOf(projection, readers);
  }
  return open;
}

void SetRates(StatusReport& now, const StatusReport& before) {
  const std::int64_t elapsed_ms = now.at_ms - before.at_ms;
  if (elapsed_ms <= 0) return;
  std::map<std::pair<LaneId, Shard>, Offset> positions;
  for (const LaneReport& lane : before.lanes) {
    positions[{lane.status.lane, lane.shard}] = lane.status.progress.event_offset;
  }
  for (LaneReport& lane : now.lanes) {
    const auto earlier = positions.find({lane.status.lane, lane.shard});
    if (earlier == positions.end()) continue;
    const std::int64_t events = lane.status.progress.event_offset.value - earlier->second.value;
    lane.events_per_second = static_cast<double>(events) * 1000.0 / static_cast<double>(elapsed_ms);
  }
}

Result<StatusSource> StatusSource::Open(Context& context) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  return StatusSource(context, std::move(*log), std::move(*readers));
}

Result<StatusReport> StatusSource::Read() {
  Result<Catalog> catalog = readers_.front()->ReadCatalog();
  if (!catalog) {
    return Fail(catalog.error().code, "shard 0, which has the catalog: " + catalog.error().message);
  }
  const std::int32_t partitions = context_->backend.partitions();
  // Lanes before ends, so that a lane is never shown beyond its end.
  LanesThatAnswer read = ReadLanesThatAnswer(readers_);
  const Result<AllEnds> ends = ReadAllEnds(*log_, partitions);
  if (!ends) return std::unexpected(ends.error());
  StatusReport report;
  report.at_ms = context_->clock.SteadyMs();
  report.read = catalog->read;
  report.partitions = partitions;
  report.shards = context_->backend.shards();
  report.failures = std::move(read.failures);
  for (ShardLane& lane : read.lanes) {
    report.lanes.push_back(ReportOf(std::move(lane), catalog->read, *ends));
  }
  std::ranges::sort(report.lanes, {},
                    [](const LaneReport& lane) { return std::pair(lane.status.lane, lane.shard); });
  report.open = OpenWorkOf(readers_);
  for (const Stream stream : Stream::All()) {
    if (Status aged = SetAges(stream, report); !aged) return Forward(aged);
  }
  return report;
}

// The oldest event that is not in a lane's rows is the first one from its event position on.
Status StatusSource::SetAges(Stream stream, StatusReport& report) {
  const auto lags = [stream](const LaneReport& lane) {
    return lane.lag_events > 0 && lane.status.lane.projection.stream() == stream;
  };
  std::vector<Position> oldest;
  for (const LaneReport& lane : report.lanes) {
    if (lags(lane)) {
      oldest.push_back({lane.status.lane.partition, lane.status.progress.event_offset});
    }
  }
  std::ranges::sort(oldest);
  oldest.erase(std::unique(oldest.begin(), oldest.end()), oldest.end());
  auto records = ReadFirstFrom(*log_, stream.events(), oldest);
  if (!records) return Forward(records);
  std::map<Position, std::int64_t> appended_ms;
  for (std::size_t i = 0; i < oldest.size(); ++i) {
    if (const auto& record = (*records)[i]) appended_ms[oldest[i]] = record->appended_ms;
  }
  const std::int64_t now_ms = context_->clock.NowMs();
  for (LaneReport& lane : report.lanes) {
    const auto found =
        appended_ms.find({lane.status.lane.partition, lane.status.progress.event_offset});
    if (!lags(lane) || found == appended_ms.end()) continue;
    lane.lag_ms = std::max<std::int64_t>(now_ms - found->second, 0);
  }
  return {};
}

Result<StatusReport> StatusSource::ReadWithRates() {
  Result<StatusReport> first = Read();
  const auto lags = [](const LaneReport& lane) { return lane.lag_events > 0; };
  if (!first || !std::ranges::any_of(first->lanes, lags)) return first;
  if (context_->interrupt.WaitFor(kRatePeriodMs)) return first;
  Result<StatusReport> second = Read();
  if (second) SetRates(*second, *first);
  return second;
}

}  // namespace fanfold::operations
