// Generations that a command makes or drops, or has left so.
#pragma once

#include <string>
#include <vector>

#include "operations/base/backend.h"
#include "operations/doctor/lane_checks.h"

namespace fanfold::operations {

struct LoadingFound {
  std::vector<LoadingGeneration> loading;  // by projection and generation
  std::vector<std::string> missed;         // shards that could not be asked, and why
};

// On every shard that is not silent. A command at work holds its projection: the look takes that
// hold for an instant where it is free. Blocks as the ports do.
[[nodiscard]] LoadingFound FindLoading(Backend& backend, const std::vector<Shard>& silent);

}  // namespace fanfold::operations
