// How large a run is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/stream/ids.h"
#include "common/stream/slot.h"

namespace fanfold::simulation {

inline constexpr std::uint64_t kUsers = 24;  // 1 … kUsers
inline constexpr std::int32_t kPartitions = 4;
inline constexpr std::int32_t kShards = 2;
inline constexpr Generation kGeneration{1};  // that is read
// Every so manyth seed folds another one of following beside it, and they take turns to decide.
inline constexpr std::uint64_t kSecondGenerationEvery = 2;
inline constexpr Generation kSecondGeneration{2};
// Every so manyth seed has tables so slow that a call takes no more than this many edges.
inline constexpr std::uint64_t kSlowTablesEvery = 8;
inline constexpr std::size_t kSlowTablesEdgesMax = 1;

// Times of events, and so scores of posts, and the ids of an author's posts.
inline constexpr std::uint64_t kAtMax = 40;
inline constexpr std::uint64_t kPostsMax = 8;
inline constexpr std::uint64_t kShownMax = 12;

// Every so manyth seed in memory has another slot map than the one a deployment begins with.
inline constexpr std::uint64_t kOtherSlotMapEvery = 3;
inline constexpr SlotMapId kOtherSlotMap{2};

// Of operated seeds every so manyth has rebuilds; of the others more time goes into audits.
inline constexpr std::uint64_t kRebuiltEvery = 2;

// Every so manyth seed ends with another log, whether or not the one before it is of another kind.
inline constexpr std::uint64_t kSwappedEvery = 2;

// A run goes on until it has had this much; clients ask for no more than kEventsMax, so that an
// operator who waits for lanes on slow tables is not outrun.
inline constexpr int kEventsMin = 200;
inline constexpr int kEventsMax = 400;
inline constexpr std::size_t kUsersMin = 20;
inline constexpr int kFaultsMin = 5;

}  // namespace fanfold::simulation
