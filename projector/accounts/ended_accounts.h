// The accounts of a shard that have ended and were not restored, for those who fold what would
// bring them back to life.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/profile_erasure.h"

namespace fanfold::projector {

// Remembers whose account was ever deleted, 8 bytes each, and asks the tables about those alone, so
// that a batch of others costs nothing. When its memory is too old, as between two batches of a
// quiet lane, it asks about everybody in the batch. Thread-compatible; blocks as the store does.
class EndedAccounts {
 public:
  // The greatest age of its memory when it is asked.
  static constexpr std::int64_t kKnownMs = 200;
  // The eraser keeps a deletion open for so long at the least: whoever looks as often needs to look
  // at the open ones alone.
  static constexpr std::int64_t kOpenMs = 500;
  static_assert(kKnownMs < kOpenMs);
  // Where there are more, the tables are asked about everybody.
  static constexpr std::size_t kAccountsMax = 4'000'000;
  // Between two readings of all of them: so long at the least, so many times what the last one
  // took, and where there were too many.
  static constexpr std::int64_t kPauseMs = 5'000;
  static constexpr std::int64_t kPauseTimes = 10;
  static constexpr std::int64_t kTooManyPauseMs = 3'600'000;

  // `clock` outlives it.
  EndedAccounts(std::unique_ptr<ErasureStore> store, const Clock& clock,
                std::size_t accounts_max = kAccountsMax)
      : store_(std::move(store)), clock_(clock), accounts_max_(accounts_max) {}

  using Ended = std::map<UserId, Erasure>;  // the deletion that ended the account
  // The users of these whose account has ended, as the tables say now. Users of other shards are
  // left out. Errors: the store's.
  [[nodiscard]] Result<Ended> Among(std::span<const UserId> users);

  // The tables may be older ones.
  void Forget() { knows_ = false; }

  [[nodiscard]] std::size_t size() const noexcept { return deleted_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return deleted_.capacity() * sizeof(UserId); }

 private:
  // Looks, so that its memory is young enough, or it knows nothing.
  [[nodiscard]] Status Look();
  [[nodiscard]] Status LookAtOpen(std::int64_t now_ms);
  [[nodiscard]] Status LookAtAll(std::int64_t now_ms);
  void Know(std::vector<UserId> deleted);
  [[nodiscard]] bool MayHaveEnded(UserId user) const;

  const std::unique_ptr<ErasureStore> store_;
  const Clock& clock_;
  const std::size_t accounts_max_;
  std::vector<UserId> deleted_;  // sorted
  bool knows_ = false;           // all that were deleted before it last asked
  std::int64_t looked_ms_ = 0;   // when that was, steady
  std::int64_t all_due_ms_ = 0;  // when all may be read again
};

}  // namespace fanfold::projector
