// Parked records appended again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/relation/event.h"
#include "common/stream/position.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct ParkedReplayOptions {
  std::vector<Position> positions;       // empty: all
  std::optional<ParkReason> reason;      // of all, those alone
  std::optional<Projection> projection;  // absent: whichever parked it
  bool dry_run = false;                  // says what it would do
};

// At most so many at once, the first by projection, shard and position.
inline constexpr std::size_t kReplaysAtOnceMax = 10'000;

enum class ReplayEnd : std::uint8_t {
  kReplayed = 1,
  kWouldReplay = 2,  // a dry run
  kRefused = 3,      // it must not be appended
  kUnreadable = 4,   // nothing can be appended
  kFailed = 5,       // the log did not take it, or perhaps did
};

struct ReplayResult {
  Position parked;
  ReplayEnd end = ReplayEnd::kFailed;
  std::string why;                   // of those that were not replayed
  std::optional<Event> event;        // as far as it was read
  std::optional<Position> appended;  // of the new event
};

// The result for each record that was looked at, and why the rest was not.
struct ReplayRun {
  std::vector<ReplayResult> results;  // by position
  Status done;                        // an error: what comes after the results was not looked at
};

// Appends what parked records ask for as new events. Errors: CheckTopic's; the ports', and nothing
// was looked at. Blocks as long as reading the partitions does, and an append for 40 s at most.
[[nodiscard]] Result<ReplayRun> ReplayParked(Context& context, const ParkedReplayOptions& options);

}  // namespace fanfold::operations
