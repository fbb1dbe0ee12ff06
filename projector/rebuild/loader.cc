#include "projector/rebuild/loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "common/relation/codec.h"
#include "projector/runtime/lane.h"
#include "projector/runtime/patient_poll.h"

namespace fanfold {
namespace {

constexpr std::size_t kPollRecordsMax = 10'000;
constexpr int kCommitTriesMax = 5;

// By key, each with its latest state.
void Collapse(std::vector<EdgeRow>& rows) {
  std::ranges::sort(
      rows, {}, [](const EdgeRow& row) { return std::tuple(row.key, -row.edge.version.value); });
  const auto older = std::ranges::unique(rows, {}, &EdgeRow::key);
  rows.erase(older.begin(), older.end());
}

LaneMove MoveOf(const TakenLane& lane, const LaneProgress& to) {
  return {lane.lane, lane.fence, kApplying, lane.progress.next_offset, to};
}

}  // namespace

Status Loader::LoadAll() {
  if (Status taken = TakeShards(); !taken) return taken;
  Result<std::unique_ptr<LogReader>> reader = ports_.log.NewReader(topics::kRelationOutcomes);
  if (!reader) return Forward(reader);
  const std::int32_t partitions = ports_.placement.partitions();
  Result<std::vector<LogBounds>> bounds =
      ports_.log.AllBounds(topics::kRelationOutcomes, partitions);
  if (!bounds) return Forward(bounds);
  for (std::int32_t p = 0; p < partitions; ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    if (Status begun = Begin(**reader, Partition(p), held); !begun) return begun;
  }
  return ReadAll(**reader);
}

Status Loader::TakeShards() {
  shards_.clear();
  for (const Shard shard : task_.shards) {
    Result<std::unique_ptr<LaneStore>> store = ports_.new_store(shard);
    if (!store) return Forward(store);
    std::vector<LaneId> lanes;
    for (std::int32_t p = 0; p < ports_.placement.partitions(); ++p) {
      if (!fold_.projection().HasLane(Partition(p), shard, ports_.placement)) continue;
      lanes.push_back({fold_.projection(), task_.generation, Partition(p)});
    }
    auto taken = (*store)->TakeFences(lanes, kApplying, task_.owner);
    if (!taken) return Forward(taken);
    shards_.push_back({shard, std::move(*store), std::move(*taken)});
  }
  return {};
}

LaneProgress Loader::Slowest(Partition partition) const {
  std::optional<LaneProgress> slowest;
  for (const LoadedShard& shard : shards_) {
    for (const TakenLane& lane : shard.lanes) {
      if (lane.lane.partition != partition) continue;
      const bool behind = !slowest || lane.progress.next_offset < slowest->next_offset;
      if (behind) slowest = lane.progress;
    }
  }
  return slowest.value_or(LaneProgress());
}

Status Loader::Begin(LogReader& reader, Partition partition, const LogBounds& held) {
  const LaneProgress from = Slowest(partition);
  if (IsEnough(partition, from)) return {};
  if (from.next_offset < held.begin) {
    return Fail(ErrorCode::kRefused,
                fmt::format("the outcomes of partition {} begin at {}: what was deleted cannot be "
                            "folded again",
                            partition.value, held.begin.value));
  }
  if (from.next_offset >= held.end) return CheckUntil(partition, from);
  if (Status started = reader.Start(partition, from.next_offset); !started) return started;
  ends_[partition] = held.end;
  reached_[partition] = from;
  return {};
}

Status Loader::ReadAll(LogReader& reader) {
  while (!ends_.empty()) {
    Result<LogBatch> batch = PollPatiently(reader, kPollRecordsMax, ports_.pace);
    if (!batch) return Forward(batch);
    if (Status taken = TakeAll(*batch, reader); !taken) return taken;
    if (!ports_.pace.Read(std::ssize(batch->records))) return Fail(ErrorCode::kTimeout, "stopped");
    if (chunk_.size() < task_.chunk_rows_max && !ends_.empty()) continue;
    if (Status written = WriteChunk(); !written) return written;
  }
  return {};
}

Status Loader::TakeAll(const LogBatch& batch, LogReader& reader) {
  for (const LogRecord& record : batch.records) {
    const Partition partition = record.partition;
    if (!ends_.contains(partition)) continue;  // it was read to its end
    LaneProgress& reached = reached_[partition];
    if (Status taken = Take(record, reached); !taken) return taken;
    if (!IsAtItsEnd(partition)) continue;
    reader.Stop(partition);
    ends_.erase(partition);
    if (Status enough = CheckUntil(partition, reached); !enough) return enough;
  }
  return {};
}

// A copy moves nothing; what is missing is a hole that no tables may be built over.
Status Loader::Take(const LogRecord& record, LaneProgress& reached) {
  reached.next_offset = Next(record.offset);
  reached.outcome_offset = reached.next_offset;
  reached.last_digest = projector::DigestOf(record);
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome || outcome->position.offset < reached.event_offset) return {};
  if (outcome->position.offset > reached.event_offset) {
    return Fail(ErrorCode::kRefused,
                fmt::format("partition {} has no readable outcome of event {}",
                            record.partition.value, reached.event_offset.value));
  }
  reached.event_offset = Next(outcome->position.offset);
  reached.published_offset = reached.event_offset;
  const EdgeChange change = Apply(Edge(), *outcome);
  if (change.changed) {
    chunk_.push_back(
        {KeyOf(ListsOf(fold_.projection()), outcome->subject, outcome->object), change.edge});
  }
  return {};
}

