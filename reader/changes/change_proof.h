// Whether a log is the one in which a follower of changes stood.
#pragma once

#include <cstdint>
#include <expected>
#include <stop_token>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "reader/changes/change_place.h"

namespace fanfold::reader {

// How long the events before a place may keep it waiting.
inline constexpr std::int64_t kProofWaitMs = 2'000;

// That a place is of another log: kOutOfRange.
[[nodiscard]] Error OtherEvents();

// The error for followers when the log fails; the log's own words are logged, and are for nobody
// else. kOutOfRange, as of another log, or kUnavailable.
[[nodiscard]] Error ToldOfLog(const Error& why, const Clock& clock);

// Learns the digests of the place, by the events before it; a place before the first event becomes
// that of the first which the log still holds. Blocks for the log's bounds and kProofWaitMs.
// Errors: kOutOfRange, the log ends below the place, or tells other events, or does not hold them
// any more; kUnavailable, it does not say now.
[[nodiscard]] Status ProvePlace(EventLog& log, ChangeId& id, const Clock& clock,
                                const std::stop_token& stop);

}  // namespace fanfold::reader
