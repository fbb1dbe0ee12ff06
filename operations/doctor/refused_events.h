// Events that were rejected lately, as the outcome topics tell them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/ids.h"
#include "operations/doctor/check.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

// How far back they are looked for.
inline constexpr std::int64_t kRefusedSinceMs = 3'600'000;
// How long that may take. Outcomes that have not come by then are not counted.
inline constexpr std::int64_t kRefusedReadMs = 5'000;
// Nor are older outcomes of a partition.
inline constexpr std::int64_t kOutcomesBackMax = 512'000;
// Users beyond so many are not told apart.
inline constexpr std::size_t kRefusedUsersMax = 100'000;

struct RefusedEventsFacts {
  std::int64_t events = 0;
  bool more = false;  // there may be more than were counted
  std::map<std::string_view, std::int64_t> reasons;
  std::map<UserId, std::int64_t> users;  // whose they are
};

// `ends` of the topics, as they were before. Errors: the log's.
[[nodiscard]] Result<RefusedEventsFacts> ReadRefused(EventLog& log, const AllEnds& ends,
                                                     const Clock& clock);

// How many there are, and whose are the most. That some are is normal.
[[nodiscard]] Check TellRefused(const RefusedEventsFacts& facts);

}  // namespace fanfold::operations
