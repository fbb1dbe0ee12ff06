#include "projector/rebuild/loader.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/ports/applied_reader.h"
#include "projector/runtime/lane.h"
#include "projector/runtime/patient_poll.h"

namespace fanfold::projector {
namespace {

constexpr std::size_t kPollRecordsMax = 10'000;
constexpr int kCommitTriesMax = 5;

LaneMove MoveOf(const TakenLane& lane, const LaneProgress& to) {
  return {lane.lane, lane.fence, kApplying, lane.progress.next_offset, to};
}

}  // namespace

Status Loader::LoadAll() {
  if (Status taken = TakeShards(); !taken) return taken;
  const Topic topic = projection_.stream().applied();
  Result<std::unique_ptr<LogReader>> reader = NewAppliedReader(ports_.log, projection_.stream());
  if (!reader) return Forward(reader);
  const std::int32_t partitions = ports_.placement.partitions();
  Result<std::vector<LogBounds>> bounds = ports_.log.AllBounds(topic, partitions);
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
      if (!projection_.HasLane(Partition(p), shard, ports_.placement)) continue;
      lanes.push_back({projection_, task_.generation, Partition(p)});
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
    return Fail(
        ErrorCode::kRefused,
        fmt::format("partition {} of {} begins at {}: what was deleted cannot be folded "
                    "again",
                    partition.value, projection_.stream().applied().name(), held.begin.value));
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
    if (load_->bytes() < task_.chunk_bytes_max && !ends_.empty()) continue;
    if (Status written = WriteChunk(); !written) return written;
  }
  return {};
}

Status Loader::TakeAll(const LogBatch& batch, LogReader& reader) {
  const auto said = load_->ReadDecided(batch.records);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < batch.records.size(); ++i) {
    const Partition partition = batch.records[i].partition;
    if (!ends_.contains(partition)) continue;  // it was read to its end
    LaneProgress& reached = reached_[partition];
    const Result<bool> taken = Take(batch.records[i], said[i], reached);
    if (!taken) return std::unexpected(taken.error());
    if (*taken) kept.push_back(i);
    if (!IsAtItsEnd(partition)) continue;
    reader.Stop(partition);
    ends_.erase(partition);
    if (Status enough = CheckUntil(partition, reached); !enough) return enough;
  }
  load_->Keep(kept);
  return {};
}

// A copy moves nothing; what is missing is a hole that no tables may be built over. An event of a
// stream without outcomes is parked by the lanes when it cannot be read, and passed.
Result<bool> Loader::Take(const LogRecord& record, const std::expected<Decided, Unreadable>& said,
                          LaneProgress& reached) {
  reached.next_offset = Next(record.offset);
  reached.outcome_offset = reached.next_offset;
  reached.applied_mark = {record.offset, DigestOf(record)};
  const bool was_decided = projection_.stream().outcomes().has_value();
  if (!said && was_decided) return false;
  const Offset event = was_decided ? said->event.offset : record.offset;
  if (event < reached.event_offset) return false;
  if (event > reached.event_offset) {
    return Fail(ErrorCode::kRefused,
                fmt::format("partition {} has no readable outcome of event {}",
                            record.partition.value, reached.event_offset.value));
  }
  reached.event_offset = Next(event);
  reached.published_offset = reached.event_offset;
  return said.has_value();
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
  load_->Seal();
  for (LoadedShard& to : shards_) {
    if (Status written = WriteShard(to); !written) return written;
  }
  load_->Clear();
  return {};
}

// In as many transactions as it takes; the last one moves the lanes. One lane fences the others,
// since whoever takes them over takes them all.
Status Loader::WriteShard(LoadedShard& to) {
  std::vector<LaneMove> moves;
  // A shard may be ahead of the one that the topic is read for: its rows then are, too. What a
  // chunk that was begun before has left newer, a later chunk writes again.
  bool is_ahead = false;
  for (const TakenLane& lane : to.lanes) {
    const auto reached = reached_.find(lane.lane.partition);
    if (reached == reached_.end()) continue;
    if (lane.progress.next_offset < reached->second.next_offset) {
      moves.push_back(MoveOf(lane, reached->second));
    }
    is_ahead = is_ahead || lane.progress.next_offset > reached->second.next_offset;
  }
  if (moves.empty()) return {};
  const std::unique_ptr<RowParts> parts = load_->PartsOf(to.shard);
  do {
    const TakenLane& fence = to.lanes.front();
    const RowWrites& rows = parts->Next(!is_ahead);
    const bool is_last = parts->AtEnd();
    Status done = Commit(to, rows, is_last ? moves : std::vector{MoveOf(fence, fence.progress)});
    if (!done) return done;
  } while (!parts->AtEnd());
  for (TakenLane& lane : to.lanes) {
    const auto moved = std::ranges::find(moves, lane.lane, &LaneMove::lane);
    if (moved != moves.end()) lane.progress = moved->to;
  }
  return {};
}

Status Loader::Commit(LoadedShard& to, const RowWrites& rows, std::vector<LaneMove> moves) {
  LaneBatch batch;
  batch.projection = projection_;
  batch.generation = task_.generation;
  batch.rows = &rows;
  batch.moves = std::move(moves);
  Status committed;
  for (int tries = 1; tries <= kCommitTriesMax; ++tries) {
    committed = to.store->Commit(batch);
    if (committed || committed.error().code != ErrorCode::kConflict) break;
  }
  if (!committed) return committed;
  if (!ports_.pace.Read(static_cast<std::int64_t>(rows.rows()))) {
    return Fail(ErrorCode::kTimeout, "stopped");
  }
  return {};
}

}  // namespace fanfold::projector