bool Loader::IsEnough(Partition partition, const LaneProgress& reached) const {
  return !task_.until.empty() &&
         reached.event_offset >= task_.until.at(static_cast<std::size_t>(partition.value));
}

bool Loader::IsAtItsEnd(Partition partition) const {
  const LaneProgress& reached = reached_.at(partition);
  return reached.next_offset >= ends_.at(partition) || IsEnough(partition, reached);
}

Status Loader::CheckUntil(Partition partition, const LaneProgress& reached) const {
  if (task_.until.empty() || IsEnough(partition, reached)) return {};
  return Fail(ErrorCode::kRefused,
              fmt::format("partition {} is decided up to event {} only: try again when the decider "
                          "has caught up",
                          partition.value, reached.event_offset.value));
}

Status Loader::WriteChunk() {
  Collapse(chunk_);
  for (LoadedShard& to : shards_) {
    std::vector<EdgeRow> rows;
    const bool has_all = ports_.placement.shards() == 1;
    if (has_all) {
      rows = std::move(chunk_);
    } else {
      std::ranges::copy_if(chunk_, std::back_inserter(rows), [&](const EdgeRow& row) {
        return ports_.placement.ShardOf(row.key.user) == to.shard;
      });
    }
    if (Status written = WriteShard(std::move(rows), to); !written) return written;
  }
  chunk_.clear();
  return {};
}

// In as many transactions as it takes; the last one moves the lanes. One lane fences the others,
// since whoever takes them over takes them all.
Status Loader::WriteShard(std::vector<EdgeRow> rows, LoadedShard& to) {
  std::vector<LaneMove> moves;
  // A shard may be ahead of the one that the outcomes are read for: its rows then are, too.
  to.is_ahead = false;
  for (const TakenLane& lane : to.lanes) {
    const auto reached = reached_.find(lane.lane.partition);
    if (reached == reached_.end()) continue;
    if (lane.progress.next_offset < reached->second.next_offset) {
      moves.push_back(MoveOf(lane, reached->second));
    }
    to.is_ahead = to.is_ahead || lane.progress.next_offset > reached->second.next_offset;
  }
  if (moves.empty()) return {};
  std::span<const EdgeRow> rest(rows);
  while (rest.size() > EdgeStore::kEdgesMax) {
    const auto part = rest.first(EdgeStore::kEdgesMax);
    const TakenLane& fence = to.lanes.front();
    if (Status done = Commit(to, part, {MoveOf(fence, fence.progress)}); !done) return done;
    rest = rest.subspan(part.size());
  }
  if (Status done = Commit(to, rest, moves); !done) return done;
  for (TakenLane& lane : to.lanes) {
    const auto moved = std::ranges::find(moves, lane.lane, &LaneMove::lane);
    if (moved != moves.end()) lane.progress = moved->to;
  }
  return {};
}

Status Loader::Commit(LoadedShard& to, std::span<const EdgeRow> rows, std::vector<LaneMove> moves) {
  LaneBatch batch;
  batch.projection = fold_.projection();
  batch.generation = task_.generation;
  EdgeWrites writes;
  writes.edges.assign(rows.begin(), rows.end());
  // What a chunk that was begun before has left newer, a later chunk writes again.
  writes.edges_are_newest = !to.is_ahead;
  batch.rows = &writes;
  batch.moves = std::move(moves);
  Status committed;
  for (int tries = 1; tries <= kCommitTriesMax; ++tries) {
    committed = to.store->Commit(batch);
    if (committed || committed.error().code != ErrorCode::kConflict) break;
  }
  if (!committed) return committed;
  if (!ports_.pace.Read(std::ssize(rows))) return Fail(ErrorCode::kTimeout, "stopped");
  return {};
}

}  // namespace fanfold
