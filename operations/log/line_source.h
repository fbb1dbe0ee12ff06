// The lines of a file, gzip or plain, or of stdin, as UTF-8. They end in a newline, a carriage
// return before it or not; where the text has no newline, in a carriage return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "operations/base/interrupt.h"

namespace fanfold::operations {

// How often who takes lines looks at the clock and the interrupt.
inline constexpr std::int64_t kLinesBetweenLooks = 1024;

struct SourceLine {
  std::string_view text;        // without its end; valid until the next call
  bool too_long = false;        // text is empty, the line was passed over
  std::int64_t file_lines = 1;  // of the file; several where quotes join them
};

// One thread at a time. Memory is bounded by the buffer and line_bytes_max.
class LineSource {
 public:
  // Errors: as TextFile's. "-" is stdin.
  [[nodiscard]] static Result<LineSource> Open(const std::string& path, std::size_t line_bytes_max,
                                               Interrupt* interrupt = nullptr);

  LineSource(LineSource&&) noexcept;
  ~LineSource();

  // From the next line on an end in a field in quotes is part of the line, as in CSV. Where they do
  // not close within line_bytes_max, or close as they do in no CSV, the line ends at its first end:
  // a quote too many costs its own line alone. Lines that are skipped (IsSkippedLine) join nothing.
  void JoinQuoted(char delimiter) noexcept;

  // The next line, nothing at the end. Errors: TextFile's; whole lines before are given first.
  // Blocks as the file does.
  [[nodiscard]] Result<std::optional<SourceLine>> Next();

  // As PackedFile's.
  [[nodiscard]] std::int64_t bytes_total() const noexcept;
  [[nodiscard]] std::int64_t bytes_read() const noexcept;

 private:
  struct State;
  explicit LineSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fanfold::operations
