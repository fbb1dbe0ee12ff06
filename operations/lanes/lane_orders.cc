#include "operations/lanes/lane_orders.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/stream/slot.h"

namespace fanfold::operations {
namespace {

bool Means(const LaneTarget& target, const LaneId& lane) {
  return lane.projection == target.projection &&
         (!target.partition || *target.partition == lane.partition);
}

std::vector<ShardLane> Those(std::vector<ShardLane> lanes, const auto& are_meant) {
  std::erase_if(lanes, [&](const ShardLane& lane) { return !are_meant(lane.status.lane); });
  std::ranges::sort(lanes, {},
                    [](const ShardLane& lane) { return std::pair(lane.status.lane, lane.shard); });
  return lanes;
}

Result<std::vector<ShardLane>> LanesThat(const ShardReaders& readers, const auto& are_meant) {
  Result<std::vector<ShardLane>> lanes = ReadLanes(readers);
  if (!lanes) return lanes;
  return Those(std::move(*lanes), are_meant);
}

Status Tell(TableOperations& tables, const LaneId& lane, const LaneOrderOptions& options) {
  switch (options.order) {
    case LaneOrder::kPause:
      return tables.Pause(lane, options.reason);
    case LaneOrder::kResume:
      return tables.Resume(lane);
    case LaneOrder::kRewind:
      break;
  }
  return tables.Rewind(lane, options.to);
}

std::vector<LaneTold> TellAll(Context& context, const std::vector<ShardLane>& lanes,
                              const LaneOrderOptions& options) {
  std::vector<LaneTold> all;
  for (const ShardLane& lane : lanes) {
    Result<std::unique_ptr<TableOperations>> tables = context.backend.OpenOperations(lane.shard);
    all.push_back(
        {lane, tables ? Tell(**tables, lane.status.lane, options) : Status(Forward(tables))});
  }
  return all;
}

}  // namespace

Result<LanesThatAnswer> ListLanes(Context& context, const std::optional<LaneTarget>& target) {
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  LanesThatAnswer read = ReadLanesThatAnswer(*readers);
  read.lanes = Those(std::move(read.lanes),
                     [&](const LaneId& lane) { return !target || Means(*target, lane); });
  return read;
}

Result<LanesTold> OrderLanes(Context& context, const LaneOrderOptions& options) {
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  const Result<Catalog> catalog = readers->front()->ReadCatalog();
  if (!catalog) return std::unexpected(catalog.error());
  const ReadGenerations& read = catalog->read;
  const auto is_meant = [&](const LaneId& lane) {
    return Means(options.target, lane) &&
           (options.generation ? lane.generation == *options.generation : IsRead(lane, read));
  };
  const auto lanes = LanesThat(*readers, is_meant);
  if (!lanes) return std::unexpected(lanes.error());
  if (lanes->empty()) {
    return Fail(ErrorCode::kNotFound,
                "there is no such lane; `fanfold lane list` shows those there are");
  }
  std::vector<LaneTold> told = TellAll(context, *lanes, options);
  return LanesTold{std::move(told), LanesThat(*readers, is_meant)};
}

}  // namespace fanfold::operations
