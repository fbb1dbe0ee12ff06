// Taking lanes over, in a transaction of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/ports/lane_store.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// Does what LaneStore::TakeFences says; throws Failure.
[[nodiscard]] std::vector<TakenLane> TakeLanes(Connection& connection,
                                               std::span<const LaneId> lanes, bool new_decide,
                                               const std::string& owner, std::int64_t now_ms);

}  // namespace fanfold::sqlite
