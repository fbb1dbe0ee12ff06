#include "reader/profiles/profile_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fanfold::reader {
namespace {

std::size_t BytesOf(const HeldProfile& profile) {
  return ProfileCache::kUserBytes + profile.json.capacity();
}

// Nothing where the rows are those of no one position.
std::optional<Offset> PositionIn(const ProfileView& view, Partition partition) {
  const auto lane = std::ranges::lower_bound(view.lanes, partition, {}, &ProfileLane::partition);
  if (lane == view.lanes.end() || lane->partition != partition) return Offset(0);
  return lane->rewound ? std::nullopt : std::optional(lane->position);
}

// Is all in what is read here? Where the reader does not stand, that is the tables, which have it.
bool IsReadable(const ErasureProgress& progress, const ReaderPositions& readers) {
  if (progress.stage != EraseStage::kDone) return false;
  for (const Stream stream : kErasedStreams) {
    const std::vector<Offset>& ends = progress.appended[stream];
    for (std::size_t p = 0; readers[stream] != nullptr && p < ends.size(); ++p) {
      const auto next = readers[stream]->Next(Partition(static_cast<std::int32_t>(p)));
      if (next && *next < ends[p]) return false;
    }
  }
  return true;
}

bool MovesTo(const HeldProfile& said, const HeldProfile& before) {
  return before.version == Version(0) || Moves(before.account, said.account);
}

// The user's last deletion that the tables know, and how far all the user's deletions have come.
// Deletions behind the rows are not told: erasures are of no generation; another may be further.
std::pair<Version, Erase> DeletionsIn(const ProfileView& view, UserId user,
                                      std::optional<Offset> rows_at,
                                      const ReaderPositions& readers) {
  std::pair<Version, Erase> said{Version(0), Erase::kNone};
  for (const Erasure& erasure : view.erasures) {
    if (erasure.key.user != user) continue;
    if (rows_at && erasure.key.version.value > rows_at->value) continue;
    // Who knows of the restore knows of the deletion below it.
    said.first = std::max(said.first, erasure.key.version);
    if (said.second == Erase::kRunning) continue;
    if (erasure.progress.stage == EraseStage::kRestored) {
      said.second = Erase::kNone;
      continue;
    }
    said.second = IsReadable(erasure.progress, readers) ? Erase::kDone : Erase::kRunning;
  }
  return said;
}

}  // namespace

ProfileCache::ProfileCache(std::int32_t shards, std::size_t bytes_max,
                           const ReaderPositions& readers, Metrics& metrics)
    : bytes_max_(bytes_max),
      readers_(readers),
      shards_(static_cast<std::size_t>(shards)),
      hits_(metrics.GetCounter("fanfold_reader_profiles_hits_total", "Profiles found in memory")),
      misses_(metrics.GetCounter("fanfold_reader_profiles_misses_total",
                                 "Profiles that were not found in memory")),
      evictions_(metrics.GetCounter("fanfold_reader_profiles_evictions_total",
                                    "Profiles that left memory for want of room")),
      bytes_shown_(metrics.GetGauge("fanfold_reader_profiles_bytes", "Bytes of profiles held")),
      users_shown_(
          metrics.GetGauge("fanfold_reader_profiles_users", "Users whose profile is held")) {}

void ProfileCache::Start(const Placement& placement, const std::vector<Offset>& next) {
  const std::scoped_lock lock(mutex_);
  const StretchEnds ends(*this);
  placement_ = placement;
  StandAt(next);
  DropAll();
}

void ProfileCache::Stop() {
  const std::scoped_lock lock(mutex_);
  const StretchEnds ends(*this);
  DropAll();
  GiveUp();
}

void ProfileCache::Advance(std::vector<ToldProfile> told, std::span<const Position> next) {
  const std::scoped_lock lock(mutex_);
  for (auto& [user, profile] : told) Take(user, std::move(profile));
  // Whoever sees the reader's position there finds the profiles there too.
  for (const auto& [partition, offset] : next) Move(partition, offset);
  MakeRoom();
}

