// Waiting until what is in the log can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

struct WaitLimits {
  std::int64_t timeout_ms = 60'000;
  // Waits for no partition one of whose lanes is paused or halted.
  bool passes_stopped = false;
};

enum class WaitEnd : std::uint8_t {
  kCaughtUp = 1,
  kLate = 2,    // the time ran out
  kHalted = 3,  // a lane that lags has halted: it goes on when what is wrong is mended
  kInterrupted = 4,
};

struct WaitResult {
  WaitEnd end = WaitEnd::kLate;
  std::int64_t elapsed_ms = 0;
  std::vector<LaggingLane> lagging;
  bool reader_lags = false;
  std::string unreachable;  // why the last look failed; empty when it did not
};

// Waits until the tables that are read, and the reader, hold every event that the log held when it
// was first asked. A paused lane, brokers or a database that are away, are waited for like a lane
// that lags; a lane that stands is noted at once. Errors: what no waiting mends. Blocks for about
// timeout_ms.
[[nodiscard]] Result<WaitResult> Wait(Context& context, const WaitLimits& limits);

// "fans/3 on shard 0: 7 of 12, halted (why)"
[[nodiscard]] std::string DescribeLagging(const LaggingLane& lane);

}  // namespace fanfold::operations
