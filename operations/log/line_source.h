// The lines of a file, gzip or plain, or of stdin; a UTF-8 byte order mark before them is skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fanfold::operations {

// How often who takes lines looks at the clock and the interrupt.
inline constexpr std::int64_t kLinesBetweenLooks = 1024;

struct SourceLine {
  std::string_view text;  // without its end; valid until the next call
  bool too_long = false;  // text is empty, the line was passed over
};

// One thread at a time. Memory is bounded by the buffer and line_bytes_max.
class LineSource {
 public:
  // Errors: kInvalidArgument, it cannot be opened. "-" is stdin.
  [[nodiscard]] static Result<LineSource> Open(const std::string& path, std::size_t line_bytes_max);

  LineSource(LineSource&&) noexcept;
  ~LineSource();

  // The next line, nothing at the end. Errors: kInvalidArgument, it cannot be read on, or its gzip
  // ends early. Blocks as the file does.
  [[nodiscard]] Result<std::optional<SourceLine>> Next();

  // Of the file as it is stored, so compressed bytes of a compressed one; 0 when not known.
  [[nodiscard]] std::int64_t bytes_total() const noexcept;
  [[nodiscard]] std::int64_t bytes_read() const noexcept;

 private:
  struct State;
  explicit LineSource(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fanfold::operations
