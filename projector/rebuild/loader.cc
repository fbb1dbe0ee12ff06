#include "projector/rebuild/loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/relation/codec.h"
#include "projector/runtime/lane.h"

namespace fanfold {
namespace {

constexpr std::size_t kPollRecordsMax = 10'000;
constexpr std::int64_t kPollTimeoutMs = 5'000;
constexpr int kCommitTriesMax = 5;

}  // namespace

Status Loader::LoadAll() {
  if (Status opened = OpenStores(); !opened) return opened;
  for (std::int32_t p = 0; p < ports_.placement.partitions(); ++p) {
    if (Status loaded = LoadPartition(Partition(p)); !loaded) return loaded;
  }
  return {};
}

Status Loader::OpenStores() {
  stores_.clear();
  for (std::int32_t s = 0; s < ports_.placement.shards(); ++s) {
    Result<std::unique_ptr<ProjectionStore>> store = ports_.new_store(Shard(s));
    if (!store) return Forward(store);
    stores_.push_back(std::move(*store));
  }
  return {};
}

Result<std::vector<Loader::LaneOnShard>> Loader::Claim(Partition partition) {
  std::vector<LaneOnShard> lanes;
  for (std::int32_t s = 0; s < ports_.placement.shards(); ++s) {
    if (!projection_.HasLane(partition, Shard(s), ports_.placement)) continue;
    const LaneId lane{projection_.kind(), task_.generation, partition};
    Result<std::vector<ClaimedLane>> claimed = stores_[static_cast<std::size_t>(s)]->Claim(
        std::span(&lane, 1), LaneRole::kApplies, task_.owner);
    if (!claimed) return Forward(claimed);
    lanes.push_back({Shard(s), std::move(claimed->front())});
  }
  return lanes;
}

Status Loader::LoadPartition(Partition partition) {
  Result<std::vector<LaneOnShard>> lanes = Claim(partition);
  if (!lanes) return Forward(lanes);
  Result<LogBounds> bounds = ports_.log.Bounds(Topic::kOutcomes, partition);
  if (!bounds) return Forward(bounds);
  const LaneProgress& slowest = Slowest(*lanes);
  if (IsEnough(partition, slowest)) return {};
  const Offset from = slowest.next_offset;
  if (from < bounds->begin) {
    return Fail(ErrorCode::kRefused,
                fmt::format("the outcomes of partition {} begin at {}: what was deleted cannot be "
                            "folded again",
                            partition.value, bounds->begin.value));
  }
  if (from >= bounds->end) return CheckUntil(partition, slowest);
  Result<std::unique_ptr<LogReader>> reader = ports_.log.NewReader(Topic::kOutcomes);
  if (!reader) return Forward(reader);
  if (Status started = (*reader)->Start(partition, from); !started) return started;
  return Read(**reader, partition, bounds->end, *lanes);
}

Status Loader::Read(LogReader& reader, Partition partition, Offset end,
                    std::vector<LaneOnShard>& lanes) {
  Chunk chunk{.rows = {}, .reached = Slowest(lanes)};
  const auto is_done = [&] {
    return chunk.reached.next_offset >= end || IsEnough(partition, chunk.reached);
  };
  while (!is_done()) {
    Result<LogBatch> batch = reader.Poll(kPollRecordsMax, kPollTimeoutMs);
    if (!batch) return Forward(batch);
    if (batch->records.empty()) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("partition {} does not give what it says it has", partition.value));
    }
    for (const LogRecord& record : batch->records) {
      if (is_done()) break;
      if (Status taken = Take(record, chunk); !taken) return taken;
    }
    if (!ports_.pace.Read(std::ssize(batch->records))) return Fail(ErrorCode::kTimeout, "stopped");
    if (chunk.outcomes < task_.chunk_outcomes_max && !is_done()) continue;
    if (Status written = Write(chunk, lanes); !written) return written;
  }
  return CheckUntil(partition, chunk.reached);
}

