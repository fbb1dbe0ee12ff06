// What `fanfold parked replay` says of each record. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "common/relation/event.h"
#include "common/relation/position.h"

namespace fanfold {

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

// A line each.
[[nodiscard]] std::string ReplayText(const std::vector<ReplayResult>& results);
// {"items":[{"position","result","detail","subject","object","type","new_position"}],…} in one
// line.
[[nodiscard]] std::string ReplayJson(const std::vector<ReplayResult>& results);

[[nodiscard]] ExitCode ExitCodeOf(const std::vector<ReplayResult>& results) noexcept;

}  // namespace fanfold
