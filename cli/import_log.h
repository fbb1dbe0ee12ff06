// `fanfold import --log FILE`
#pragma once

#include <string>

#include "cli/session.h"

namespace fanfold {

struct ImportLogOptions {
  std::string file;  // "-" is stdin
};

// Appends what `export --log` wrote to a log that is empty, while nothing folds it. With as many
// partitions as the file: both topics, every record at its offset, each ack checked; outcomes
// first, so that a projector that starts too early halts instead of deciding again. With another
// number: the events alone, each in its partition there. A file that can be read twice is checked
// whole before anything is appended. kRefused: the target is not empty, its tables have folded
// something or have rows, a projector runs, or a record cannot be appended as it is, since it has
// no key or is larger than the topic takes; kError: the file is no whole log, an append failed or
// landed elsewhere, or it was interrupted.
[[nodiscard]] ExitCode RunImportLog(Session& session, const ImportLogOptions& options);

}  // namespace fanfold
