#include "projector/profiles/tables_look.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fanfold::projector {

void TablesLook::BeginAnew() {
  lanes_.clear();
  read_.reset();
  ends_.reset();
}

Result<ProjectionReader*> TablesLook::ReaderOf(Shard shard) {
  std::unique_ptr<ProjectionReader>& reader = readers_[shard];
  if (!reader) {
    Result<std::unique_ptr<ProjectionReader>> opened = ports_.open_reader(shard);
    if (!opened) return Forward(opened);
    reader = *std::move(opened);
  }
  return reader.get();
}

Result<Deployment> TablesLook::Read() {
  if (!read_) {
    const Result<ProjectionReader*> reader = ReaderOf(Shard(0));
    if (!reader) return std::unexpected(reader.error());
    Result<Deployment> read = ReadDeployment(**reader, ports_.shape, last_);
    if (!read) return read;
    last_ = read->placement;
    read_ = *std::move(read);
  }
  return *read_;
}

Result<Placement> TablesLook::LastPlacement() {
  if (last_) return *last_;
  Result<Deployment> read = Read();
  if (!read) return Forward(read);
  return read->placement;
}

Result<std::span<const LaneStatus>> TablesLook::LanesOf(Shard shard) {
  const auto known = lanes_.find(shard);
  if (known != lanes_.end()) return known->second;
  const Result<ProjectionReader*> reader = ReaderOf(shard);
  if (!reader) return std::unexpected(reader.error());
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  return lanes_[shard] = *std::move(lanes);
}

Result<bool> TablesLook::Holds(Shard shard, Direction list, const EndsAsked& asked) {
  const Result<std::span<const LaneStatus>> lanes = LanesOf(shard);
  if (!lanes) return std::unexpected(lanes.error());
  return HoldsBy(*lanes, shard, list, asked);
}

Result<bool> TablesLook::HoldsBy(std::span<const LaneStatus> lanes, Shard shard, Direction list,
                                 const EndsAsked& asked) {
  const Result<Deployment> read = Read();
  if (!read) return std::unexpected(read.error());
  const Projection projection = ProjectionOf(list);
  for (std::int32_t p = 0; p < ports_.shape.partitions; ++p) {
    const Partition partition(p);
    if (asked.only && *asked.only != partition) continue;
    if (!projection.HasLane(partition, shard, read->placement)) continue;
    const LaneId id{projection, read->read[list], partition};
    const auto lane = std::ranges::find(lanes, id, &LaneStatus::lane);
    const Offset at = lane == lanes.end() ? Offset(0) : lane->progress.event_offset;
    if (at < asked.of[static_cast<std::size_t>(p)]) return false;
  }
  return true;
}

Result<Ends> TablesLook::LogEnds() {
  if (ends_) return *ends_;
  Result<Ends> ends = LogEndsNow();
  if (ends) ends_ = *ends;
  return ends;
}

Result<Ends> TablesLook::LogEndsNow() {
  const Result<std::vector<LogBounds>> bounds =
      ports_.log.AllBounds(streams::kRelations.events(), ports_.shape.partitions);
  if (!bounds) return std::unexpected(bounds.error());
  Ends ends;
  std::ranges::transform(*bounds, std::back_inserter(ends), &LogBounds::end);
  return ends;
}

}  // namespace fanfold::projector