const LaneProgress& Loader::Slowest(const std::vector<LaneOnShard>& lanes) {
  return std::ranges::min_element(
             lanes, {},
             [](const LaneOnShard& on_shard) { return on_shard.lane.progress.next_offset; })
      ->lane.progress;
}

bool Loader::IsEnough(Partition partition, const LaneProgress& reached) const {
  return !task_.until.empty() &&
         reached.event_offset >= task_.until.at(static_cast<std::size_t>(partition.value));
}

Status Loader::CheckUntil(Partition partition, const LaneProgress& reached) const {
  if (task_.until.empty() || IsEnough(partition, reached)) return {};
  return Fail(ErrorCode::kRefused,
              fmt::format("partition {} is decided up to event {} only: try again when the decider "
                          "has caught up",
                          partition.value, reached.event_offset.value));
}

// A copy moves nothing; what is missing is a hole that no tables may be built over.
Status Loader::Take(const LogRecord& record, Chunk& chunk) {
  LaneProgress& reached = chunk.reached;
  reached.next_offset = Next(record.offset);
  reached.outcome_offset = reached.next_offset;
  reached.last_digest = DigestOf(record);
  ++chunk.outcomes;
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome || outcome->position.offset < reached.event_offset) return {};
  if (outcome->position.offset > reached.event_offset) {
    return Fail(ErrorCode::kRefused,
                fmt::format("partition {} has no readable outcome of event {}",
                            record.partition.value, reached.event_offset.value));
  }
  reached.event_offset = Next(outcome->position.offset);
  reached.published_offset = reached.event_offset;
  const bool moves =
      outcome->kind == OutcomeKind::kFollowed || outcome->kind == OutcomeKind::kUnfollowed;
  if (!moves) return {};
  Edge& edge = chunk.rows[projection_.KeyOf(outcome->subject, outcome->object)];
  edge = Apply(edge, *outcome).edge;
  return {};
}

Status Loader::Write(Chunk& chunk, std::vector<LaneOnShard>& lanes) {
  for (LaneOnShard& lane : lanes) {
    if (lane.lane.progress.next_offset >= chunk.reached.next_offset) continue;  // it was ahead
    std::vector<EdgeRow> rows;
    for (const auto& [key, edge] : chunk.rows) {
      if (ports_.placement.ShardOf(key.user) == lane.shard) rows.push_back({key, edge});
    }
    if (Status written = WriteShard(std::move(rows), chunk.reached, lane); !written) return written;
  }
  chunk.rows.clear();
  chunk.outcomes = 0;
  return {};
}

// In as many transactions as it takes; the last one moves the lane.
Status Loader::WriteShard(std::vector<EdgeRow> rows, const LaneProgress& reached,
                          LaneOnShard& lane) {
  ProjectionStore& store = *stores_[static_cast<std::size_t>(lane.shard.value)];
  const std::span<const EdgeRow> all(rows);
  std::size_t at = 0;
  do {
    const std::size_t count = std::min(all.size() - at, ProjectionStore::kBatchEdgesMax);
    const bool is_last = at + count == all.size();
    StoreBatch batch;
    batch.projection = projection_.kind();
    batch.generation = task_.generation;
    batch.edges.assign(all.begin() + static_cast<std::ptrdiff_t>(at),
                       all.begin() + static_cast<std::ptrdiff_t>(at + count));
    const LaneProgress& from = lane.lane.progress;
    batch.moves.push_back({lane.lane.lane, lane.lane.token, LaneRole::kApplies, from.next_offset,
                           is_last ? reached : from});
    Status committed;
    for (int tries = 1; tries <= kCommitTriesMax; ++tries) {
      committed = store.Commit(batch);
      if (committed || committed.error().code != ErrorCode::kConflict) break;
    }
    if (!committed) return committed;
    at += count;
  } while (at < all.size());
  lane.lane.progress = reached;
  if (!ports_.pace.Read(std::ssize(rows))) return Fail(ErrorCode::kTimeout, "stopped");
  return {};
}

}  // namespace fanfold
