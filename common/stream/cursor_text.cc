#include "common/stream/cursor_text.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>

namespace fanfold {
namespace {

constexpr char kVersion = '1';
constexpr std::uint64_t kNumberMax = (std::uint64_t{1} << 63) - 1;

std::optional<std::uint64_t> ParseHex(std::string_view text) noexcept {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  const bool lower = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.empty() || leading_zero || !lower) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number > kNumberMax) return std::nullopt;
  return number;
}

}  // namespace

std::string EncodeCursorText(std::span<const std::uint64_t> numbers) {
  std::string text(1, kVersion);
  for (const std::uint64_t number : numbers) {
    fmt::format_to(std::back_inserter(text), "-{:x}", number);
  }
  return text;
}

bool DecodeCursorText(std::string_view text, std::span<std::uint64_t> numbers) noexcept {
  if (!text.starts_with(kVersion)) return false;
  text.remove_prefix(1);
  for (std::uint64_t& number : numbers) {
    if (!text.starts_with('-')) return false;
    text.remove_prefix(1);
    const std::string_view digits = text.substr(0, text.find('-'));
    const std::optional<std::uint64_t> parsed = ParseHex(digits);
    if (!parsed) return false;
    number = *parsed;
    text.remove_prefix(digits.size());
  }
  return text.empty();
}

}  // namespace fanfold
