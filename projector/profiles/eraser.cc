#include "projector/profiles/eraser.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/ports/table_snapshot.h"

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

}  // namespace

Eraser::Eraser(const TaskPorts& ports)
    : ports_(ports),
      look_(ports_),
      accounts_(ports_, look_),
      proof_(ports_.log),
      event_ids_(ports_.process_bits) {}

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
      account.erasure = **moved;
      if (ListWalked(account.erasure) != nullptr) further.push_back(std::move(account));
    }
    if (!pace(round.appended - before) || ports_.clock.SteadyMs() >= until_ms_) return false;
  }
  ready_ = std::move(further);
  return !ready_.empty();
}

Status Eraser::Prove(Stream stream, const std::set<Partition>& asked) {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  std::set<Partition> partitions;
  for (const Partition partition : asked) {
    const auto proved = proved_ms_.find({stream, partition});
    const bool is_proved = proved != proved_ms_.end() && now_ms - proved->second < kProvedMs;
    if (!is_proved) partitions.insert(partition);
  }
  if (partitions.empty()) return {};
  const Result<Deployment> read = look_.Read();
  if (!read) return std::unexpected(read.error());
  std::set<Shard> shards;
  for (const Partition partition : partitions) shards.insert(read->placement.ShardOf(partition));
  std::vector<LaneStatus> witnesses;
  for (const Shard shard : shards) {
    const Result<const std::vector<LaneStatus>*> lanes = look_.Lanes(shard);
    if (!lanes) return std::unexpected(lanes.error());
    std::ranges::copy_if(
        WitnessesOf(**lanes, stream, read->read), std::back_inserter(witnesses),
        [&](const LaneStatus& status) { return partitions.contains(status.lane.partition); });
  }
  if (Status same = proof_.Check(witnesses); !same) return same;
  for (const Partition partition : partitions) proved_ms_[{stream, partition}] = now_ms;
  return {};
}

Status Eraser::ProveDeletion(const Erasure& erasure) {
  const Partition own = PartitionOf(erasure.key.user, ports_.shape.partitions);
  for (const Stream stream : Stream::All()) {
    if (stream != streams::kUsers && erasure.ends[stream].empty()) continue;
    if (Status same = Prove(stream, {own}); !same) return same;
  }
  return {};
}

Result<Eraser::Moved> Eraser::Step(const OpenAccount& account, EraseRound& round) {
  if (Status same = ProveDeletion(account.erasure); !same) return Forward(same);
  if (account.erasure.progress.stage == EraseStage::kUnmeasured) return Begin(account);
  const ErasedList* list = ListWalked(account.erasure);
  if (list != nullptr) return Walk(account, *list, round);
  ErasureProgress to = account.erasure.progress;
  to.stage = EraseStage::kDone;
  return Move(account, to);
}

Result<Eraser::Moved> Eraser::Begin(const OpenAccount& account) {
  Result<std::unique_ptr<LaneStore>> store = ports_.open_store(account.shard);
  if (!store) return Forward(store);
  const std::unique_ptr<ErasureStore> erasures = OpenErasures(**store);
  const Erasure& erasure = account.erasure;
  const Result<std::vector<Erasure>> ended = erasures->Ended(std::span(&erasure.key.user, 1));
  if (!ended) return std::unexpected(ended.error());
  Erasure to = erasure;
  to.progress = ErasureProgress();
  const bool is_ended = !ended->empty() && ended->front().key == erasure.key;
  if (is_ended) to.ends = Furthest(std::move(to.ends), *account.reach);
  return Move(*erasures, erasure, to);
}

Result<Eraser::Moved> Eraser::Walk(const OpenAccount& account, const ErasedList& list,
                                   EraseRound& round) {
  const Result<Page> rows = NextPage(account, list);
  if (!rows) return std::unexpected(rows.error());
  if (!*rows) {
    ++round.waiting;
    return Moved();
  }
  const std::vector<EndEvent> events = list.ends(
      {account.erasure, ports_.shape.partitions, ports_.clock.NowMs(), event_ids_}, **rows);
  std::set<Partition> written;
  for (const EndEvent& event : events) {
    written.insert(PartitionOf(event.key, ports_.shape.partitions));
  }
  if (Status same = Prove(list.stream(), written); !same) return Forward(same);
  if (Status appended = Append(list.stream(), events); !appended) {
    log_failed_ = true;
    return Forward(appended);
  }
  round.appended += std::ssize(events);
  const Result<ErasureProgress> to = Behind(account, list, **rows);
  if (!to) {
    log_failed_ = true;
    return std::unexpected(to.error());
  }
  return Move(account, *to);
}

