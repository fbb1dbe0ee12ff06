// `fanfold feed mode`
#pragma once

#include <optional>

#include "cli/terminal/session.h"

namespace fanfold {

struct FeedModeOptions {
  std::optional<bool> to_hybrid;  // nothing: it is shown
};

[[nodiscard]] ExitCode RunFeedMode(Session& session, const FeedModeOptions& options);

}  // namespace fanfold
