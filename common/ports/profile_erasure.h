// The end of an account, as far as it has come: a row for each deletion, beside the rows of
// profiles and of no generation, so that a rebuild begins nothing again. Adapters: MySQL, SQLite;
// each passes tests/contract/profile_store_contract.h.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "common/base/result.h"
#include "common/ports/lane_store.h"
#include "common/profile/profile_event.h"

namespace fanfold {

// Kept in the tables by number.
enum class EraseStage : std::uint8_t {
  kFollowing = 1,  // whom he follows is walked
  kFans = 2,       // who follows him is
  kPosts = 5,      // what he published is
  kShown = 6,      // what was shown to him is
  kAppended = 3,   // all is in the log
  kDone = 4,       // and in the tables
};

// Which deletion: the user's, and the version it gave his row.
struct ErasureKey {
  UserId user;
  Version version;
  friend auto operator<=>(const ErasureKey&, const ErasureKey&) noexcept = default;
};

struct ErasureProgress {
  EraseStage stage = EraseStage::kFollowing;
  UserId behind;        // the list is done up to this `other` of its rows
  StreamEnds appended;  // from kAppended on: where the log ended behind all that was appended
  friend bool operator==(const ErasureProgress&, const ErasureProgress&) = default;
};

struct Erasure {
  ErasureKey key;
  std::int64_t asked_ms = 0;  // the event's time
  StreamEnds ends;            // the event's
  ErasureProgress progress;
};

// Asked through the connection of a LaneStore, whose errors and blocking bound it has.
class ErasureStore : public RowStore {
 public:
  // Errors: kConflict, it does not stand at `from` (any more): somebody else has moved it.
  [[nodiscard]] virtual Status Move(const ErasureKey& key, const ErasureProgress& from,
                                    const ErasureProgress& to) = 0;
};

// Never null.
[[nodiscard]] std::unique_ptr<ErasureStore> OpenErasures(LaneStore& store);

}  // namespace fanfold
