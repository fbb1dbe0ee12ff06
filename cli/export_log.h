// `fanfold export --log FILE`
#pragma once

#include <string>

#include "cli/session.h"

namespace fanfold {

struct ExportLogOptions {
  std::string file;  // "-" is stdout
};

// Writes both topics as log_line.h has it, up to the ends they have when it starts; outcomes' ends
// are taken first, so that each one's event is within. kRefused when the log's beginning is gone,
// since its offsets could not be given again; kError when it was interrupted, the log did not
// answer or the file could not be written: the file then lacks its totals, and no import takes it.
[[nodiscard]] ExitCode RunExportLog(Session& session, const ExportLogOptions& options);

}  // namespace fanfold
