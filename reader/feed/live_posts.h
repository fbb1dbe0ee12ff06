// The posts of authors at the reader's position: what memory holds moves with the outcomes, and
// what is fetched is brought there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "common/base/metrics.h"
#include "common/ports/post_reader.h"
#include "common/stream/slot.h"
#include "reader/cache/reader_position.h"
#include "reader/cache/table_watcher.h"
#include "reader/cache/view_state.h"
#include "reader/feed/author_table.h"
#include "reader/feed/feed_merge.h"
#include "reader/feed/filled_gaps.h"
#include "reader/feed/recent_posts.h"

namespace fanfold::reader {

struct PostLimits {
  std::size_t posts_bytes = std::size_t{1} << 30;
  std::size_t recent_bytes = std::size_t{64} << 20;
};

// The event's effect at this position; nothing: no post was made or ended.
struct ToldPost {
  Position position;
  std::optional<PostMove> move;
};

struct FetchedRun {
  UserId author;
  PostRun run;
};

// The posts that one answer had fetched, and how far they were brought. For one thread.
class FilledPosts {
 private:
  friend class LivePosts;
  FilledGaps gaps_;
  std::uint64_t drops_ = 0;
  RecentPosts::Number until_ = 0;  // the first move that came too late
};

// Thread-safe. The thread that moves the reader waits for the answers under way and lets no new one
// begin before; it holds them up for kMovesAStep outcomes or kRunsAStep runs at the most.
class LivePosts final : public ReaderPosition, public TableWatcher {
 public:
  static constexpr std::size_t kMovesAStep = 256;
  static constexpr std::size_t kRunsAStep = 64;
  // Moves of one author by which fetched posts are brought forward.
  static constexpr std::size_t kMovesMax = 2'048;

  // `projection`: whose rows the posts are. Requires: shards ≥ 1. `metrics` outlives this.
  LivePosts(Projection projection, std::int32_t shards, const PostLimits& limits, Metrics& metrics);

  // ---- who follows the topic ----
  // The reader stands at `next`, an event offset a partition. Drops everything held.
  void Start(const Placement& placement, const std::vector<Offset>& next);
  // In the topic's order, each at the reader's position of its partition, which moves behind it.
  void Advance(std::span<const ToldPost> told);
  // The reader's position is lost. Drops everything held.
  void Stop();

  // ---- who watches the tables ----
  // Every table holds the events of the partition below this offset.
  void Trim(Partition partition, Offset below);
  void SetRead(const ReadGenerations& read) override;
  void DropShard(Shard shard) override;
  void Restored(Shard shard) override;
  void Repaired(Shard shard, const RepairRow& repair) override;

  // ---- who reads ----
  // To be taken before runs are asked for: tells whether something was dropped meanwhile.
  struct Ticket {
    Generation generation{1};
    std::uint64_t drops = 0;
  };
  [[nodiscard]] Ticket NewTicket(Generation generation) const;

  // Calls use(runs), an AuthorRuns for each author, with all that is known of them at one position
  // of the reader, which does not move meanwhile; it must be short. False, without a call, when the
  // position is not known, or the rows read are of another generation.
  template <class Use>
  [[nodiscard]] bool WhileStanding(Generation generation, std::span<const UserId> authors,
                                   FilledPosts& filled, const Use& use) const {
    const auto lock = LockToRead();
    if (!running() || generation != read_) return false;
    Bring(filled);
    std::vector<AuthorRuns> runs = table_.Find(authors);
    filled.gaps_.LendTo(runs);
    use(std::span<const AuthorRuns>(runs));
    return true;
  }

  // Brings the runs to the reader's position, fills them in for this answer, and holds them as far
  // as they find room. With anything but kAtReader some are not filled in; kTooLarge is never told.
  // Requires: the view is of this shard, which is the authors'.
  [[nodiscard]] ViewState Install(const Ticket& ticket, Shard shard, const PostLanes& view,
                                  std::span<const FetchedRun> fetched, FilledPosts& filled);
  // The same of an inbox, whose view is of no shard: nothing of it is held.
  [[nodiscard]] ViewState Fill(const Ticket& ticket, const PostLanes& view,
                               std::span<const FetchedRun> fetched, FilledPosts& filled);
  // After a wait of this long in vain the reader's position counts as standing, and nobody waits
  // for it until it moves.
  static constexpr std::int64_t kStoodMs = 50;
  // Waits until the reader has come to what the view holds of these authors. False when timeout_ms
  // ran out, or when the reader stands.
  [[nodiscard]] bool WaitForReader(const PostLanes& view, std::span<const UserId> authors,
                                   std::int64_t timeout_ms) const;

 private:
  // Threads that read take the lock while others have it, and would keep a writer out for ever. The
  // writer holds a gate while it waits, and they have to pass it.
  [[nodiscard]] std::shared_lock<std::shared_mutex> LockToRead() const {
    const std::scoped_lock gate(gate_);
    return std::shared_lock(mutex_);
  }
  [[nodiscard]] std::unique_lock<std::shared_mutex> LockToWrite() const {
    const std::scoped_lock gate(gate_);
    return std::unique_lock(mutex_);
  }

  // These require the lock; those that change something, as writers.
  void Bring(FilledPosts& filled) const;
  // `shard`: whose tables they are of; nothing: an inbox's.
  [[nodiscard]] ViewState InstallStep(const Ticket& ticket, std::optional<Shard> shard,
                                      const PostLanes& view, std::span<const FetchedRun> fetched,
                                      FilledPosts& filled);
  [[nodiscard]] ViewState StateOf(const Ticket& ticket, std::optional<Shard> shard,
                                  const PostLanes& view, std::span<const FetchedRun> fetched) const;
  [[nodiscard]] std::vector<Position> Ahead(const PostLanes& view,
                                            std::span<const UserId> authors) const;
  void DropAll();
  void DropWithLock(Shard shard);
  void Show();

  ViewState InSteps(const Ticket& ticket, std::optional<Shard> shard, const PostLanes& view,
                    std::span<const FetchedRun> fetched, FilledPosts& filled);
  void TellMoved() const;

  const Projection projection_;
  const std::size_t recent_bytes_;
  mutable std::mutex gate_;
  mutable std::shared_mutex mutex_;
  std::optional<Placement> placement_;
  std::optional<RecentPosts> recent_;
  AuthorTable table_;
  std::vector<std::uint64_t> repair_marks_;  // by shard
  Generation read_{1};
  std::uint64_t drops_ = 1;

  mutable std::mutex wait_mutex_;
  mutable std::condition_variable moved_;
  // Where the reader stood when it was last waited for in vain.
  mutable std::map<Partition, Offset> stood_;

  Counter& evictions_;
  std::uint64_t evictions_told_ = 0;
  Gauge& bytes_shown_;
  Gauge& authors_shown_;
  Gauge& recent_shown_;
  Counter& inboxes_shown_;
};

}  // namespace fanfold::reader
