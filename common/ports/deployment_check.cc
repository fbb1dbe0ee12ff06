#include "common/ports/deployment_check.h"

#include <string>
#include <utility>

namespace fanfold {
namespace {

std::unexpected<Error> Refused(const std::string& why) {
  return Fail(ErrorCode::kRefused,
              why + "; name the DSNs in `shards` as the deployment was made: all, in order");
}

std::string Text(const Shape& shape) {
  return std::to_string(shape.partitions) + " partitions on " + std::to_string(shape.shards) +
         " shards";
}

// It stands on shard 0 alone, and is the last that is made.
Status CheckPlaceOfCatalog(Shard shard, const Shape& configured, const SchemaTraces& traces) {
  if (shard != Shard(0)) {
    return traces.catalog ? Refused("its schema is a shard 0's") : Status();
  }
  if (!traces.catalog) {
    if (traces.lanes.empty()) return {};
    return Refused("its schema has no catalog, so it is another shard's, or was never made");
  }
  return CheckCatalog(configured, *traces.catalog);
}

}  // namespace

Status CheckCatalog(const Shape& configured, const Catalog& catalog) {
  if (catalog.shape == configured) return {};
  return Refused("the catalog says " + Text(catalog.shape) + ", the configuration " +
                 Text(configured));
}

Status CheckLog(EventLog& log, const Catalog& catalog) {
  if (!catalog.log) return {};
  const Result<std::string> id = log.Id();
  if (!id) return std::unexpected(id.error());
  if (*id == *catalog.log) return {};
  return Fail(ErrorCode::kRefused,
              "the tables are folded from log " + *catalog.log + ", this is log " + *id +
                  ": correct the configuration; where that log was moved here, `fanfold init` says "
                  "so to the tables once it has found their last records");
}

Status CheckSlotMap(const Shape& configured, SlotMapId id, const SlotMap& map) {
  if (map.IsValid(configured)) return {};
  return Fail(ErrorCode::kRefused,
              "slot map " + std::to_string(id.value) + " is none of " + Text(configured) +
                  ": a slot has no shard, or one that is not configured, or another than its "
                  "partition's. Nothing changes a map: restore `slot_maps` of shard 0");
}

Status CheckConfigured(const Shape& shape) {
  if (shape.IsValid()) return {};
  return Fail(ErrorCode::kInvalidArgument, Text(shape) + ": both must be powers of two, at most " +
                                               std::to_string(kPartitionsMax) +
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

Status CheckNoneDecidedBeyond(EventLog& log, std::int32_t partitions) {
  for (const Topic topic : Topic::All()) {
    if (!topic.of_outcomes()) continue;
    const Result<std::int64_t> beyond = ForeignRecords(log, topic, partitions);
    if (!beyond) return std::unexpected(beyond.error());
    if (*beyond == 0) continue;
    return Fail(ErrorCode::kRefused,
                std::string(topic.name()) + " holds what was decided in partitions from " +
                    std::to_string(partitions) + " on: correct `partitions`, which says " +
                    std::to_string(partitions));
  }
  return {};
}

Status CheckIdentity(Shard shard, const Shape& configured, const std::optional<DeploymentId>& known,
                     const std::optional<SchemaIdentity>& says) {
  if (!says) {
    return Fail(ErrorCode::kUnavailable,
                "its schema does not say yet which shard it is (`fanfold init`)");
  }
  if (says->shard != shard) {
    return Refused("its schema is shard " + std::to_string(says->shard.value) + "'s");
  }
  if (says->shape != configured) {
    const std::string differ =
        "its schema says " + Text(says->shape) + ", the configuration " + Text(configured);
    if (says->shape.shards != configured.shards) return Refused(differ);
    return Fail(ErrorCode::kRefused, differ + "; correct `partitions`");
  }
  if (known && says->deployment != *known) {
    return Fail(ErrorCode::kRefused,
                "its schema is of deployment " + says->deployment.text() + ", not of " +
                    known->text() +
                    ", which `deployment_id` pins or shard 0 is of: correct `shards` or "
                    "`deployment_id`; a copy gets an id of its own by `fanfold identity renew`");
  }
  return {};
}

Status CheckSchema(Shard shard, const Shape& configured, const std::optional<DeploymentId>& known,
                   const SchemaTraces& traces) {
  if (traces.identity) return CheckIdentity(shard, configured, known, traces.identity);
  if (Status fits = CheckPlaceOfCatalog(shard, configured, traces); !fits) return fits;
  // Who told a schema nothing knew no other map.
  const Placement placement = Placement::Modulo(configured);
  for (const LaneId& lane : traces.lanes) {
    if (lane.projection.HasLane(lane.partition, shard, placement)) continue;
    return Refused("its schema has the lane " + std::string(lane.projection.name()) + "/" +
                   std::to_string(lane.partition.value) + ", which is shard " +
                   std::to_string(placement.ShardOf(lane.partition).value) + "'s");
  }
  for (const auto& [projection, user] : traces.users) {
    if (placement.ShardOf(user) == shard) continue;
    return Refused("its schema has user " + std::to_string(user.value) + " in " +
                   std::string(projection.name()) + ", who is shard " +
                   std::to_string(placement.ShardOf(user).value) + "'s");
  }
  return {};
}

SchemaCheck OwnSchemas::Of(Shard shard) {
  return [this, shard](const std::optional<SchemaIdentity>& says) { return Check(shard, says); };
}

Status OwnSchemas::Check(Shard shard, const std::optional<SchemaIdentity>& says) {
  const std::scoped_lock lock(mutex_);
  Status fits = CheckIdentity(shard, configured_, known_, says);
  if (!fits || known_) return fits;
  if (shard != Shard(0)) {
    return Fail(ErrorCode::kUnavailable, "shard 0 has not said yet which deployment this is");
  }
  known_ = says->deployment;
  return {};
}

}  // namespace fanfold
