#include "projector/profiles/eraser.h"

#include <algorithm>
#include <mutex>
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
  void Take(const Result<Position>& appended) {
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

bool IsInAList(const ErasureProgress& progress) {
  return progress.stage == EraseStage::kFollowing || progress.stage == EraseStage::kFans;
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

Eraser::Eraser(const TaskPorts& ports)
    : ports_(ports), look_(ports_), accounts_(ports_, look_), event_ids_(RandomBits()) {}

EraseRound Eraser::Round(const Pace& pace) {
  EraseRound round;
  look_.BeginAnew();
  log_failed_ = false;
  failed_.clear();
  ready_ = accounts_.Ready([&] { return !pace(0); }, round, round.failures);
  until_ms_ = ports_.clock.SteadyMs() + kRoundMs;
  (void)Again(pace, round);
  return round;
}

bool Eraser::Again(const Pace& pace, EraseRound& round) {
  std::vector<OpenAccount> further;
  bool has_skipped = false;
  for (OpenAccount& account : std::exchange(ready_, {})) {
    if (log_failed_ || !pace(0)) return false;
    if (failed_.contains(account.shard)) {
      has_skipped = true;
      continue;
    }
    // The next round begins with the first that this one has passed over.
    if (!has_skipped) accounts_.IsTaken(account);
    const std::int64_t before = round.appended;
    const Result<Moved> moved = Step(account, round);
    if (!moved) {
      round.failures.push_back(OfShard(account.shard, moved.error()).error());
      failed_.insert(account.shard);
      continue;  // however long that took: the others' turn
    }
    if (*moved) {
      accounts_.HasMoved(account);
      round.moved = true;
      account.erasure.progress = **moved;
      if (IsInAList(account.erasure.progress)) further.push_back(std::move(account));
    }
    if (!pace(round.appended - before) || ports_.clock.SteadyMs() >= until_ms_) return false;
  }
  ready_ = std::move(further);
  return !ready_.empty();
}

Result<Eraser::Moved> Eraser::Step(const OpenAccount& account, EraseRound& round) {
  const Erasure& erasure = account.erasure;
  if (erasure.ends[streams::kRelations].empty()) {
    return Move(account, {EraseStage::kDone, UserId(0), {}});
  }
  if (IsInAList(erasure.progress)) return Walk(account, ListWalked(erasure), round);
  ErasureProgress to = erasure.progress;
  to.stage = EraseStage::kDone;
  return Move(account, to);
}

Result<Eraser::Moved> Eraser::Walk(const OpenAccount& account, Direction list, EraseRound& round) {
  const Result<Page> rows = NextPage(account, list);
  if (!rows) return std::unexpected(rows.error());
  if (!*rows) {
    ++round.waiting;
    return Moved();
  }
  const std::vector<Event> events = EndsOfRows(
      account.erasure, list, **rows, ports_.shape.partitions, ports_.clock.NowMs(), event_ids_);
  if (Status appended = Append(events); !appended) {
    log_failed_ = true;
    return Forward(appended);
  }
  round.appended += std::ssize(events);
  const Result<ErasureProgress> to = Behind(**rows, list);
  if (!to) {
    log_failed_ = true;
    return std::unexpected(to.error());
  }
  return Move(account, *to);
}

Result<Eraser::Page> Eraser::NextPage(const OpenAccount& account, Direction list) {
  const Result<Deployment> read = look_.Read();
  if (!read) return std::unexpected(read.error());
  const Result<std::unique_ptr<TableSnapshot>> snapshot = ports_.open_snapshot(account.shard);
  if (!snapshot) return std::unexpected(snapshot.error());
  // Rows and lanes of one moment: a backup may have been restored since the look.
  const Result<std::vector<LaneStatus>> lanes = (*snapshot)->Lanes();
  if (!lanes) return std::unexpected(lanes.error());
  const Result<Ends> held = look_.HeldBy(*lanes, account.shard, list);
  if (!held) return std::unexpected(held.error());
  if (!accounts_.MayWalk(account.erasure, list, *held)) return Page();
  const UserId user = account.erasure.key.user;
  const RowKey behind{user, account.erasure.progress.behind};
  Result<std::vector<RowImage>> rows =
      (*snapshot)->Rows(ProjectionOf(list), read->read[list], behind, user, kPageRows);
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
                      [acks](const Result<Position>& appended) { acks->Take(appended); });
  }
  if (!appender_->Flush(kAppendWaitMs)) {
    return Fail(ErrorCode::kUnavailable, "the log does not take what ends relations");
  }
  return acks->Get();
}

Result<Eraser::Moved> Eraser::Move(const OpenAccount& account, const ErasureProgress& to) {
  Result<std::unique_ptr<LaneStore>> store = ports_.open_store(account.shard);
  if (!store) return Forward(store);
  const Erasure& erasure = account.erasure;
  Status moved = OpenErasures(**store)->Move(erasure.key, erasure.progress, to);
  if (moved) return Moved(to);
  // Another process had the partition for a moment, too.
  if (moved.error().code == ErrorCode::kConflict) return Moved();
  return Forward(moved);
}

}  // namespace fanfold::projector
