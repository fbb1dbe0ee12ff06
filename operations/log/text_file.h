// The text of a file, as UTF-8 without a byte order mark.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/result.h"
#include "operations/base/interrupt.h"

namespace fanfold::operations {

// One thread at a time. UTF-16 with its byte order mark is converted; other text is given as it
// stands, whatever its encoding.
class TextFile {
 public:
  // The text's beginning is looked at: with a control character in it the file is no text.
  static constexpr std::size_t kHeadBytesMax = 64 * 1024;

  // Errors: as PackedFile's; kInvalidArgument, it is no text.
  [[nodiscard]] static Result<TextFile> Open(const std::string& path,
                                             Interrupt* interrupt = nullptr);

  TextFile(TextFile&&) noexcept;
  ~TextFile();

  // As PackedFile's; kInvalidArgument, too, what stands there is no UTF-16.
  [[nodiscard]] Result<std::size_t> Read(std::span<char> to);

  // Its lines end in a carriage return alone.
  [[nodiscard]] bool ends_lines_by_cr() const noexcept;

  // As PackedFile's.
  [[nodiscard]] std::int64_t bytes_total() const noexcept;
  [[nodiscard]] std::int64_t bytes_read() const noexcept;

 private:
  struct State;
  explicit TextFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fanfold::operations
