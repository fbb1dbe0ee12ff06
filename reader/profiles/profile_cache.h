// Profiles in memory that follow user-events, bounded in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/metrics.h"
#include "common/ports/profile_reader.h"
#include "reader/cache/reader_position.h"
#include "reader/cache/table_watcher.h"
#include "reader/profiles/held_profile.h"

namespace fanfold::reader {

// An event that moves a user's row says it whole, so every user whose event was seen is held, like
// one who was asked for; whether it moves the row of a user who was not held the tables are asked
// first. Each partition has a floor: all users whose events from it on were seen are held, with
// their last event that counts. So what is held brings a row of tables at or above the floor to the
// reader's position; a row below it is not held, and is answered as it is. Rows ahead of the reader
// need no wait: the events that the reader has yet to see change them no more. The tables are asked
// how far an account's end has come until it is done, since no event says so.
//
// Thread-safe. Nobody holds the lock for longer than a page of users or a step of events.
class ProfileCache final : public ReaderPosition, public TableWatcher {
 public:
  // A user's place beside the text: the map's node, the list's, what they hold.
  static constexpr std::size_t kUserBytes = 160;

  // Requires: shards ≥ 1. The positions that `readers` names, and `metrics`, outlive this.
  ProfileCache(std::int32_t shards, std::size_t bytes_max, const ReaderPositions& readers,
               Metrics& metrics);

  // ---- who follows the topic ----
  void Start(const Placement& placement, const std::vector<Offset>& next);
  // In the topic's order: the reader's position of each partition moves to `next`, behind them.
  void Advance(std::vector<ToldProfile> told, std::span<const Position> next);
  void Stop();

  // ---- who watches the tables ----
  void SetRead(const ReadGenerations& read) override;
  void DropShard(Shard shard) override;
  void Restored(Shard shard) override;
  void Repaired(Shard shard, const RepairRow& repair) override;

  // ---- who reads ----
  // In the order asked; nothing for a user who is not held, or about whom something asked is not
  // known. Nobody is held where the rows are not those of this generation.
  [[nodiscard]] std::vector<std::optional<HeldProfile>> Find(Generation generation,
                                                             std::span<const UserId> users,
                                                             Tells asked);

  // To be taken before rows are asked for: tells whether their shard was dropped meanwhile.
  struct Ticket {
    Shard shard;
    Generation generation{1};
    std::uint64_t drops = 0;
  };
  [[nodiscard]] Ticket NewTicket(Shard shard, Generation generation) const;

  struct Brought {
    std::vector<HeldProfile> rows;  // in the order of the users
    bool as_tables_are = false;     // some could not be brought to the reader's position
  };
  // Brings the rows to the reader's position and holds them. Requires: the view is of these users,
  // sorted and unique.
  [[nodiscard]] Brought Install(const Ticket& ticket, std::span<const UserId> users,
                                const ProfileView& view, Tells asked);

 private:
  struct Held {
    HeldProfile profile;
    std::list<UserId>::iterator place;
    bool is_sure = true;  // else an event that moves what the tables have, or does not
  };
  struct ShardState {
    std::uint64_t drops = 0;
    std::uint64_t repair_mark = 0;
  };
  using Users = std::unordered_map<UserId, Held>;

  // These require the lock.
  [[nodiscard]] bool IsStale(const Ticket& ticket, const ProfileView& view) const;
  void Put(UserId user, HeldProfile profile, bool is_sure);
  // Takes an event of the user, behind all that were seen.
  void Take(UserId user, HeldProfile profile);
  // Holds the profile; an end that runs is held as unknown, since no event says how it goes on.
  void Hold(UserId user, HeldProfile profile);
  // Forgets the user, and so the user's last event.
  void Forget(Users::iterator held);
  void MakeRoom();
  void DropWithLock(Shard shard);
  void DropAll();
  [[nodiscard]] Offset& FloorOf(Partition partition) {
    return floors_[static_cast<std::size_t>(partition.value)];
  }
  [[nodiscard]] ShardState& StateOf(Shard shard) {
    return shards_.at(static_cast<std::size_t>(shard.value));
  }
  void Show();

  const std::size_t bytes_max_;
  const ReaderPositions readers_;
  mutable std::mutex mutex_;
  std::optional<Placement> placement_;
  std::vector<Offset> floors_;  // by partition
  std::vector<ShardState> shards_;
  Generation read_{1};
  Users users_;
  std::list<UserId> by_use_;  // the least recently used first
  std::size_t bytes_ = 0;
  Counter& hits_;
  Counter& misses_;
  Counter& evictions_;
  Gauge& bytes_shown_;
  Gauge& users_shown_;
};

}  // namespace fanfold::reader
