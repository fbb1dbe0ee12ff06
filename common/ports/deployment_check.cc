#include "common/ports/deployment_check.h"

#include <string>
#include <utility>

namespace fanfold {
namespace {

std::unexpected<Error> Refused(const std::string& why) {
  return Fail(ErrorCode::kRefused,
              why + "; name the DSNs in `shards` as the deployment was made: all, in order");
}

std::string ShapeText(std::int32_t partitions, std::int32_t shards) {
  return std::to_string(partitions) + " partitions on " + std::to_string(shards) + " shards";
}

}  // namespace

Result<Placement> PlacementOf(std::int32_t partitions, std::int32_t shards) {
  if (Placement::IsValid(partitions, shards)) return Placement(partitions, shards);
  return Fail(ErrorCode::kInvalidArgument, ShapeText(partitions, shards) +
                                               ": both must be powers of two, at most " +
                                               std::to_string(Placement::kPartitionsMax) +
                                               " partitions, and no more shards than partitions");
}

std::unexpected<Error> OfShard(Shard shard, const Error& error) {
  return Fail(error.code, "shard " + std::to_string(shard.value) + ": " + error.message);
}

Status CheckTopic(EventLog& log, Topic topic, std::int32_t partitions) {
  const Result<std::int32_t> there = log.PartitionCount(topic);
  if (!there) return std::unexpected(there.error());
  if (*there >= partitions) return {};
  return Fail(ErrorCode::kRefused, std::string(topic.name()) + " has " + std::to_string(*there) +
                                       " partitions, the deployment " + std::to_string(partitions) +
                                       ": see that the configuration names its log");
}

Result<std::int64_t> ForeignRecords(EventLog& log, Topic topic, std::int32_t partitions) {
  const Result<std::int32_t> there = log.PartitionCount(topic);
  if (!there) return std::unexpected(there.error());
  std::vector<Partition> foreign;
  for (std::int32_t p = partitions; p < *there; ++p) foreign.emplace_back(p);
  std::int64_t records = 0;
  if (foreign.empty()) return records;
  for (const Result<LogBounds>& bounds : log.BoundsOf(topic, foreign)) {
    if (!bounds) return std::unexpected(bounds.error());
    records += bounds->end.value - bounds->begin.value;
  }
  return records;
}

Result<std::optional<DeploymentShape>> ReadShapeIfAny(ProjectionReader& reader) {
  const Result<DeploymentShape> shape = reader.ReadShape();
  if (shape) return *shape;
  if (shape.error().code == ErrorCode::kRefused) return std::nullopt;
  return std::unexpected(shape.error());
}

Status CheckSchema(Shard shard, const Placement& configured,
                   const std::optional<DeploymentShape>& catalog,
                   std::span<const LaneStatus> lanes) {
  if (shard == Shard(0) && !catalog) {
    return Refused(
        "its schema has no catalog, so it is another shard's, or was never made "
        "(`fanfold init`)");
  }
  if (shard != Shard(0) && catalog) return Refused("its schema is a shard 0's");
  if (catalog &&
      (catalog->partitions != configured.partitions() || catalog->shards != configured.shards())) {
    return Refused("the catalog says " + ShapeText(catalog->partitions, catalog->shards) +
                   ", the configuration " +
                   ShapeText(configured.partitions(), configured.shards()));
  }
  return CheckLanes(shard, configured, lanes);
}

Status CheckLanes(Shard shard, const Placement& configured, std::span<const LaneStatus> lanes) {
  for (const LaneStatus& status : lanes) {
    const LaneId& lane = status.lane;
    if (lane.projection.HasLane(lane.partition, shard, configured)) continue;
    const Shard home = configured.ShardOf(lane.partition);
    return Refused("its schema has the lane " + std::string(lane.projection.name()) + "/" +
                   std::to_string(lane.partition.value) + ", which is shard " +
                   std::to_string(home.value) + "'s");
  }
  return {};
}

Status CheckShard(ProjectionReader& reader, Shard shard, const Placement& configured) {
  const auto unreadable = [](const std::string& why) { return Fail(ErrorCode::kUnavailable, why); };
  const Result<std::vector<LaneStatus>> lanes = reader.Lanes();
  if (!lanes) return unreadable(lanes.error().message);
  const Result<std::optional<DeploymentShape>> catalog = ReadShapeIfAny(reader);
  if (!catalog) return unreadable(catalog.error().message);
  // The catalog is the last that is made.
  if (shard == Shard(0) && !*catalog && lanes->empty()) {
    return unreadable("its schema has no catalog yet (`fanfold init`), or is another shard's");
  }
  return CheckSchema(shard, configured, *catalog, *lanes);
}

}  // namespace fanfold
