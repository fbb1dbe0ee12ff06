#include "reader/feed/live_posts.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace fanfold::reader {

LivePosts::LivePosts(Projection projection, std::int32_t shards, const PostLimits& limits,
                     Metrics& metrics)
    : projection_(projection),
      recent_bytes_(limits.recent_bytes),
      table_(limits.posts_bytes),
      repair_marks_(static_cast<std::size_t>(shards)),
      evictions_(metrics.GetCounter("fanfold_reader_posts_evictions_total",
                                    "Authors whose posts left memory for want of room")),
      bytes_shown_(metrics.GetGauge("fanfold_reader_posts_bytes", "Bytes of posts held")),
      authors_shown_(
          metrics.GetGauge("fanfold_reader_posts_authors", "Authors whose posts are held")),
      recent_shown_(metrics.GetGauge("fanfold_reader_posts_window_bytes",
                                     "Bytes of recent outcomes of posts, kept to bring what is "
                                     "fetched forward")),
      inboxes_shown_(metrics.GetCounter("fanfold_reader_inboxes_total",
                                        "Feeds that were answered with an inbox")) {}

void LivePosts::Start(const Placement& placement, const std::vector<Offset>& next) {
  {
    const auto lock = LockToWrite();
    const StretchEnds ends(*this);
    DropAll();
    placement_ = placement;
    // Whatever was numbered before is gone: an answer under way sees it by the drops.
    recent_.emplace(placement.partitions(), recent_bytes_);
    recent_->StartAt(next);
    StandAt(next);
    const std::scoped_lock waiting(wait_mutex_);
    stood_.clear();
  }
  TellMoved();
}

void LivePosts::Stop() {
  {
    const auto lock = LockToWrite();
    const StretchEnds ends(*this);
    GiveUp();
    DropAll();
  }
  TellMoved();
}

void LivePosts::Advance(std::span<const ToldPost> told) {
  while (!told.empty()) {
    const auto step = told.first(std::min(told.size(), kMovesAStep));
    told = told.subspan(step.size());
    const auto lock = LockToWrite();
    for (const auto& [position, move] : step) {
      recent_->Push(position, move);
      if (move) table_.Move(*move);
    }
    // Whoever sees the reader's position there finds the posts there too.
    for (const ToldPost& one : step) {
      Move(one.position.partition, recent_->next(one.position.partition));
    }
    Show();
  }
  TellMoved();
}

void LivePosts::Trim(Partition partition, Offset below) {
  const auto lock = LockToWrite();
  if (recent_) recent_->Trim(partition, below);
  Show();
}

void LivePosts::SetRead(const ReadGenerations& read) {
  const auto lock = LockToWrite();
  if (read[projection_] == read_) return;
  read_ = read[projection_];
  DropAll();
}

void LivePosts::DropShard(Shard shard) {
  const auto lock = LockToWrite();
  DropWithLock(shard);
}

void LivePosts::Restored(Shard shard) {
  const auto lock = LockToWrite();
  DropWithLock(shard);
  repair_marks_.at(static_cast<std::size_t>(shard.value)) = 0;
}

void LivePosts::Repaired(Shard shard, const RepairRow& repair) {
  const auto lock = LockToWrite();
  std::uint64_t& mark = repair_marks_.at(static_cast<std::size_t>(shard.value));
  mark = std::max(mark, repair.mark);
  if (repair.projection != projection_) return;
  ++drops_;
  table_.Drop(repair.user);
  Show();
}

void LivePosts::DropWithLock(Shard shard) {
  ++drops_;
  if (placement_) table_.DropIf([&](UserId user) { return placement_->ShardOf(user) == shard; });
  Show();
}

void LivePosts::DropAll() {
  ++drops_;
  table_.DropIf([](UserId) { return true; });
  Show();
}

void LivePosts::Show() {
  evictions_.Add(static_cast<double>(table_.evictions() - evictions_told_));
  evictions_told_ = table_.evictions();
  bytes_shown_.Set(static_cast<double>(table_.bytes()));
  authors_shown_.Set(static_cast<double>(table_.authors()));
  recent_shown_.Set(recent_ ? static_cast<double>(recent_->bytes()) : 0);
}

LivePosts::Ticket LivePosts::NewTicket(Generation generation) const {
  const auto lock = LockToRead();
  return {generation, drops_};
}

void LivePosts::Bring(FilledPosts& filled) const {
  const bool is_lost = filled.drops_ != drops_ || filled.until_ < recent_->begin();
  if (is_lost) filled.gaps_.Clear();
  if (!is_lost && filled.until_ != recent_->end()) {
    for (const UserId author : filled.gaps_.Authors()) {
      const auto moves = recent_->SinceNumber(author, filled.until_, kMovesMax);
      if (!moves) {
        filled.gaps_.Clear();
        break;
      }
      for (const PostMove& move : *moves) filled.gaps_.Move(move);
    }
  }
  filled.drops_ = drops_;
  filled.until_ = recent_->end();
}

