// A log that export wrote, moved in.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct ImportLogOptions {
  std::string file;  // "-" is stdin
};

struct ImportedLog {
  std::int64_t events = 0;
  std::int64_t outcomes = 0;
  bool same_offsets = true;  // else it is a new log
  std::int64_t elapsed_ms = 0;
};

// Appends what ExportLog wrote to a log that is empty, while nothing folds it. With as many
// partitions as the file: all topics, every record at its offset, each ack checked; outcomes
// first, so that a projector that starts too early halts instead of deciding again. With another
// number: the events alone, each in its partition there (afresh.h). A file that can be read twice
// is checked whole before anything is appended. Errors: kRefused, the target is not empty, its
// tables have folded something or have rows, a projector runs, or a record cannot be appended as it
// is, since it has no key or is larger than the topic takes; any other: the file is no whole log,
// an append failed or landed elsewhere, or it was interrupted.
[[nodiscard]] Result<ImportedLog> ImportLog(Context& context, const ImportLogOptions& options);

}  // namespace fanfold::operations
