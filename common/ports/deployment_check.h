// Whether what a process has reached is the deployment that it is configured for: its topics'
// partitions, its shards' schemas. Asked before anything is written. A schema tells little of
// itself: the catalog stands on shard 0 alone, a lane of following on its partition's shard. A
// shard of another deployment with as many partitions and shards is not known by that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/stream/slot.h"

namespace fanfold {

// Errors: kInvalidArgument, no deployment has such: what the numbers must be.
[[nodiscard]] Result<Placement> PlacementOf(std::int32_t partitions, std::int32_t shards);

// The error, and of which shard it is: the checks of one leave that to their callers.
[[nodiscard]] std::unexpected<Error> OfShard(Shard shard, const Error& error);

// Has the topic the deployment's partitions? More are fine, since Kafka cannot take them back: what
// stands in those is nobody's. Errors: kRefused, it has fewer, naming both; PartitionCount's.
[[nodiscard]] Status CheckTopic(EventLog& log, Topic topic, std::int32_t partitions);

// How many records stand in the topic's partitions from `partitions` on. Errors: the log's.
[[nodiscard]] Result<std::int64_t> ForeignRecords(EventLog& log, Topic topic,
                                                  std::int32_t partitions);

// Nothing where the schema has no catalog. Errors: ProjectionReader's.
[[nodiscard]] Result<std::optional<DeploymentShape>> ReadShapeIfAny(ProjectionReader& reader);

// Do the lanes stand where that shard's do? Pure. Errors: as CheckSchema's.
[[nodiscard]] Status CheckLanes(Shard shard, const Placement& configured,
                                std::span<const LaneStatus> lanes);

// Is the schema with this catalog and these lanes that shard's of the deployment that is
// configured? Pure. Errors: kRefused, by name, with what to do.
[[nodiscard]] Status CheckSchema(Shard shard, const Placement& configured,
                                 const std::optional<DeploymentShape>& catalog,
                                 std::span<const LaneStatus> lanes);

// Reads and checks. Errors: kRefused, CheckSchema's; kUnavailable, it cannot be read now or has no
// tables, or no catalog and no lanes, yet.
[[nodiscard]] Status CheckShard(ProjectionReader& reader, Shard shard, const Placement& configured);

}  // namespace fanfold
