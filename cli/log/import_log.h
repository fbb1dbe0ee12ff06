// `fanfold import --log FILE`
#pragma once

#include "cli/terminal/session.h"
#include "operations/log/import_log.h"

namespace fanfold {

// kRefused when the target is none, or a record cannot be appended to it; kError when the file is
// no whole log, an append failed or landed elsewhere, or it was interrupted.
[[nodiscard]] ExitCode RunImportLog(Session& session, const operations::ImportLogOptions& options);

}  // namespace fanfold
