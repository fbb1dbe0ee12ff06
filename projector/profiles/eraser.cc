#include "projector/profiles/eraser.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "common/base/random.h"
#include "common/ports/deployment_check.h"
#include "common/ports/edge_kind.h"
#include "common/ports/table_snapshot.h"
#include "common/relation/codec.h"

namespace fanfold::projector {
namespace {

// The first failure of a page's events.
class Acks {
 public:
  void Take(const Result<LogPosition>& appended) {
    if (appended) return;
    const std::scoped_lock lock(mutex_);
    if (status_) status_ = std::unexpected(appended.error());
  }
  [[nodiscard]] Status Get() const {
    const std::scoped_lock lock(mutex_);
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  Status status_;
};

std::set<Shard> ShardsOwned(const TaskPorts& ports, const Placement& placement) {
  std::set<Shard> shards;
  for (std::int32_t p = 0; p < placement.partitions(); ++p) {
    if (ports.owns(Partition(p))) shards.insert(placement.ShardOf(Partition(p)));
  }
  return shards;
}

}  // namespace

std::vector<Event> EndsOfRows(const Erasure& erasure, Direction list,
                              std::span<const RowImage> rows, std::int32_t partitions,
                              std::int64_t at_ms, EventIds& ids) {
  const std::vector<Offset>& ends = erasure.ends[streams::kRelations];
  std::vector<Event> events;
  for (const RowImage& row : rows) {
    const RecordKey edge = RecordOf(ProjectionOf(list), row.key);
    const auto partition = static_cast<std::size_t>(PartitionOf(edge.subject, partitions).value);
    if (!EdgeOf(row.state).active || row.state.version.value > ends[partition].value) continue;
    events.push_back({.event_id = ids.Next(),
                      .type = EventType::kUnfollow,
                      .subject = edge.subject,
                      .object = edge.object,
                      .at_ms = at_ms,
                      .by = list == Direction::kFans ? AskedBy::kObject : AskedBy::kSubject,
                      .if_version = row.state.version,
                      .replay_of = std::nullopt});
  }
  return events;
}

Eraser::Eraser(const TaskPorts& ports) : ports_(ports), look_(ports_), event_ids_(RandomBits()) {}

EraseRound Eraser::Round(const Pace& pace) {
  Turn turn{pace};
  look_.BeginAnew();
  const Result<Placement> placement = look_.LastPlacement();
  if (!placement) {
    turn.round.failures.push_back(OfShard(Shard(0), placement.error()).error());
    return turn.round;
  }
  awaited_before_ = std::exchange(awaited_, {});
  for (const Shard shard : ShardsOwned(ports_, *placement)) {
    turn.shard = shard;
    const Status done = RoundOn(shard, turn);
    if (!done) turn.round.failures.push_back(OfShard(shard, done.error()).error());
    if (turn.stops) break;
  }
  return turn.round;
}

Status Eraser::RoundOn(Shard shard, Turn& turn) {
  const Result<ProjectionReader*> reader = look_.ReaderOf(shard);
  if (!reader) return std::unexpected(reader.error());
  std::optional<ErasureKey> after;
  while (true) {
    const Result<std::vector<Erasure>> page =
        OpenProfiles(**reader)->OpenErasures(after, kErasuresMax);
    if (!page) return std::unexpected(page.error());
    for (const Erasure& erasure : *page) {
      if (!ports_.owns(PartitionOf(erasure.key.user, ports_.shape.partitions))) continue;
      ++turn.round.open;
      std::int64_t& oldest_ms = turn.round.oldest_ms;
      oldest_ms = oldest_ms == 0 ? erasure.asked_ms : std::min(oldest_ms, erasure.asked_ms);
      if (Status done = Step(erasure, turn); !done || turn.stops) return done;
    }
    if (page->size() < kErasuresMax) return {};
    after = page->back().key;
  }
}

Status Eraser::Step(const Erasure& erasure, Turn& turn) {
  // A deletion that says no ends, as one that was put into another log, ends nothing.
  if (erasure.ends[streams::kRelations].empty()) {
    return Move(erasure, {EraseStage::kDone, UserId(0), {}}, turn);
  }
  switch (erasure.progress.stage) {
    case EraseStage::kFollowing:
      return Walk(erasure, Direction::kFollowing, turn);
    case EraseStage::kFans:
      return Walk(erasure, Direction::kFans, turn);
    case EraseStage::kAppended:
      return Settle(erasure, turn);
    case EraseStage::kDone:
      break;
  }
  return {};
}

Result<EndsAsked> Eraser::AwaitedBy(const Erasure& erasure, Direction list) {
  Ends& awaited = awaited_[erasure.key];
  if (const auto before = awaited_before_.find(erasure.key); before != awaited_before_.end()) {
    awaited = std::move(before->second);
    awaited_before_.erase(before);
  }
  if (awaited.empty()) {
    Result<Ends> ends = look_.LogEnds();
    if (!ends) return Forward(ends);
    awaited = *std::move(ends);
    // The account may have ended since.
    const Ends& deletion = erasure.ends[streams::kRelations];
    std::ranges::transform(awaited, deletion, awaited.begin(),
                           [](Offset one, Offset other) { return std::max(one, other); });
  }
  EndsAsked asked{awaited};
  // Whom he follows stands behind his own partition alone.
  if (list == Direction::kFollowing) {
    asked.only = PartitionOf(erasure.key.user, ports_.shape.partitions);
  }
  return asked;
}

Status Eraser::Walk(const Erasure& erasure, Direction list, Turn& turn) {
  const Result<Page> rows = NextPage(erasure, list);
  if (!rows) return std::unexpected(rows.error());
  if (!*rows) {
    ++turn.round.waiting;
    return {};
  }
  const std::vector<Event> events =
      EndsOfRows(erasure, list, **rows, ports_.shape.partitions, ports_.clock.NowMs(), event_ids_);
  if (Status appended = Append(events); !appended) return appended;
  turn.round.appended += std::ssize(events);
  const Result<ErasureProgress> to = Behind(**rows, list);
  if (!to) return std::unexpected(to.error());
  Status moved = Move(erasure, *to, turn);
  turn.stops = !turn.pace(std::ssize(events));
  return moved;
}

Result<Eraser::Page> Eraser::NextPage(const Erasure& erasure, Direction list) {
  const Result<EndsAsked> awaited = AwaitedBy(erasure, list);
  if (!awaited) return std::unexpected(awaited.error());
  const UserId user = erasure.key.user;
  const Result<Deployment> read = look_.Read();
  if (!read) return std::unexpected(read.error());
  const Shard shard = read->placement.ShardOf(user);
  const Result<bool> may_hold = look_.Holds(shard, list, *awaited);
  if (!may_hold) return std::unexpected(may_hold.error());
  if (!*may_hold) return Page();
  const Result<std::unique_ptr<TableSnapshot>> snapshot = ports_.open_snapshot(shard);
  if (!snapshot) return std::unexpected(snapshot.error());
  // Rows and lanes of one moment: a backup may have been restored since the look.
  const Result<std::vector<LaneStatus>> lanes = (*snapshot)->Lanes();
  if (!lanes) return std::unexpected(lanes.error());
  const Result<bool> holds = look_.HoldsBy(*lanes, shard, list, *awaited);
  if (!holds) return std::unexpected(holds.error());
  if (!*holds) return Page();
  Result<std::vector<RowImage>> rows = (*snapshot)->Rows(
      ProjectionOf(list), read->read[list], RowKey{user, erasure.progress.behind}, user, kPageRows);
  if (!rows) return Forward(rows);
  return Page(*std::move(rows));
}

Result<ErasureProgress> Eraser::Behind(std::span<const RowImage> page, Direction list) {
  const bool is_first = list == Direction::kFollowing;
  if (page.size() == kPageRows) {
    return ErasureProgress{
        is_first ? EraseStage::kFollowing : EraseStage::kFans, page.back().key.other, {}};
  }
  if (is_first) return ErasureProgress{EraseStage::kFans, UserId(0), {}};
  Result<Ends> ends = look_.LogEndsNow();
  if (!ends) return Forward(ends);
  ErasureProgress to{EraseStage::kAppended, UserId(0), {}};
  to.appended[streams::kRelations] = *std::move(ends);
  return to;
}

Status Eraser::Settle(const Erasure& erasure, Turn& turn) {
  const Ends& appended = erasure.progress.appended[streams::kRelations];
  for (std::int32_t s = 0; s < ports_.shape.shards; ++s) {
    for (const Direction list : {Direction::kFollowing, Direction::kFans}) {
      const Result<bool> holds = look_.Holds(Shard(s), list, {appended});
      if (!holds) return std::unexpected(holds.error());
      if (*holds) continue;
      ++turn.round.waiting;
      return {};
    }
  }
  ErasureProgress to = erasure.progress;
  to.stage = EraseStage::kDone;
  return Move(erasure, to, turn);
}

Status Eraser::Append(const std::vector<Event>& events) {
  if (events.empty()) return {};
  if (!appender_) {
    auto made = ports_.log.NewAppender(streams::kRelations.events(), {});
    if (!made) return Forward(made);
    appender_ = *std::move(made);
  }
  const auto acks = std::make_shared<Acks>();
  for (const Event& event : events) {
    appender_->Append(PartitionOf(event.subject, ports_.shape.partitions), ToString(event.subject),
                      EncodeEvent(event),
                      [acks](const Result<LogPosition>& appended) { acks->Take(appended); });
  }
  if (!appender_->Flush(kAppendWaitMs)) {
    return Fail(ErrorCode::kUnavailable, "the log does not take what ends relations");
  }
  return acks->Get();
}

Status Eraser::Move(const Erasure& erasure, const ErasureProgress& to, Turn& turn) {
  Result<std::unique_ptr<LaneStore>> store = ports_.open_store(turn.shard);
  if (!store) return Forward(store);
  Status moved = OpenErasures(**store)->Move(erasure.key, erasure.progress, to);
  // Another process had the partition for a moment, too.
  if (!moved && moved.error().code == ErrorCode::kConflict) return {};
  turn.round.moved = turn.round.moved || moved;
  return moved;
}

}  // namespace fanfold::projector
