// `fanfold init`
#pragma once

#include "cli/session.h"

namespace fanfold {

// Creates what is missing: the topics, and the schema and tables of every shard. May be repeated.
[[nodiscard]] ExitCode RunInit(Session& session);

}  // namespace fanfold
