// The lists that follow the outcome topic: where the reader stands in it, the recent moves that
// bring views of the tables there, and the cache that moves along.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "common/base/metrics.h"
#include "common/ports/projection_reader.h"
#include "common/relation/event.h"
#include "common/stream/slot.h"
#include "reader/cache/list_cache.h"
#include "reader/cache/reader_position.h"
#include "reader/cache/recent_moves.h"
#include "reader/cache/table_watcher.h"
#include "reader/cache/view_state.h"

namespace fanfold::reader {

struct CacheLimits {
  std::size_t lists_bytes = std::size_t{1} << 30;
  std::size_t recent_moves_bytes = std::size_t{64} << 20;
};

// The generations whose lists are held; other projections do not concern them.
struct ListGenerations {
  Generation following{1};
  Generation fans{1};
  friend bool operator==(const ListGenerations&, const ListGenerations&) = default;

  [[nodiscard]] static constexpr ListGenerations Of(const ReadGenerations& read) noexcept {
    return {read[Direction::kFollowing], read[Direction::kFans]};
  }
};

// Thread-safe.
class LiveLists final : public ReaderPosition, public TableWatcher {
 public:
  // Requires: shards ≥ 1. `metrics` outlives this.
  LiveLists(std::int32_t shards, const CacheLimits& limits, Metrics& metrics);

  // ---- who follows the topic ----
  // The reader stands at `next`, an event offset a partition. Drops everything held.
  void Start(const Placement& placement, const std::vector<Offset>& next);
  // Outcomes in the topic's order, each at the reader's position of its partition, which moves
  // behind it.
  void Advance(std::span<const Outcome> outcomes);
  // The reader's position is lost. Drops everything held; views are answered as they are.
  void Stop();

  // ---- who watches the tables ----
  // Every table holds the events of the partition below this offset.
  void Trim(Partition partition, Offset below);
  void SetRead(const ReadGenerations& read) override;
  void DropShard(Shard shard) override;
  void Restored(Shard shard) override;
  void Repaired(Shard shard, const RepairRow& repair) override;

  // ---- who reads ----
  [[nodiscard]] ListCache& cache() noexcept { return cache_; }
  // May lists of these generations be taken from the cache?
  [[nodiscard]] bool Holds(const ReadGenerations& read) const noexcept;

  // To be taken before a view is asked for: tells whether its shard was dropped meanwhile.
  struct Ticket {
    std::uint64_t drops = 0;
    ReadGenerations read;
  };
  [[nodiscard]] Ticket NewTicket(Shard shard, const ReadGenerations& read) const;

  struct Source {
    Direction list = Direction::kFollowing;
    UserId user;
    const ViewPosition* position = nullptr;
    Ticket ticket;
  };
  // Would a view show this row of the list, were it there?
  using Shows = std::function<bool(const ListedUser&)>;
  // The moves of rows shown that the view lacks, and how it relates to the reader's position: as
  // when the look began, or, with no moves, as now when the moves that it lacks were lost
  // meanwhile.
  [[nodiscard]] std::pair<ViewState, std::vector<EdgeMove>> Missing(
      const Source& source, const Shows& shows = [](const ListedUser&) { return true; }) const;
  // Brings the rows to the reader's position and puts them into the cache, in one step. Anything
  // but kAtReader is left alone.
  [[nodiscard]] ViewState Install(const Source& source, const ListRows& rows);
  // A place among the moves that the reader has seen.
  using Mark = RecentMoves::Number;
  [[nodiscard]] Mark Latest() const;
  // The lists held of a user, and the moves since.
  struct Standing {
    HeldLists held;
    std::vector<EdgeMove> following;
    std::vector<EdgeMove> fans;
  };
  // Calls use(Standing) while the reader stands; it must be short. False, without a call, when the
  // reader's position is not known, when some of these moves are held no more, or when they are
  // more than kMovesALook.
  template <class Use>
  bool WhileStanding(UserId user, Mark since, const Use& use) {
    const std::scoped_lock lock(mutex_);
    if (!running()) return false;
    auto following = recent_moves_->MovesSince(Direction::kFollowing, user, since, kMovesALook);
    auto fans = recent_moves_->MovesSince(Direction::kFans, user, since, kMovesALook);
    if (!following || !fans) return false;
    cache_.With(user, [&](const HeldLists& held) {
      use(Standing{held, *std::move(following), *std::move(fans)});
    });
    return true;
  }
  // After a wait of this long in vain the reader's position counts as standing, and nobody waits
  // for it until it moves. While Kafka is away every read would wait, each on a thread of the pool.
  static constexpr std::int64_t kStoodMs = 50;
  // Waits until the reader's position has come to what the view holds. False when timeout_ms ran
  // out, or when the reader stands.
  [[nodiscard]] bool WaitForReader(const Source& source, std::int64_t timeout_ms) const;

 private:
  // Moves that are looked at before the reader's position may move on; some hundred thousand are
  // held.
  static constexpr std::size_t kMovesALook = 2048;
  // How long a look gives way to the reader's position.
  static constexpr std::int64_t kGiveWayMs = 10;
  // How often a list is brought to the reader's position when that has moved on meanwhile.
  static constexpr int kBringTriesMax = 4;

  struct ShardState {
    std::uint64_t drops = 0;
    std::uint64_t repair_mark = 0;
  };
  // These require the lock.
  void DropWithLock(Shard shard);
  // Calls visit(partition) for those in which the view is past the reader.
  template <class Visit>
  void ForEachAhead(const Source& source, const Visit& visit) const;
  [[nodiscard]] bool StandsBefore(const Source& source) const;
  [[nodiscard]] ViewState StateOf(const Source& source) const;
  // Lets the reader's position move on.
  void GiveWay(std::unique_lock<std::mutex>& lock) const;
  [[nodiscard]] ShardState& StateOf(Shard shard) {
    return shards_.at(static_cast<std::size_t>(shard.value));
  }
  void DropAll();

  struct Lacking {
    ViewState state = ViewState::kBelowFloor;
    std::vector<EdgeMove> moves;  // by partition in the log's order
    Mark until = 0;               // the number of the first move that came too late
  };
  // The moves lacking from `from` on. Takes the lock, and leaves it now and then.
  [[nodiscard]] Lacking MovesLacking(const Source& source, const Shows& shows, Mark from) const;

  mutable std::mutex mutex_;  // the reader's position moves, and lists are installed, under it
  mutable std::condition_variable moved_;
  std::atomic<int> advancing_ = 0;  // how many want to move the reader
  std::optional<Placement> placement_;
  std::optional<RecentMoves> recent_moves_;
  // Where the reader stood when it was last waited for in vain.
  mutable std::map<Partition, Offset> stood_;
  std::vector<ShardState> shards_;
  std::atomic<ListGenerations> read_;
  static_assert(decltype(read_)::is_always_lock_free, "each read from memory loads it");
  const std::size_t recent_moves_bytes_;
  ListCache cache_;
  Gauge& recent_moves_shown_;
};

}  // namespace fanfold::reader
