// How long readers take to learn of a generation, and how long they may ask for the tables of one
// after the catalog has named another.
#pragma once

#include <cstdint>

#include "reader/freshness/position_poller.h"
#include "reader/freshness/shard_look.h"
#include "reader/read_executor.h"

namespace fanfold::reader {

// For the look at the catalog itself: two short questions to one shard.
inline constexpr std::int64_t kCatalogAnswerMs = 1'000;

// Until every reader that answers knows of a generation whose lanes are there.
inline constexpr std::int64_t kReadersLearnMs =
    PositionPoller::kPollMs + ShardLook::kChangesPollMs + kCatalogAnswerMs;

// Until the catalog is looked at, and then for as long as a read that began right before may take.
// An export has no such bound: it is cut.
inline constexpr std::int64_t kReadersLeaveMs = PositionPoller::kPollMs +
                                                ShardLook::kChangesPollMs + kCatalogAnswerMs +
                                                ReadExecutor::kReadMaxMs;

}  // namespace fanfold::reader
