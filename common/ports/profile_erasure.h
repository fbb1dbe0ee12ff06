// The end of an account, as far as it has come: a row for each deletion, beside the rows of
// profiles and of no generation, so that a rebuild begins nothing again. Adapters: MySQL, SQLite;
// each passes tests/contract/profile_store_contract.h.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane_store.h"
#include "common/profile/profile_event.h"

namespace fanfold {

// Kept in the tables by number.
enum class EraseStage : std::uint8_t {
  kUnmeasured = 7,  // of an account that stays deleted: finds out its reach first
  kFollowing = 1,   // walks those whom the user follows
  kFans = 2,        // walks those who follow the user
  kPosts = 5,       // walks the user's posts
  kShown = 6,       // walks what was shown to the user
  kAppended = 3,    // all is in the log
  kDone = 4,        // and in the tables
  kRestored = 8,    // no deletion: from this version on the account lives again
};

// Does anything remain to be done?
[[nodiscard]] constexpr bool IsOpen(EraseStage stage) noexcept {
  return stage != EraseStage::kDone && stage != EraseStage::kRestored;
}

// Names a deletion: its user, and the version that it gave the user's row.
struct ErasureKey {
  UserId user;
  Version version;
  friend auto operator<=>(const ErasureKey&, const ErasureKey&) noexcept = default;
};

struct ErasureProgress {
  EraseStage stage = EraseStage::kFollowing;
  // The list is done up to this `other` of its rows. In kUnmeasured it is a number: drawn when the
  // stage begins, one more each time that something reaches the account. An earlier measurement, or
  // one in tables that were restored since, is recognized by it.
  UserId behind;
  StreamEnds appended;  // from kAppended on: where the log ended behind all that was appended
  friend bool operator==(const ErasureProgress&, const ErasureProgress&) = default;
};

struct Erasure {
  ErasureKey key;
  std::int64_t asked_ms = 0;  // the event's time
  StreamEnds ends;            // the event's; of one that stays, those that were found out
  ErasureProgress progress = {};
  bool stays = false;  // until the account is restored
};

// Asked through the connection of a LaneStore, whose errors and blocking bound it has.
class ErasureStore : public RowStore {
 public:
  // Writes ends and progress. Errors: kConflict, ends, stage or place are not those of `from` (any
  // more): somebody else has moved it, or something has reached the account.
  [[nodiscard]] virtual Status Move(const Erasure& from, const Erasure& to) = 0;

  // Users with a deletion, whether it stays or not: all of this shard, or those it is open of. In
  // no order, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) = 0;

  // The last deletion of each of these users whose account has ended, and was not restored.
  [[nodiscard]] virtual Result<std::vector<Erasure>> Ended(std::span<const UserId> users) = 0;
};

// Never null.
[[nodiscard]] std::unique_ptr<ErasureStore> OpenErasures(LaneStore& store);

}  // namespace fanfold
