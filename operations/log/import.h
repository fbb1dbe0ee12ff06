// Follows from a file, appended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/log/append_window.h"
#include "operations/log/import_line.h"

namespace fanfold::operations {

struct ImportSource {
  std::string file;                    // "-" is stdin
  std::optional<ImportFormat> format;  // of follows; absent: by content
  bool posts = false;                  // the file is of posts
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
  std::int64_t appended = 0;
  std::int64_t elapsed_ms = 0;

  [[nodiscard]] bool whole() const { return end == ImportEnd::kWholeFile && flushed && !failure; }
};

// Appends the file's events in its order. Bad lines stop nothing; the first of them are noted.
// After an append that failed nothing more is appended: it would overtake. Errors: the file or the
// log cannot be opened, and nothing was appended. Blocks as long as the file takes.
[[nodiscard]] Result<ImportResult> Import(Context& context, const ImportSource& options);

}  // namespace fanfold::operations
