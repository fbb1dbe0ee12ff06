// `fanfold import FILE`
#pragma once

#include <optional>
#include <string>

#include "cli/terminal/session.h"
#include "operations/log/import_line.h"

namespace fanfold {

struct ImportOptions {
  std::string file;                                // "-" is stdin
  std::optional<operations::ImportFormat> format;  // absent: by content
  bool posts = false;                              // the file is of posts
  bool strict = false;                             // bad lines end in kDifferent
};

// Bad lines are told on stderr. kError when an append fails, having said how far the file is in the
// log.
[[nodiscard]] ExitCode RunImport(Session& session, const ImportOptions& options);

}  // namespace fanfold
