// Fetches a user's lists from the tables into the cache, or, where they cannot be held, for one
// answer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/stream/slot.h"
#include "reader/cache/live_lists.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// The lists of a user that a question needs.
struct ListsNeeded {
  bool following = false;
  bool fans = false;
};

// Lists fetched for one answer: those that could not be put into the cache.
struct FetchedLists {
  std::unique_ptr<HeldList> following;
  std::unique_ptr<HeldList> fans;
  bool as_they_are =
      false;  // older than the reader's position: the tables lag by more than the recent moves hold
  bool ahead = false;  // newer than the reader's position, which did not come there in time
};

// Thread-safe.
class ListFetcher {
 public:
  static constexpr std::int64_t kAheadWaitMs = 100;
  // How long one request waits for another's fetch of the same user before it asks for itself.
  static constexpr std::int64_t kSingleFlightMs = 1000;

  // A view that is ahead of the reader waits for the reader, at most ahead_wait_ms. `live` outlives
  // this.
  explicit ListFetcher(LiveLists& live, std::int64_t ahead_wait_ms = kAheadWaitMs)
      : live_(live), ahead_wait_ms_(ahead_wait_ms) {}

  // Afterwards each list needed is in the cache (for now) or in what is returned. One fetch of a
  // user at a time; the others wait for it and find the cache filled. Errors: those of
  // ProjectionReader. Blocks for a view or two of `tables` and ahead_wait_ms.
  [[nodiscard]] Result<FetchedLists> Fetch(ShardedReader& tables, const Deployment& deployment,
                                           UserId user, const ListsNeeded& needed);

  // Has the reader come to what the view holds within ahead_wait_ms?
  [[nodiscard]] bool WaitForReader(const LiveLists::Source& source) const {
    return live_.WaitForReader(source, ahead_wait_ms_);
  }

  // A thread's turn to fetch a user; the next has it when this ends, or after kSingleFlightMs.
  class Flight;

 private:
  [[nodiscard]] ListsNeeded NotHeld(UserId user, const ListsNeeded& needed);
  // True when the list is in the cache. Waits for the reader where the view is ahead of it.
  [[nodiscard]] bool InstallOrWait(const LiveLists::Source& source, const ListRows& rows);
  // The list for one answer, brought forward as far as can be; `fetched` says how far.
  [[nodiscard]] std::unique_ptr<HeldList> ForOneAnswer(const LiveLists::Source& source,
                                                       const ListRows& rows,
                                                       FetchedLists& fetched) const;

  LiveLists& live_;
  const std::int64_t ahead_wait_ms_;
  std::mutex mutex_;
  std::condition_variable landed_;
  std::unordered_set<UserId> in_flight_;
};

}  // namespace fanfold::reader
