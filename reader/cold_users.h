// Brings users whom nobody has asked for into memory. Users asked for while a statement runs share
// the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/batch_pace.h"
#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/stream/ids.h"
#include "common/stream/slot.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/position_board.h"
#include "reader/query_pool.h"

namespace fanfold::reader {

// Thread-safe; never blocks. Long lists, and lists whose view does not come to the reader's
// position in time, are left out: the caller then asks the tables for them.
class ColdUsers {
 public:
  // Bounds of one statement.
  static constexpr std::size_t kUsersMax = 64;
  static constexpr std::size_t kRowsMax = 16 * kHeadRows;  // of a direction
  // Users of a shard that may be asked for together; half of them ahead.
  static constexpr std::ptrdiff_t kAskingMax = QueryPool::kQueueMax;
  // Statements on a shard at a time. One runs alone as long as each takes less than kSlowMs. Where
  // many pages have to be read from a disk, or a statement stands, others run beside it.
  static constexpr int kStatementsMax = 4;
  static constexpr std::int64_t kSlowMs = 5;

  // Told on a worker, once: all that could be brought into memory is there. Errors: those of
  // ProjectionReader; kOverloaded, no statement began within QueryPool::kQueuedMaxMs, or the caller
  // was gone first.
  using Then = std::function<void(Status)>;

  // A view that is ahead of the reader waits for the reader, at most ahead_wait_ms. All outlive
  // this object and every call back.
  ColdUsers(PositionBoard& board, LiveLists& live, QueryPool& pool, const Clock& clock,
            Gauge& asking, std::int64_t ahead_wait_ms = ListFetcher::kAheadWaitMs)
      : board_(board),
        live_(live),
        pool_(pool),
        clock_(clock),
        asking_shown_(asking),
        ahead_wait_ms_(ahead_wait_ms) {}

  // `caller` may be null. Errors, and `then` is not called: kOverloaded, kAskingMax ask already or
  // the pool is full; those of PositionBoard::Current.
  [[nodiscard]] Status Fetch(UserId user, const ListsNeeded& needed, Then then, CallerPtr caller);
  // For a read that will come: nothing is lost when it is not taken.
  void Prefetch(UserId user, const ListsNeeded& needed, CallerPtr caller) {
    (void)Ask(user, needed, {}, std::move(caller), kAskingMax / 2);
  }

 private:
  struct Asking {
    Then then;
    CallerPtr caller;
    std::int64_t since_ms = 0;
  };
  struct User {
    ListsNeeded needed;
    std::vector<Asking> asking;
  };
  struct Queue {
    std::deque<UserId> users;   // for whom no statement has begun, in the order they came
    std::ptrdiff_t asking = 0;  // those under way included
    int workers = 0;
    std::int64_t began_ms = 0;  // when the last of them began
    BatchPace pace;
  };
  struct Batch;

  [[nodiscard]] Status Ask(UserId user, const ListsNeeded& needed, Then then, CallerPtr caller,
                           std::ptrdiff_t asking_max);
  [[nodiscard]] Status AddWorker(Shard shard, Queue& queue);
  void Count(Queue& queue, std::ptrdiff_t change);
  void Work(Shard shard, ShardedReader& readers);
  // Waits for those who come close together.
  void Gather(Shard shard);
  [[nodiscard]] Batch Take(Shard shard, const Deployment& deployment);
  [[nodiscard]] Result<std::vector<WholeView>> Read(const Batch& batch, Shard shard,
                                                    ShardedReader& readers);
  // An error: the caller is gone, or asked too long ago.
  [[nodiscard]] Status Stays(const Asking& asking) const;
  // Gives the users in the queue to another worker. False: the pool takes none, and they stay with
  // this one.
  [[nodiscard]] bool PassOn(Shard shard, const Batch& taken, std::int64_t began_ms);
  void Settle(Shard shard, const Batch& batch, std::span<const WholeView> views);
  // False: the view is ahead of the reader, which has not come there within wait_ms.
  [[nodiscard]] bool Hold(const Batch& batch, const WholeLists& asked, const WholeView& view,
                          std::int64_t wait_ms);
  void Tell(Shard shard, UserId user, const Status& fetched);

  PositionBoard& board_;
  LiveLists& live_;
  QueryPool& pool_;
  const Clock& clock_;
  Gauge& asking_shown_;
  const std::int64_t ahead_wait_ms_;
  std::mutex mutex_;
  std::ptrdiff_t asking_ = 0;               // of all shards
  std::unordered_map<UserId, User> users_;  // until they are told
  std::map<Shard, Queue> queues_;
};

}  // namespace fanfold::reader
