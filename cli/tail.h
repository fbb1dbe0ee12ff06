// `fanfold tail`
#pragma once

#include <cstdint>
#include <optional>

#include "cli/session.h"

namespace fanfold {

struct TailOptions {
  bool outcomes = false;              // relation-outcomes instead of relation-events
  bool from_start = false;            // else from the ends as they are at the start
  std::optional<std::int64_t> count;  // ends after so many records
};

// Prints records as they come until interrupted, or until `count` were printed.
[[nodiscard]] ExitCode RunTail(Session& session, const TailOptions& options);

}  // namespace fanfold