ViewState LivePosts::StateOf(const Ticket& ticket, std::optional<Shard> shard,
                             const PostLanes& view, std::span<const FetchedRun> fetched) const {
  if (!running()) return ViewState::kBelowFloor;
  const bool is_unmended =
      shard && view.repair_mark < repair_marks_.at(static_cast<std::size_t>(shard->value));
  const bool is_stale = ticket.generation != read_ || ticket.drops != drops_ || is_unmended;
  if (is_stale) return ViewState::kStale;
  bool is_ahead = false;
  for (const FetchedRun& one : fetched) {
    const PostLanes::Lane lane = view.LaneOf(placement_->PartitionOf(one.author));
    if (lane.rewound) return ViewState::kRewound;
    if (lane.position < recent_->floor(lane.partition)) return ViewState::kBelowFloor;
    is_ahead = is_ahead || lane.position > recent_->next(lane.partition);
  }
  return is_ahead ? ViewState::kAhead : ViewState::kAtReader;
}

ViewState LivePosts::Install(const Ticket& ticket, Shard shard, const PostLanes& view,
                             std::span<const FetchedRun> fetched, FilledPosts& filled) {
  return InSteps(ticket, shard, view, fetched, filled);
}

ViewState LivePosts::Fill(const Ticket& ticket, const PostLanes& view,
                          std::span<const FetchedRun> fetched, FilledPosts& filled) {
  const ViewState state = InSteps(ticket, std::nullopt, view, fetched, filled);
  if (state == ViewState::kAtReader) inboxes_shown_.Add(1);
  return state;
}

ViewState LivePosts::InSteps(const Ticket& ticket, std::optional<Shard> shard,
                             const PostLanes& view, std::span<const FetchedRun> fetched,
                             FilledPosts& filled) {
  while (!fetched.empty()) {
    const auto lock = LockToWrite();
    const auto step = fetched.first(std::min(fetched.size(), kRunsAStep));
    fetched = fetched.subspan(step.size());
    const ViewState installed = InstallStep(ticket, shard, view, step, filled);
    Show();
    if (installed != ViewState::kAtReader) return installed;
  }
  return ViewState::kAtReader;
}

ViewState LivePosts::InstallStep(const Ticket& ticket, std::optional<Shard> shard,
                                 const PostLanes& view, std::span<const FetchedRun> fetched,
                                 FilledPosts& filled) {
  if (const ViewState state = StateOf(ticket, shard, view, fetched);
      state != ViewState::kAtReader) {
    return state;
  }
  Bring(filled);
  for (const auto& [author, fetched_run] : fetched) {
    const PostLanes::Lane lane = view.LaneOf(placement_->PartitionOf(author));
    const auto moves = recent_->Since(author, lane.position, kMovesMax);
    if (!moves) return ViewState::kBelowFloor;
    PostRun run = fetched_run.Clone();
    for (const PostMove& move : *moves) run.Move(move);
    if (shard) table_.Install(author, run.Clone());
    filled.gaps_.Fill(author, std::move(run));
  }
  return ViewState::kAtReader;
}

std::vector<Position> LivePosts::Ahead(const PostLanes& view,
                                       std::span<const UserId> authors) const {
  const auto lock = LockToRead();
  std::vector<Position> ahead;
  for (const UserId author : authors) {
    if (!running()) return {};
    const PostLanes::Lane lane = view.LaneOf(placement_->PartitionOf(author));
    if (lane.position > recent_->next(lane.partition)) {
      ahead.push_back({lane.partition, lane.position});
    }
  }
  return ahead;
}

bool LivePosts::WaitForReader(const PostLanes& view, std::span<const UserId> authors,
                              std::int64_t timeout_ms) const {
  const std::vector<Position> ahead = Ahead(view, authors);
  const auto is_behind = [this](const Position& position) {
    const std::optional<Offset> next = Next(position.partition);
    return next && *next < position.offset;
  };
  const auto stands = [&](const Position& position) {
    const auto stood = stood_.find(position.partition);
    return stood != stood_.end() && stood->second == Next(position.partition);
  };
  std::unique_lock lock(wait_mutex_);
  const auto came = [&] { return std::ranges::none_of(ahead, is_behind); };
  if (came()) return true;
  if (std::ranges::any_of(ahead, stands)) return false;
  if (moved_.wait_for(lock, std::chrono::milliseconds(timeout_ms), came)) return true;
  if (timeout_ms < kStoodMs) return false;
  for (const Position& position : ahead) {
    const std::optional<Offset> next = Next(position.partition);
    if (next && is_behind(position)) stood_.insert_or_assign(position.partition, *next);
  }
  return false;
}

// Whoever looks at the reader's position and then waits has the mutex in between.
void LivePosts::TellMoved() const {
  {
    const std::scoped_lock lock(wait_mutex_);
  }
  moved_.notify_all();
}

}  // namespace fanfold::reader
