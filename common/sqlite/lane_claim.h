// Taking lanes over, in a transaction of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/ports/projection_store.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// What ProjectionStore::Claim says; throws Failure.
[[nodiscard]] std::vector<ClaimedLane> ClaimLanes(Connection& connection,
                                                  std::span<const LaneId> lanes,
                                                  LaneRole role_of_new, const std::string& owner,
                                                  std::int64_t now_ms);

}  // namespace fanfold::sqlite
