// Why an edge is as it is.
#pragma once

#include "common/base/result.h"
#include "common/stream/ids.h"
#include "operations/base/context.h"
#include "operations/explain/edge_story.h"

namespace fanfold::operations {

// Every event of the edge with its outcome, and the rows they led to. Errors: kInvalidArgument,
// subject and object are the same; CheckTopic's; ReadDeployment's; the ports'. Blocks as long as
// reading the subject's partitions takes.
[[nodiscard]] Result<EdgeStory> Explain(Context& context, UserId subject, UserId object);

}  // namespace fanfold::operations
