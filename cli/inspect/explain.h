// `fanfold explain SUBJECT OBJECT`, `fanfold explain USER`
#pragma once

#include <optional>

#include "cli/terminal/session.h"
#include "common/stream/ids.h"

namespace fanfold {

struct ExplainOptions {
  UserId subject;
  std::optional<UserId> object;
};

// Prints every event of the edge with its outcome, and the rows they led to; without an object what
// the user has told of himself, and his rows. kDifferent when a row is not what the log says.
[[nodiscard]] ExitCode RunExplain(Session& session, const ExplainOptions& options);

}  // namespace fanfold
