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

}  // namespace

HeldProfile HeldProfile::Of(const ProfileRow& row) {
  HeldProfile held{.deleted = row.deleted, .version = row.version};
  if (!row.profile) return held;
  held.json.clear();
  AppendProfile(held.json, *row.profile);
  held.json.shrink_to_fit();
  return held;
}

ProfileCache::ProfileCache(std::int32_t shards, std::size_t bytes_max, Metrics& metrics)
    : bytes_max_(bytes_max),
      shards_(static_cast<std::size_t>(shards)),
      hits_(metrics.GetCounter("fanfold_reader_profiles_hits_total", "Profiles found in memory")),
      misses_(metrics.GetCounter("fanfold_reader_profiles_misses_total",
                                 "Profiles that were not found in memory")),
      evictions_(metrics.GetCounter("fanfold_reader_profiles_evictions_total",
                                    "Profiles that left memory for want of room")),
      bytes_shown_(metrics.GetGauge("fanfold_reader_profiles_bytes", "Bytes of profiles held")),
      users_shown_(metrics.GetGauge("fanfold_reader_profiles_users", "Users whose is held")) {}

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
  for (auto& [user, profile] : told) {
    const auto held = users_.find(user);
    if (held != users_.end() && held->second.profile.version >= profile.version) continue;
    Put(user, std::move(profile));
  }
  // Whoever sees the reader's position there finds the profiles there too.
  for (const auto& [partition, offset] : next) Move(partition, offset);
  MakeRoom();
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
  Offset& floor = FloorOf(placement_->PartitionOf(held->first));
  floor = std::max(floor, Offset(profile.version.value));
  bytes_ -= BytesOf(profile);
  by_use_.erase(held->second.place);
  users_.erase(held);
}

const HeldProfile& ProfileCache::Put(UserId user, HeldProfile profile) {
  const auto [held, is_new] = users_.try_emplace(user);
  if (is_new) {
    held->second.place = by_use_.insert(by_use_.end(), user);
  } else {
    bytes_ -= BytesOf(held->second.profile);
    by_use_.splice(by_use_.end(), by_use_, held->second.place);
  }
  held->second.profile = std::move(profile);
  bytes_ += BytesOf(held->second.profile);
  return held->second.profile;
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
                                                           std::span<const UserId> users) {
  std::vector<std::optional<HeldProfile>> found(users.size());
  const std::scoped_lock lock(mutex_);
  if (!running() || generation != read_) return found;
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto held = users_.find(users[i]);
    if (held == users_.end()) continue;
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

bool ProfileCache::IsAboveFloor(UserId user, const ProfileView& view) {
  const Partition partition = placement_->PartitionOf(user);
  const std::optional<Offset> position = PositionIn(view, partition);
  return position && *position >= FloorOf(partition);
}

ProfileCache::Brought ProfileCache::Install(const Ticket& ticket, std::span<const UserId> users,
                                            const ProfileView& view) {
  Brought brought;
  std::vector<HeldProfile> rows;
  std::ranges::transform(view.rows, std::back_inserter(rows), &HeldProfile::Of);
  const std::scoped_lock lock(mutex_);
  misses_.Add(static_cast<double>(users.size()));
  const bool may_hold = running() && !IsStale(ticket, view);
  for (std::size_t i = 0; i < users.size(); ++i) {
    HeldProfile& row = rows[i];
    const auto held = users_.find(users[i]);
    if (may_hold && held != users_.end() && held->second.profile.version >= row.version) {
      brought.rows.push_back(held->second.profile);
    } else if (may_hold && IsAboveFloor(users[i], view)) {
      brought.rows.push_back(Put(users[i], std::move(row)));
    } else {
      brought.rows.push_back(std::move(row));
      brought.as_tables_are = true;
    }
  }
  MakeRoom();
  return brought;
}

}  // namespace fanfold::reader
