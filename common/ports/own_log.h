// The log that a deployment's tables are folded from, as the catalog names it.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/event_log.h"
#include "common/ports/generation_operations.h"

namespace fanfold {

// Writes this log's name into the catalog once the last records that the tables know are found in
// it: a log that was moved has another name. A catalog that names none takes it also where no lane
// of a stream knows its last record. `first` is of shard 0, which has the catalog. Errors:
// kRefused, it is another log; kUnavailable, a shard or the log does not answer; the ports'.
[[nodiscard]] Status NameLog(EventLog& log, const OpenReader& open, GenerationOperations& first,
                             std::int32_t shards);

}  // namespace fanfold
