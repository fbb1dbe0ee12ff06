#include "common/stream/cursor_text.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include "common/base/fnv1a.h"

namespace fanfold {
namespace {

constexpr std::uint64_t kNumberMax = (std::uint64_t{1} << 63) - 1;
constexpr char kChecked = 'c';  // begins a text with a check at its end
constexpr std::size_t kCheckBytes = 1 + 8;

std::string CheckOf(std::string_view text) {
  return fmt::format("-{:08x}", static_cast<std::uint32_t>(Fnv1a(text)));
}

// Without mark and check; empty, which is no cursor, where the check says that it is another text.
std::string_view BodyOf(std::string_view text) {
  if (!text.starts_with(kChecked)) return text;
  if (text.size() <= kCheckBytes) return {};
  const std::string_view checked = text.substr(0, text.size() - kCheckBytes);
  return text.ends_with(CheckOf(checked)) ? checked.substr(1) : std::string_view();
}

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

std::string EncodeCursorText(std::span<const std::uint64_t> numbers, char version) {
  std::string text = {kChecked, version};
  for (const std::uint64_t number : numbers) {
    fmt::format_to(std::back_inserter(text), "-{:x}", number);
  }
  return text + CheckOf(text);
}

bool DecodeCursorText(std::string_view text, std::span<std::uint64_t> numbers,
                      char version) noexcept {
  text = BodyOf(text);
  if (!text.starts_with(version)) return false;
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

bool IsOfVersion(std::string_view text, char version) noexcept {
  if (text.starts_with(kChecked)) text.remove_prefix(1);
  return text.starts_with(version);
}

}  // namespace fanfold
