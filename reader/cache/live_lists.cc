#include "reader/cache/live_lists.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "reader/cache/list_rows.h"

namespace fanfold::reader {
namespace {

// Where a view stands in a partition for this list; nothing where the list has no rows from there.
std::optional<Offset> PositionIn(const LiveLists::Source& source, Partition partition,
                                 const Placement& placement) {
  if (source.list == Direction::kFollowing) {
    const bool own = placement.PartitionOf(source.user) == partition;
    return own ? std::optional(source.position->following) : std::nullopt;
  }
  const auto p = static_cast<std::size_t>(partition.value);
  return p < source.position->fans.size() ? source.position->fans[p] : Offset(0);
}

bool IsRewound(const LiveLists::Source& source) {
  return source.list == Direction::kFollowing ? source.position->following_rewound
                                              : source.position->fans_rewound;
}

}  // namespace

LiveLists::LiveLists(std::int32_t shards, const CacheLimits& limits, Metrics& metrics)
    : shards_(static_cast<std::size_t>(shards)),
      recent_moves_bytes_(limits.recent_moves_bytes),
      cache_(limits.lists_bytes, metrics),
      recent_moves_shown_(metrics.GetGauge(
          "fanfold_reader_window_bytes", "Bytes of recent outcomes, kept to bring views forward")) {
}

void LiveLists::Start(const Placement& placement, const std::vector<Offset>& next) {
  const std::scoped_lock lock(mutex_);
  const StretchEnds ends(*this);
  DropAll();
  placement_ = placement;
  recent_moves_.emplace(placement.partitions(), recent_moves_bytes_);
  recent_moves_->StartAt(next);
  stood_.clear();
  StandAt(next);
  moved_.notify_all();
}

void LiveLists::Stop() {
  const std::scoped_lock lock(mutex_);
  const StretchEnds ends(*this);
  GiveUp();
  DropAll();
  moved_.notify_all();
}

void LiveLists::Advance(std::span<const Outcome> outcomes) {
  ++advancing_;
  const std::scoped_lock lock(mutex_);
  --advancing_;
  for (const Outcome& outcome : outcomes) {
    const std::optional<EdgeMove> move = EdgeMove::Of(outcome);
    recent_moves_->Push(outcome.position, move);
    if (move) cache_.Move(*move);
  }
  // Whoever sees the reader's position there finds the lists there too.
  for (const Outcome& outcome : outcomes) {
    Move(outcome.position.partition, recent_moves_->next(outcome.position.partition));
  }
  recent_moves_shown_.Set(static_cast<double>(recent_moves_->bytes()));
  moved_.notify_all();
}

void LiveLists::Trim(Partition partition, Offset below) {
  const std::scoped_lock lock(mutex_);
  if (!recent_moves_) return;
  recent_moves_->Trim(partition, below);
  recent_moves_shown_.Set(static_cast<double>(recent_moves_->bytes()));
}

void LiveLists::SetRead(const ReadGenerations& read) {
  const std::scoped_lock lock(mutex_);
  const ListGenerations of_lists = ListGenerations::Of(read);
  if (of_lists == read_.load()) return;
  read_ = of_lists;
  DropAll();
}

void LiveLists::DropShard(Shard shard) {
  const std::scoped_lock lock(mutex_);
  DropWithLock(shard);
}

void LiveLists::Restored(Shard shard) {
  const std::scoped_lock lock(mutex_);
  DropWithLock(shard);
  StateOf(shard).repair_mark = 0;
}

void LiveLists::DropWithLock(Shard shard) {
  ++StateOf(shard).drops;
  if (!placement_) return;
  cache_.DropIf([&](UserId user) { return placement_->ShardOf(user) == shard; });
}

void LiveLists::DropAll() {
  for (ShardState& shard : shards_) ++shard.drops;
  cache_.DropIf([](UserId) { return true; });
}

void LiveLists::Repaired(Shard shard, const RepairRow& repair) {
  const std::scoped_lock lock(mutex_);
  StateOf(shard).repair_mark = std::max(StateOf(shard).repair_mark, repair.mark);
  if (HoldsLists(repair.projection)) cache_.Drop(ListsOf(repair.projection), repair.user);
}

bool LiveLists::Holds(const ReadGenerations& read) const noexcept {
  return running() && ListGenerations::Of(read) == read_.load(std::memory_order_acquire);
}

LiveLists::Ticket LiveLists::NewTicket(Shard shard, const ReadGenerations& read) const {
  const std::scoped_lock lock(mutex_);
  return {shards_.at(static_cast<std::size_t>(shard.value)).drops, read};
}

template <class Visit>
void LiveLists::ForEachAhead(const Source& source, const Visit& visit) const {
  for (std::int32_t p = 0; p < placement_->partitions(); ++p) {
    const std::optional<Offset> at = PositionIn(source, Partition(p), *placement_);
    if (at && *at > recent_moves_->next(Partition(p))) visit(Partition(p));
  }
}

bool LiveLists::StandsBefore(const Source& source) const {
  bool stands = false;
  ForEachAhead(source, [&](Partition partition) {
    const auto stood = stood_.find(partition);
    stands = stands || (stood != stood_.end() && stood->second == recent_moves_->next(partition));
  });
  return stands;
}

ViewState LiveLists::StateOf(const Source& source) const {
  if (!running()) return ViewState::kBelowFloor;
  const auto shard = static_cast<std::size_t>(placement_->ShardOf(source.user).value);
  const ShardState& tables = shards_[shard];
  const bool stale = source.ticket.drops != tables.drops ||
                     ListGenerations::Of(source.ticket.read) != read_.load() ||
                     source.position->repair_mark < tables.repair_mark;
  if (stale) return ViewState::kStale;
  if (IsRewound(source)) return ViewState::kRewound;
  bool ahead = false;
  for (std::int32_t p = 0; p < placement_->partitions(); ++p) {
    const Partition partition(p);
    const std::optional<Offset> at = PositionIn(source, partition, *placement_);
    if (!at) continue;
    if (*at < recent_moves_->floor(partition)) return ViewState::kBelowFloor;
    ahead = ahead || *at > recent_moves_->next(partition);
  }
  return ahead ? ViewState::kAhead : ViewState::kAtReader;
}

// Whoever leaves a mutex takes it again before those wake up who wait for it.
void LiveLists::GiveWay(std::unique_lock<std::mutex>& lock) const {
  lock.unlock();
  std::this_thread::yield();
  lock.lock();
  moved_.wait_for(lock, std::chrono::milliseconds(kGiveWayMs), [this] { return advancing_ == 0; });
}

LiveLists::Lacking LiveLists::MovesLacking(const Source& source, const Shows& shows,
                                           Mark from) const {
  std::unique_lock lock(mutex_);
  Lacking lacking{StateOf(source), {}, 0};
  if (IsAsTablesAre(lacking.state)) return lacking;
  lacking.until = recent_moves_->end();
  const auto wanted = [&](const EdgeMove& move) {
    const auto at = PositionIn(source, move.position.partition, *placement_);
    return at && move.position.offset >= *at && shows({OtherIn(source.list, move), move.since_ms});
  };
  RecentMoves::WayBack way = recent_moves_->Back(source.list, source.user);
  while (recent_moves_->GoBack(way, from, kMovesALook, wanted, lacking.moves)) {
    GiveWay(lock);
    // The recent moves may be others, or have lost what is lacking.
    const ViewState now = StateOf(source);
    if (IsAsTablesAre(now)) return {now, {}, 0};
  }
  std::ranges::reverse(lacking.moves);
  return lacking;
}

std::pair<ViewState, std::vector<EdgeMove>> LiveLists::Missing(const Source& source,
                                                               const Shows& shows) const {
  Lacking lacking = MovesLacking(source, shows, 0);
  return {lacking.state, std::move(lacking.moves)};
}

ViewState LiveLists::Install(const Source& source, const ListRows& rows) {
  std::vector<EdgeMove> moves;
  Mark until = 0;
  for (int tries = 0; tries < kBringTriesMax; ++tries) {
    const Lacking more = MovesLacking(source, [](const ListedUser&) { return true; }, until);
    if (more.state != ViewState::kAtReader) return more.state;
    std::ranges::copy(more.moves, std::back_inserter(moves));
    until = more.until;
    auto list = std::make_unique<HeldList>(rows);
    BringList(list, rows, source.list, moves);
    const std::scoped_lock lock(mutex_);
    const ViewState state = StateOf(source);
    if (state != ViewState::kAtReader) return state;
    const auto last = recent_moves_->MovesSince(source.list, source.user, until, kMovesOneByOneMax);
    if (!last) continue;
    for (const EdgeMove& move : *last) list->Move(source.list, move);
    const bool held = cache_.Install(source.list, source.user, std::move(list));
    return held ? ViewState::kAtReader : ViewState::kTooLarge;
  }
  return ViewState::kTooLarge;
}

LiveLists::Mark LiveLists::Latest() const {
  const std::scoped_lock lock(mutex_);
  return recent_moves_ ? recent_moves_->end() : 0;
}

bool LiveLists::WaitForReader(const Source& source, std::int64_t timeout_ms) const {
  std::unique_lock lock(mutex_);
  const auto came = [&] { return StateOf(source) != ViewState::kAhead; };
  if (came()) return true;
  if (StandsBefore(source)) return false;
  if (moved_.wait_for(lock, std::chrono::milliseconds(timeout_ms), came)) return true;
  if (timeout_ms >= kStoodMs) {
    ForEachAhead(source, [&](Partition partition) {
      stood_.insert_or_assign(partition, recent_moves_->next(partition));
    });
  }
  return false;
}

}  // namespace fanfold::reader