Result<Eraser::Page> Eraser::NextPage(const OpenAccount& account, const ErasedList& list) {
  const Result<Deployment> read = look_.Read();
  if (!read) return std::unexpected(read.error());
  const Result<std::unique_ptr<TableSnapshot>> snapshot = ports_.open_snapshot(account.shard);
  if (!snapshot) return std::unexpected(snapshot.error());
  // Rows and lanes of one moment: a backup may have been restored since the look.
  const Result<std::vector<LaneStatus>> lanes = (*snapshot)->Lanes();
  if (!lanes) return std::unexpected(lanes.error());
  const Result<Ends> held = look_.HeldBy(*lanes, account.shard, list.projection);
  if (!held) return std::unexpected(held.error());
  if (!accounts_.MayWalk(account.erasure, list, *held)) return Page();
  const UserId user = account.erasure.key.user;
  const UserId reached = account.erasure.progress.behind;
  // A list may begin with a row without another id.
  const RowKey behind = reached == UserId(0) ? RowKey{UserId(user.value - 1), UserId(kUserIdMax)}
                                             : RowKey{user, reached};
  Result<std::vector<RowImage>> rows =
      (*snapshot)->Rows(list.projection, read->read[list.projection], behind, user, kPageRows);
  if (!rows) return Forward(rows);
  return Page(*std::move(rows));
}

Result<ErasureProgress> Eraser::Behind(const OpenAccount& account, const ErasedList& list,
                                       std::span<const RowImage> page) {
  if (page.size() == kPageRows) return ErasureProgress{list.stage, page.back().key.other, {}};
  ErasureProgress to{StageBehind(list, account.erasure), UserId(0), {}};
  if (to.stage != EraseStage::kAppended) return to;
  Result<StreamEnds> ends = EndsBehind(account.erasure);
  if (!ends) return Forward(ends);
  to.appended = *std::move(ends);
  return to;
}

Result<StreamEnds> Eraser::EndsBehind(const Erasure& erasure) {
  StreamEnds behind;
  const auto own =
      static_cast<std::size_t>(PartitionOf(erasure.key.user, ports_.shape.partitions).value);
  for (const Stream stream : kErasedStreams) {
    if (erasure.ends[stream].empty()) continue;
    Result<Ends> ends = look_.LogEndsNow(stream);
    if (!ends) return Forward(ends);
    const bool own_alone = std::ranges::all_of(ErasedLists(), [&](const ErasedList& list) {
      return list.stream() != stream || list.own_alone;
    });
    for (std::size_t p = 0; own_alone && p < ends->size(); ++p) {
      if (p != own) (*ends)[p] = Offset(0);
    }
    behind[stream] = *std::move(ends);
  }
  return behind;
}

Status Eraser::Append(Stream stream, const std::vector<EndEvent>& events) {
  if (events.empty()) return {};
  std::unique_ptr<LogAppender>& appender = appenders_[stream];
  if (!appender) {
    auto made = ports_.log.NewAppender(stream.events(), {});
    if (!made) return Forward(made);
    appender = *std::move(made);
  }
  const auto acks = std::make_shared<Acks>();
  for (const EndEvent& event : events) {
    appender->Append(PartitionOf(event.key, ports_.shape.partitions), ToString(event.key),
                     event.value,
                     [acks](const Result<Position>& appended) { acks->Take(appended); });
  }
  if (!appender->Flush(kAppendWaitMs)) {
    return Fail(ErrorCode::kUnavailable, "the log does not take what ends accounts");
  }
  return acks->Get();
}

Result<Eraser::Moved> Eraser::Move(const OpenAccount& account, const ErasureProgress& to) {
  Result<std::unique_ptr<LaneStore>> store = ports_.open_store(account.shard);
  if (!store) return Forward(store);
  Erasure moved = account.erasure;
  moved.progress = to;
  return Move(*OpenErasures(**store), account.erasure, moved);
}

Result<Eraser::Moved> Eraser::Move(ErasureStore& erasures, const Erasure& from, const Erasure& to) {
  Status moved = erasures.Move(from, to);
  if (moved) return Moved(to);
  // Another process had the partition for a moment, too.
  if (moved.error().code == ErrorCode::kConflict) return Moved();
  return Forward(moved);
}

}  // namespace fanfold::projector
