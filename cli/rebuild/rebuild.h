// `fanfold rebuild PROJECTION|all` and its steps.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/terminal/session.h"
#include "operations/rebuild/rebuild.h"

namespace fanfold {

// The projection of that name, or all for "all".
[[nodiscard]] std::optional<std::vector<Projection>> ParseProjections(std::string_view text);

// kDifferent when the made generation is not what the topics say (it is not promoted), or a wait
// ran out; kRefused when another rebuild of the projection runs, or there is nothing to do it to;
// kError when it was interrupted.
[[nodiscard]] ExitCode RunRebuild(Session& session, const operations::RebuildOptions& options);

}  // namespace fanfold
