#include "projector/feed/inbox_maker.h"

#include <algorithm>
#include <iterator>

#include "common/feed/feed_event.h"
#include "projector/feed/inbox_reading.h"

namespace fanfold::projector {

bool InboxMaker::Step(std::vector<Error>& failures) {
  bool moved = tail_.Step([this](Partition partition) { return Begin(partition); },
                          [this] { return shards_.Prove(streams::kFeeds); },
                          [this](Partition partition, const std::vector<LogRecord>& records) {
                            return Take(partition, records);
                          },
                          0, failures);
  const std::int64_t looks_ms = ports_.clock.SteadyMs();
  const Result<bool> looked = LookOn();
  look_took_ms_ += ports_.clock.SteadyMs() - looks_ms;
  if (!looked) failures.push_back(looked.error());
  moved = moved || looked.value_or(false);
  lanes_.clear();
  while (!queue_.empty() && making_.size() < kMadeAtOnce) {
    const InboxOwner of = queue_.front();
    queue_.pop_front();
    queued_.erase(of);
    if (!ports_.owns(of.partition)) continue;
    if (const Status examined = Examine(of); !examined) failures.push_back(examined.error());
    moved = true;
  }
  const std::int64_t began_ms = ports_.clock.SteadyMs();
  for (auto at = making_.begin(); at != making_.end();) {
    if (ports_.clock.SteadyMs() - began_ms > kStepMs) break;
    const Result<bool> done = Go(at->first, at->second);
    if (!done) failures.push_back(done.error());
    // One that fails is found again by the next look.
    const bool ends = !done || *done || !ports_.owns(at->first.partition);
    moved = moved || done.value_or(false);
    at = ends ? making_.erase(at) : std::next(at);
  }
  return moved;
}

void InboxMaker::Forget() {
  tail_.Forget();
  awake_.clear();
  queue_.clear();
  queued_.clear();
  making_.clear();
  looked_at_ = {};
  look_ms_ = 0;
  look_took_ms_ = 0;
}

// ---- who looks ----

Result<Offset> InboxMaker::Begin(Partition partition) {
  const Shard shard = shards_.placement().ShardOf(partition);
  const Result<InboxStore*> store = shards_.StoreOf(shard);
  if (!store) return std::unexpected(store.error());
  const auto stood = (*store)->Stood(shards_.inboxes(), streams::kFeeds);
  if (!stood) return std::unexpected(stood.error());
  const auto at = stood->find(partition);
  if (at == stood->end()) return std::unexpected(NotBegun(shard));
  stood_[partition] = at->second;
  return at->second.next_record;
}

Status InboxMaker::Take(Partition partition, const std::vector<LogRecord>& records) {
  const std::int64_t today = ports_.clock.NowMs() / kDayMs;
  std::map<UserId, bool> looked;  // false: it is to be forgotten
  for (const LogRecord& record : records) {
    const auto event = ReadFeedRecord(record.key, record.value, partition, ports_.shape.partitions);
    if (!event) continue;  // the fold parks it
    if (event->type == FeedEventType::kForget) {
      if (event->shown_id == ShownId(0)) looked[event->owner] = false;
      continue;
    }
    const std::int64_t day = event->at_ms / kDayMs;
    if (day + limits_.active_days > today) looked[event->owner] = true;
  }
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(partition));
  if (!store) return std::unexpected(store.error());
  InboxWake wake{{shards_.inboxes(), partition, stood_[partition], {}}, {}, shards_.Stand(), today};
  const Offset behind = Next(records.back().offset);
  wake.move.to = {behind, behind};
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  for (const auto& [owner, is_there] : looked) {
    const InboxOwner of{partition, owner};
    if (!is_there) {
      awake_.erase(owner);
      if (Status removed = (*store)->Remove(of, InboxStore::kWhenever); !removed) return removed;
    } else if (const auto known = awake_.find(owner);
               known == awake_.end() || known->second + kAgainMs <= now_ms) {
      wake.owners.push_back(owner);
    }
  }
  if (Status woken = (*store)->Wake(wake); !woken) return woken;
  stood_[partition] = wake.move.to;
  if (awake_.size() + wake.owners.size() > kAwakeMax) awake_.clear();
  for (const UserId owner : wake.owners) {
    awake_[owner] = now_ms;
    Enqueue({partition, owner});
  }
  return {};
}

