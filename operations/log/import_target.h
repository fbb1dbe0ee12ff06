// Checks the log that an import goes into.
#pragma once

#include <cstdint>
#include <optional>

#include "common/ports/event_log.h"
#include "operations/base/backend.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

struct ImportTarget {
  std::int32_t partitions = 0;  // the deployment's
  // The largest batch that each takes, in bytes; absent where nothing bounds it.
  PerTopic<std::optional<std::int64_t>> batch_bytes_max;
};

// Errors: kRefused, naming what is in the way and what to do: a projector runs, a topic has held
// records, a lane has folded some, or a table has rows; those of the ports. The consumer group says
// whether a projector runs: a kill leaves a lane's owner behind.
[[nodiscard]] Result<ImportTarget> CheckImportTarget(Backend& backend, EventLog& log);

// The bytes of a batch that holds this record alone.
[[nodiscard]] std::int64_t BatchBytesOf(const StoredRecord& record) noexcept;

}  // namespace fanfold::operations
