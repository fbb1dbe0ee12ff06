// Taking lanes over, in a transaction of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/mysql/connection.h"
#include "common/ports/lane_store.h"

namespace fanfold::mysql {

// What LaneStore::TakeFences says; throws Failure. A predecessor's transaction that has
// written a lane and holds it for longer than the session's lock wait is ended by killing its
// connection; whoever holds it without having written it, as a repair that folds, is waited for.
[[nodiscard]] std::vector<TakenLane> TakeLanes(Connection& connection,
                                               std::span<const LaneId> lanes, bool new_decide,
                                               const std::string& owner);

}  // namespace fanfold::mysql
