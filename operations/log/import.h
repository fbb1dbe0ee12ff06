// Follows from a file, appended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/log/append_window.h"
#include "operations/log/import_outcomes.h"
#include "operations/log/line_events.h"

namespace fanfold::operations {

struct ImportSource {
  std::string file;  // "-" is stdin
  ImportLayout layout;
  // Waits until all of it is decided, or nothing has been for so long; absent: for nothing.
  std::optional<std::int64_t> silence_max_ms;
};

enum class ImportEnd : std::uint8_t {
  kWholeFile = 1,
  kInterrupted = 2,
  kAppendFailed = 3,
  kReadFailed = 4,
};

struct ImportResult {
  ImportEnd end = ImportEnd::kWholeFile;
  bool flushed = false;                  // else what was appended last is perhaps not in the log
  std::optional<AppendFailure> failure;  // the first
  Error read_error;                      // of kReadFailed
  std::int64_t lines = 0;                // that were read
  std::int64_t bad = 0;
  std::optional<TimeSpan> times;  // that the lines name; absent: none does, or none is appended
  std::int64_t appended = 0;
  std::int64_t elapsed_ms = 0;           // of appending
  std::optional<ImportDecided> decided;  // of what was appended, where it was waited for

  [[nodiscard]] bool all_bad() const { return bad > 0 && appended == 0; }
  [[nodiscard]] bool whole() const { return end == ImportEnd::kWholeFile && flushed && !failure; }
};

// Appends the file's events in its order. Bad lines stop nothing; the first of them are noted.
// After an append that failed nothing more is appended: it would overtake. Errors: the file or the
// log cannot be opened, and nothing was appended. Blocks as long as the file takes, and its
// outcomes.
[[nodiscard]] Result<ImportResult> Import(Context& context, const ImportSource& options);

}  // namespace fanfold::operations