// ---- which are there ----

Result<bool> InboxMaker::LookOn() {
  if (ports_.clock.SteadyMs() < look_ms_) return false;
  const auto next_owned = [this](Partition from) {
    while (from.value < ports_.shape.partitions && !ports_.owns(from)) ++from.value;
    return from;
  };
  const Partition partition = next_owned(looked_at_.partition);
  if (partition != looked_at_.partition) looked_at_ = {partition, UserId(0)};
  if (partition.value >= ports_.shape.partitions) {
    looked_at_ = {};
    look_ms_ = ports_.clock.SteadyMs() + std::max(kLookMs, kRestFactor * look_took_ms_);
    look_took_ms_ = 0;
    return false;
  }
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(partition));
  if (!store) return std::unexpected(store.error());
  const auto heads = (*store)->Heads(partition, looked_at_.owner, kHeadsMax);
  if (!heads) return std::unexpected(heads.error());
  for (const InboxHead& head : *heads) {
    if (Status looked = LookAt(head); !looked) return Forward(looked);
  }
  looked_at_ = heads->size() < kHeadsMax ? InboxOwner{Partition(partition.value + 1), UserId(0)}
                                         : heads->back().of;
  return true;
}

Status InboxMaker::LookAt(const InboxHead& head) {
  const std::int64_t today = ports_.clock.NowMs() / kDayMs;
  const std::int64_t first_day = today - limits_.active_days + 1;
  if (head.active_day < first_day) {
    const Result<InboxStore*> store =
        shards_.StoreOf(shards_.placement().ShardOf(head.of.partition));
    if (!store) return std::unexpected(store.error());
    return (*store)->Remove(head.of, first_day);
  }
  if (!head.made || head.stand != shards_.Stand()) Enqueue(head.of);
  return {};
}

void InboxMaker::Enqueue(const InboxOwner& of) {
  if (making_.contains(of) || !queued_.insert(of).second) return;
  queue_.push_back(of);
}

Status InboxMaker::Examine(const InboxOwner& of) {
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(of.partition));
  if (!store) return std::unexpected(store.error());
  const auto view = (*store)->Read({of, shards_.inboxes(), shards_.read()[Direction::kFollowing]});
  if (!view) return std::unexpected(view.error());
  if (!*view) return {};
  const InboxHead& head = (*view)->head;
  Result<bool> is_worn = IsWorn(**view);
  if (!is_worn) return Forward(is_worn);
  const bool is_fine = head.made && head.stand == shards_.Stand() && !*is_worn;
  if (!is_fine) making_[of] = {shards_.Stand(), {}, {}};
  return {};
}

Result<bool> InboxMaker::IsWorn(const InboxView& view) {
  const bool has_lost =
      view.head.floor != kInboxWhole && view.inbox.all.posted.size() < limits_.length / kLeftFactor;
  if (view.is_damaged || has_lost || view.changed.size() > kChangedMax) return true;
  if (view.changed.empty()) return false;
  const InboxOwner& of = view.head.of;
  const Result<ProjectionReader*> reader =
      shards_.ReaderOf(shards_.placement().ShardOf(of.partition));
  if (!reader) return std::unexpected(reader.error());
  const auto counts = (*reader)->Counts(shards_.read(), {&of.owner, 1});
  if (!counts) return std::unexpected(counts.error());
  return std::cmp_greater(kChangedFactor * view.changed.size(), counts->front().following);
}

// ---- how one is made ----

Result<bool> InboxMaker::Go(const InboxOwner& of, Making& making) {
  if (making.stand != shards_.Stand()) return true;
  if (!making.follows_at) {
    const Result<Offset> stands = FollowingOf(of);
    if (!stands) return std::unexpected(stands.error());
    making.follows_at = *stands;
  }
  if (!making.delivered) {
    const Result<bool> have = FansHave(of.partition, *making.follows_at);
    if (!have || !*have) return have;
    const Result<bool> ends = ReadAndJoin(of, making);
    if (!ends || *ends) return ends;
  }
  const Result<bool> delivered = AreDelivered(of, *making.delivered);
  if (!delivered || !*delivered) return delivered;
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(of.partition));
  if (!store) return std::unexpected(store.error());
  const Result<bool> finished = (*store)->Finish(of, id_);
  if (!finished) return finished;
  made_ += *finished ? 1 : 0;
  return true;
}

