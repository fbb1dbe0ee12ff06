// `fanfold explain SUBJECT OBJECT`, `fanfold explain USER`, `fanfold explain feed OWNER AUTHOR
// POST`
#pragma once

#include <optional>

#include "cli/terminal/session.h"
#include "common/stream/ids.h"

namespace fanfold {

struct ExplainOptions {
  UserId subject;
  std::optional<UserId> object;
  std::optional<PostId> post = std::nullopt;  // of the object, in the subject's feed
};

// Prints every event of the edge with its outcome, and the rows they led to. Without an object: the
// user's own events, and the user's rows. With a post: whether it is in the feed, and why.
// kDifferent when a row is not what the log says.
[[nodiscard]] ExitCode RunExplain(Session& session, const ExplainOptions& options);

}  // namespace fanfold
