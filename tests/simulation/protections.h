// What keeps the tables true, and what each would be without it. A protection is taken out by a
// wrapper that lies to the cores or to the port behind it; no product code knows of this.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/post_reader.h"
#include "common/ports/projection_reader.h"
#include "tests/simulation/adapters.h"

namespace fanfold::simulation {

enum class Protection : std::uint8_t {
  kNone = 0,
  kFence = 1,                // a batch is applied whoever owns the lane by now
  kVersionGuard = 2,         // rows do not know which event changed them last
  kRelayOrder = 3,           // outcomes of a partition change places on their way to the log
  kCountInTransaction = 4,   // counts follow in a transaction of their own
  kRecordedOutcomes = 5,     // a taken lane decides on, whatever outcomes the topic has already
  kOutboxInTransaction = 6,  // outcomes are published from memory alone
  kOutboxRecorded = 7,      // what only the outbox holds above the lane's position is decided again
  kRewoundViews = 8,        // a reader does not learn that a lane folds again what its rows hold
  kOneDecider = 9,          // a lane begins to decide whatever another generation's does
  kAwaitedTables = 10,      // an account is erased wherever the tables stand
  kRepairsFenced = 11,      // a lane goes on with what it remembers of rows that were mended
  kOneMoment = 12,          // an audit takes rows and lanes of two moments
  kProfileVersions = 13,    // of a profile's rows the one written last stays
  kLoadInTransaction = 14,  // a lane is loaded first, its rows in a transaction of their own
  kLanesProve = 15,         // a lane that is taken does not know the log
  kRepairsProve = 16,       // a repair knows whatever stands in the log
  kErasuresProve = 17,      // so does who erases
  kEndsKnown = 18,          // who decides knows of no ended account
  kFansReopen = 19,         // a fan of an ended account does not open its end again
};
inline constexpr int kProtections = 20;

[[nodiscard]] std::string_view NameOf(Protection protection) noexcept;
[[nodiscard]] std::optional<Protection> ParseProtection(std::string_view name) noexcept;

// What the stores of one shard have to know of each other's calls in order to lie.
struct SharedLies {
  std::map<LaneId, LaneMove> latest;  // the newest fence of each lane and where it stands
};

// A store of `shard` without the protection; `store` itself when the protection is not a store's.
// All references outlive it.
[[nodiscard]] std::unique_ptr<LaneStore> Without(Protection protection,
                                                 std::unique_ptr<LaneStore> store, EventLog& log,
                                                 SharedLies& shared);

// What a reader sees of a user's tables without the protection.
void LieAbout(Protection protection, UserView& view) noexcept;
void LieAbout(Protection protection, PostLanes& at) noexcept;
// What one who erases sees of the lanes without it.
void LieAbout(Protection protection, testing::MemoryLog& log, std::vector<LaneStatus>& lanes);
// What one who repairs does.
[[nodiscard]] std::unique_ptr<TableOperations> Without(Protection protection,
                                                       std::unique_ptr<TableOperations> tables,
                                                       testing::MemoryLog& log);

// A log whose appenders to the outcome topic do not keep the order; null when the protection is
// another. `log` outlives it.
[[nodiscard]] std::unique_ptr<EventLog> Without(Protection protection, EventLog& log);

}  // namespace fanfold::simulation