void ProfileCache::Take(UserId user, HeldProfile profile) {
  const bool ends = profile.account == AccountPhase::kEnded;
  const auto held = users_.find(user);
  if (held == users_.end()) return Put(user, std::move(profile), ends);
  const HeldProfile& before = held->second.profile;
  if (before.version >= profile.version) return;
  const bool was_sure = held->second.is_sure;
  if (was_sure && !Moves(before.account, profile.account)) return;
  if (!was_sure && !Overrules(profile.account, before.account)) {
    // What the two leave depends on what the tables had before both.
    const Version seen = profile.version;
    Forget(held);
    Offset& floor = FloorOf(placement_->PartitionOf(user));
    floor = std::max(floor, Offset(seen.value));
    return;
  }
  if (!profile.deleted) {
    const bool is_anew = profile.account == AccountPhase::kRestored;
    profile.last_deletion = before.last_deletion;
    profile.erase = is_anew && before.erase == Erase::kDone ? Erase::kNone : before.erase;
  }
  Put(user, std::move(profile), was_sure || ends);
}

void ProfileCache::SetRead(const ReadGenerations& read) {
  const std::scoped_lock lock(mutex_);
  if (read[projections::kProfiles] == read_) return;
  read_ = read[projections::kProfiles];
  DropAll();
}

void ProfileCache::DropShard(Shard shard) {
  const std::scoped_lock lock(mutex_);
  DropWithLock(shard);
}

void ProfileCache::Restored(Shard shard) {
  const std::scoped_lock lock(mutex_);
  DropWithLock(shard);
  StateOf(shard).repair_mark = 0;
}

void ProfileCache::Repaired(Shard shard, const RepairRow& repair) {
  const std::scoped_lock lock(mutex_);
  StateOf(shard).repair_mark = std::max(StateOf(shard).repair_mark, repair.mark);
  if (repair.projection != projections::kProfiles) return;
  if (const auto held = users_.find(repair.user); held != users_.end()) Forget(held);
  Show();
}

void ProfileCache::DropWithLock(Shard shard) {
  ++StateOf(shard).drops;
  for (auto at = users_.begin(); at != users_.end();) {
    const auto held = at++;
    if (placement_->ShardOf(held->first) == shard) Forget(held);
  }
  Show();
}

void ProfileCache::DropAll() {
  for (ShardState& shard : shards_) ++shard.drops;
  users_.clear();
  by_use_.clear();
  bytes_ = 0;
  floors_.clear();
  for (std::int32_t p = 0; placement_ && p < placement_->partitions(); ++p) {
    floors_.push_back(Next(Partition(p)).value_or(Offset(0)));
  }
  Show();
}

void ProfileCache::Forget(Users::iterator held) {
  const HeldProfile& profile = held->second.profile;
  const Partition partition = placement_->PartitionOf(held->first);
  // Where the profile is ahead of the reader, the reader has seen no event of that part.
  const Offset seen = std::min(Offset(profile.version.value), Next(partition).value_or(Offset(0)));
  Offset& floor = FloorOf(partition);
  floor = std::max(floor, seen);
  bytes_ -= BytesOf(profile);
  by_use_.erase(held->second.place);
  users_.erase(held);
}

void ProfileCache::Put(UserId user, HeldProfile profile, bool is_sure) {
  const auto [held, is_new] = users_.try_emplace(user);
  if (is_new) {
    held->second.place = by_use_.insert(by_use_.end(), user);
  } else {
    bytes_ -= BytesOf(held->second.profile);
    by_use_.splice(by_use_.end(), by_use_, held->second.place);
  }
  held->second.profile = std::move(profile);
  held->second.is_sure = is_sure;
  bytes_ += BytesOf(held->second.profile);
}

