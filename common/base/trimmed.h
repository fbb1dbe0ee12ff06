// A text without the blanks around it.
#pragma once

#include <string_view>

namespace fanfold {

// Between the words of a line, its carriage return among them.
inline constexpr std::string_view kBlanks = " \t\r";

[[nodiscard]] inline std::string_view TrimmedLeft(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

[[nodiscard]] inline std::string_view TrimmedRight(std::string_view text) noexcept {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

[[nodiscard]] inline std::string_view Trimmed(std::string_view text) noexcept {
  return TrimmedRight(TrimmedLeft(text));
}

}  // namespace fanfold
