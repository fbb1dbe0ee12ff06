// Taking lanes over, in a transaction of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/mysql/connection.h"
#include "common/ports/lane_store.h"

namespace fanfold::mysql {

// Does what LaneStore::TakeFences says; throws Failure. Where a predecessor's transaction has
// written a lane and holds it for longer than the session's lock wait, its connection is killed. A
// transaction that holds the lane without having written it, as a repair that folds, is waited for.
[[nodiscard]] std::vector<TakenLane> TakeLanes(Connection& connection,
                                               std::span<const LaneId> lanes, bool new_decide,
                                               const std::string& owner);

}  // namespace fanfold::mysql
