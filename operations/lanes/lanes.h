// The lanes of every shard beside the ends of the log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/stream/position.h"
#include "common/stream/slot.h"
#include "operations/base/backend.h"

namespace fanfold::operations {

// Where each partition of a topic ends, by partition.
using LogEnds = std::vector<Offset>;

// The ends of the deployment's partitions, whatever the topic has besides. Blocks for at most what
// the log may take for two questions. Errors: CheckTopic's, EventLog's.
[[nodiscard]] Result<LogEnds> ReadEnds(EventLog& log, Topic topic, std::int32_t partitions);

// The ends of every topic. Outcomes' ends are read first, so each outcome's event is within.
using AllEnds = PerTopic<LogEnds>;
[[nodiscard]] Result<AllEnds> ReadAllEnds(EventLog& log, std::int32_t partitions);

// 0 where the topic has no such partition.
[[nodiscard]] Offset EndOf(const LogEnds& ends, Partition partition);

[[nodiscard]] std::int64_t SumOf(const LogEnds& ends);
// The sum over all topics of outcomes, or over all of events.
[[nodiscard]] std::int64_t SumOf(const AllEnds& ends, bool of_outcomes);

// The last record of each partition that holds one.
[[nodiscard]] std::vector<Position> LastOf(const LogEnds& ends);

// "following/3"
[[nodiscard]] std::string NameOf(const LaneId& lane);

struct ShardLane {
  Shard shard;
  LaneStatus status;
};

// Errors: as ProjectionReader::Lanes; the message names the shard.
[[nodiscard]] Result<std::vector<ShardLane>> ReadLanes(const ShardReaders& readers);

// The lanes of the shards that answer, and why the others do not.
struct LanesThatAnswer {
  std::vector<ShardLane> lanes;
  std::vector<Shard> silent;
  std::vector<Error> failures;  // of those, in their order; each names its shard
};
[[nodiscard]] LanesThatAnswer ReadLanesThatAnswer(const ShardReaders& readers);

[[nodiscard]] constexpr bool IsRead(const LaneId& lane, const ReadGenerations& read) noexcept {
  return lane.generation == read[lane.projection];
}

// A lane that has to reach `end` and stands at `at`; without a row it stands at 0.
struct LaggingLane {
  Shard shard;
  LaneId lane;
  Offset at;
  Offset end;
  std::optional<LaneStatus> status;
};

// Lanes of the generations that are read, by projection, partition, shard, of streams whose ends
// are given: those below their events' ends, and those halted above them, since a log that ends
// below a lane is not the one that it has folded. Pure.
[[nodiscard]] std::vector<LaggingLane> LaggingLanes(const AllEnds& ends, const Deployment& read,
                                                    std::span<const ShardLane> lanes);

// The events they lack: the sum over partitions and projections of the worst shard's.
[[nodiscard]] std::int64_t EventsLacking(std::span<const LaggingLane> lagging);

}  // namespace fanfold::operations
