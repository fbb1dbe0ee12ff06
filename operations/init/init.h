// A deployment made, or made whole again.
#pragma once

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/init/mending.h"

namespace fanfold::operations {

// Creates what is missing: the topics, and the schema and tables of every shard. May be repeated.
// Errors: kRefused, what is there is another deployment's; the ports'. Blocks as the ports do, and
// for as long as indexes take.
[[nodiscard]] Result<Mending> Init(Context& context);

}  // namespace fanfold::operations
