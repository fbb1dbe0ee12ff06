#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ports/event_log.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

// How long the log may bring nothing of what it says it holds: as long as brokers may stand still
// or choose another leader.
inline constexpr std::int64_t kLogSilenceMaxMs = 60'000;

// The next records, at least one. Errors: kUnavailable, none came for kLogSilenceMaxMs; kTimeout,
// the pace said stop; kOutOfRange, as LogReader::Poll.
[[nodiscard]] Result<LogBatch> PollPatiently(LogReader& reader, std::size_t records_max,
                                             ScanPace& pace);

}  // namespace fanfold::projector