void ProfileCache::MakeRoom() {
  while (bytes_ > bytes_max_) {
    Forget(users_.find(by_use_.front()));
    evictions_.Add(1);
  }
  Show();
}

void ProfileCache::Show() {
  bytes_shown_.Set(static_cast<double>(bytes_));
  users_shown_.Set(static_cast<double>(users_.size()));
}

std::vector<std::optional<HeldProfile>> ProfileCache::Find(Generation generation,
                                                           std::span<const UserId> users,
                                                           Tells asked) {
  std::vector<std::optional<HeldProfile>> found(users.size());
  const std::scoped_lock lock(mutex_);
  if (!running() || generation != read_) return found;
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto held = users_.find(users[i]);
    if (held == users_.end() || !held->second.is_sure) continue;
    if (asked == Tells::kAccount && held->second.profile.erase == Erase::kUnknown) continue;
    by_use_.splice(by_use_.end(), by_use_, held->second.place);
    found[i] = held->second.profile;
    ++hits;
  }
  hits_.Add(static_cast<double>(hits));
  return found;
}

ProfileCache::Ticket ProfileCache::NewTicket(Shard shard, Generation generation) const {
  const std::scoped_lock lock(mutex_);
  return {shard, generation, shards_.at(static_cast<std::size_t>(shard.value)).drops};
}

bool ProfileCache::IsStale(const Ticket& ticket, const ProfileView& view) const {
  const ShardState& shard = shards_.at(static_cast<std::size_t>(ticket.shard.value));
  return ticket.generation != read_ || ticket.drops != shard.drops ||
         view.repair_mark < shard.repair_mark;
}

ProfileCache::Brought ProfileCache::Install(const Ticket& ticket, std::span<const UserId> users,
                                            const ProfileView& view, Tells asked) {
  Brought brought;
  std::ranges::transform(view.rows, std::back_inserter(brought.rows), &HeldProfile::Of);
  const std::scoped_lock lock(mutex_);
  misses_.Add(static_cast<double>(users.size()));
  const bool may_hold = running() && !IsStale(ticket, view);
  for (std::size_t i = 0; i < users.size(); ++i) {
    HeldProfile& told = brought.rows[i];
    const std::optional<Partition> partition =
        placement_ ? std::optional(placement_->PartitionOf(users[i])) : std::nullopt;
    const std::optional<Offset> rows_at = partition ? PositionIn(view, *partition) : std::nullopt;
    // Has the reader seen all events of the user that the rows lack?
    const bool is_above = may_hold && rows_at && *rows_at >= FloorOf(*partition);
    const auto held = users_.find(users[i]);
    const bool is_newer =
        may_hold && held != users_.end() && held->second.profile.version >= told.version;
    const bool is_held = is_newer && held->second.is_sure;
    if (is_held || (is_newer && is_above && MovesTo(held->second.profile, told))) {
      told = held->second.profile;
    }
    const auto [deletion, erase] = DeletionsIn(view, users[i], rows_at, readers_);
    // How far another generation's lists have come, the reader's position does not say.
    const bool is_known = ticket.generation == read_ || erase != Erase::kDone;
    told.erase = told.last_deletion > deletion || !is_known ? Erase::kRunning : erase;
    const bool is_anew = told.account == AccountPhase::kRestored && told.erase == Erase::kDone;
    if (is_anew) told.erase = Erase::kNone;
    told.last_deletion = std::max(told.last_deletion, deletion);
    if (is_above) Hold(users[i], told);
    const bool is_brought = is_above || (is_held && asked == Tells::kProfile);
    brought.as_tables_are = brought.as_tables_are || !is_brought;
  }
  MakeRoom();
  return brought;
}

void ProfileCache::Hold(UserId user, HeldProfile profile) {
  if (profile.erase == Erase::kRunning) profile.erase = Erase::kUnknown;
  Put(user, std::move(profile), true);
}

}  // namespace fanfold::reader
