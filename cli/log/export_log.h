// `fanfold export --log FILE`
#pragma once

#include <optional>
#include <string>

#include "cli/terminal/session.h"
#include "common/stream/ids.h"

namespace fanfold {

struct ExportLogOptions {
  std::string file;                    // "-" is stdout
  std::optional<UserId> without = {};  // of an erased account
};

// kRefused when the log's beginning is gone; kError when it was interrupted, the log did not answer
// or the file could not be written.
[[nodiscard]] ExitCode RunExportLog(Session& session, const ExportLogOptions& options);

}  // namespace fanfold
