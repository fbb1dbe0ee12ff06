// Brings users whom nobody has asked for into memory: those who are asked for while a statement
// runs share the next one.
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
#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/relation/ids.h"
#include "common/relation/slot.h"
#include "reader/cache/list_loader.h"
#include "reader/cache/live_lists.h"
#include "reader/position_board.h"
#include "reader/query_pool.h"

namespace fanfold {

// Thread-safe; never blocks. Lists that are long, or whose view is not brought to R in time, are
// left to whoever asks the tables for them by themselves.
class ColdUsers {
 public:
  // Of one statement.
  static constexpr std::size_t kUsersMax = 64;
  // Of all together.
  static constexpr std::size_t kAskingMax = QueryPool::kQueueMax;

  // Told on a worker, once: what could be brought into memory is there. Errors: those of
  // ProjectionReader; kOverloaded, no statement began within
  // QueryPool::kQueuedMaxMs, or the caller was gone first.
  using Then = std::function<void(Status)>;

  // A view that is ahead of R waits for it for at most ahead_wait_ms. All outlive this object and
  // every call back.
  ColdUsers(PositionBoard& board, LiveLists& live, QueryPool& pool, const Clock& clock,
            std::int64_t ahead_wait_ms = ListLoader::kAheadWaitMs)
      : board_(board), live_(live), pool_(pool), clock_(clock), ahead_wait_ms_(ahead_wait_ms) {}

  // `then` and `caller` may be null. Errors, and `then` is not called: kOverloaded, kAskingMax ask
  // already or the pool is full; those of PositionBoard::Current.
  [[nodiscard]] Status Fetch(UserId user, const ListsNeeded& needed, Then then, CallerPtr caller);

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
    std::deque<UserId> users;  // in the order they came
    bool is_worked_on = false;
    BatchPace pace;
  };
  struct Batch;

  void Work(Shard shard, ShardedReader& readers);
  // Waits for those who come close together.
  void Gather(Shard shard);
  [[nodiscard]] Batch Take(Shard shard, const Deployment& deployment);
  [[nodiscard]] Result<std::vector<WholeView>> Ask(const Batch& batch, Shard shard,
                                                   ShardedReader& readers);
  // An error: he is gone, or came too long ago.
  [[nodiscard]] Status Stays(const Asking& asking) const;
  // Whoever is queued becomes another worker's. False: the pool takes none, and he is this one's.
  [[nodiscard]] bool PassOn(Shard shard, const Batch& taken, std::int64_t began_ms);
  void Settle(const Batch& batch, std::span<const WholeView> views);
  // False: the view is ahead of R, which has not come there within wait_ms.
  [[nodiscard]] bool Hold(const Batch& batch, const WholeLists& asked, const WholeView& view,
                          std::int64_t wait_ms);
  void Tell(UserId user, const Status& fetched);

  PositionBoard& board_;
  LiveLists& live_;
  QueryPool& pool_;
  const Clock& clock_;
  const std::int64_t ahead_wait_ms_;
  std::mutex mutex_;
  std::size_t asking_ = 0;
  std::unordered_map<UserId, User> users_;  // until they are told
  std::map<Shard, Queue> queues_;           // of those no statement has begun for
};

}  // namespace fanfold
