// `fanfold rebuild following|fans|all` and its steps.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/terminal/session.h"
#include "operations/rebuild/rebuild.h"

namespace fanfold {

// "following", "fans", "all"
[[nodiscard]] std::optional<std::vector<Projection>> ParseProjections(std::string_view text);

// kDifferent when the made generation is not what the topics say (it is not promoted), or a wait
// ran out; kRefused when another rebuild of the projection runs, or there is nothing to do it to.
[[nodiscard]] ExitCode RunRebuild(Session& session, const operations::RebuildOptions& options);

}  // namespace fanfold
