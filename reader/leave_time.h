// How long readers may ask for the tables of a generation after the catalog has named another.
#pragma once

#include <cstdint>

#include "reader/freshness/position_poller.h"
#include "reader/freshness/shard_look.h"
#include "reader/read_executor.h"

namespace fanfold::reader {

// For the look at the catalog itself: two short questions to one shard.
inline constexpr std::int64_t kCatalogAnswerMs = 1'000;

// Until the catalog is looked at, and then for as long as a read that began right before may take.
// An export has no such bound: it is cut.
inline constexpr std::int64_t kReadersLeaveMs = PositionPoller::kPollMs +
                                                ShardLook::kChangesPollMs + kCatalogAnswerMs +
                                                ReadExecutor::kReadMaxMs;

}  // namespace fanfold::reader
