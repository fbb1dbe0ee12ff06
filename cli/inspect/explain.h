// `fanfold explain SUBJECT OBJECT`
#pragma once

#include "cli/terminal/session.h"
#include "common/stream/ids.h"

namespace fanfold {

struct ExplainOptions {
  UserId subject;
  UserId object;
};

// Prints every event of the edge with its outcome, and the rows they led to. kDifferent when a row
// is not what the outcomes say.
[[nodiscard]] ExitCode RunExplain(Session& session, const ExplainOptions& options);

}  // namespace fanfold