Result<const std::vector<LaneStatus>*> InboxMaker::LanesOf(Shard shard) {
  const auto known = lanes_.find(shard);
  if (known != lanes_.end()) return &known->second;
  const Result<ProjectionReader*> reader = shards_.ReaderOf(shard);
  if (!reader) return std::unexpected(reader.error());
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  return &(lanes_[shard] = *std::move(lanes));
}

// Rows hold all events below what was ever folded, whether or not the lane folds some again.
Result<Offset> InboxMaker::FollowingOf(const InboxOwner& of) {
  const auto lanes = LanesOf(shards_.placement().ShardOf(of.partition));
  if (!lanes) return std::unexpected(lanes.error());
  const LaneId lane{ProjectionOf(Direction::kFollowing), shards_.read()[Direction::kFollowing],
                    of.partition};
  const auto at = std::ranges::find(**lanes, lane, &LaneStatus::lane);
  return at == (*lanes)->end() ? Offset(0) : at->folded_offset;
}

// Of every generation that may be read while the inbox is there: which one deliverers read may be
// known to them for a while longer than to us.
Result<bool> InboxMaker::FansHave(Partition partition, Offset follows_at) {
  if (follows_at == Offset(0)) return true;
  for (std::int32_t s = 0; s < shards_.placement().shards(); ++s) {
    const auto lanes = LanesOf(Shard(s));
    if (!lanes) return std::unexpected(lanes.error());
    bool is_there = false;
    for (const LaneStatus& status : **lanes) {
      const bool is_fans = status.lane.projection == ProjectionOf(Direction::kFans) &&
                           status.lane.partition == partition && !status.loading;
      if (!is_fans) continue;
      is_there = true;
      if (status.folded_offset < follows_at) return false;
    }
    if (!is_there) return false;
  }
  return true;
}

Result<bool> InboxMaker::ReadAndJoin(const InboxOwner& of, Making& making) {
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(of.partition));
  if (!store) return std::unexpected(store.error());
  // By other edges than those that count now may have been delivered what is deleted since.
  if (Status renewed = (*store)->Renew(of, making.stand, id_); !renewed) return Forward(renewed);
  InboxReading reading(shards_);
  Result<std::vector<UserId>> authors = reading.Followed(of.owner);
  if (!authors) return Forward(authors);
  if (authors->empty() || authors->size() > kFollowedMax) {
    if (authors->empty()) awake_.erase(of.owner);  // the owner may follow somebody soon
    Status removed = (*store)->Remove(of, InboxStore::kWhenever);
    if (!removed) return Forward(removed);
    return true;
  }
  Result<std::vector<UserId>> pulled = reading.PulledAmong(*authors);
  if (!pulled) return Forward(pulled);
  std::erase_if(*authors,
                [&](UserId author) { return std::ranges::binary_search(*pulled, author); });
  NewestPosts newest(*authors, limits_.length);
  Result<std::map<Partition, Offset>> read = reading.Posts(newest);
  if (!read) return Forward(read);
  InboxMade made;
  made.head = {.of = of, .follows_at = *making.follows_at, .maker = id_};
  made.head.floor = newest.floor();
  made.part.pulled = *std::move(pulled);
  std::ranges::copy_if(newest.posts(), std::back_inserter(made.part.posted),
                       [&](const InboxEntry& entry) { return entry >= made.head.floor; });
  const Result<bool> joined = (*store)->Join(made);
  if (!joined) return joined;
  making.delivered = *std::move(read);
  return !*joined;
}

Result<bool> InboxMaker::AreDelivered(const InboxOwner& of,
                                      const std::map<Partition, Offset>& events) {
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(of.partition));
  if (!store) return std::unexpected(store.error());
  const auto stood = (*store)->Stood(shards_.inboxes(), streams::kPosts);
  if (!stood) return std::unexpected(stood.error());
  return std::ranges::all_of(events, [&](const auto& event) {
    const auto at = stood->find(event.first);
    return at != stood->end() && at->second.next_event >= event.second;
  });
}

}  // namespace fanfold::projector
