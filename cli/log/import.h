// `fanfold import FILE`
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/session.h"
#include "operations/log/import.h"

namespace fanfold {

struct ImportOptions {
  operations::ImportSource source;
  bool strict = false;               // what is bad or refused ends in kDifferent
  bool waits = true;                 // for what is decided
  std::int64_t timeout_ms = 60'000;  // without a decision
};

// Bad lines, and the first events that were refused, are told on stderr. kError when an append
// fails, having said how far the file is in the log, or when every line was bad; kDifferent when
// nothing was decided for too long; kRefused when a lane that has to decide has halted.
[[nodiscard]] ExitCode RunImport(Session& session, const ImportOptions& options);

}  // namespace fanfold
