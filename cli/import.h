// `fanfold import FILE`
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/import_line.h"
#include "cli/session.h"

namespace fanfold {

struct ImportOptions {
  std::string file;                    // "-" is stdin
  std::optional<ImportFormat> format;  // absent: by content
  bool strict = false;                 // bad lines end in kDifferent
};

// Appends the file's events in its order. Bad lines are told on stderr and stop nothing. When an
// append fails nothing more is appended, since what comes after would overtake it: kError, having
// said how far the file is in the log.
[[nodiscard]] ExitCode RunImport(Session& session, const ImportOptions& options);

}  // namespace fanfold
