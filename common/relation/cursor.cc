#include "common/relation/cursor.h"

#include <charconv>
#include <fmt/format.h>

namespace fanfold {
namespace {

// "1-<since>-<user>", both numbers in lowercase hexadecimal; 1 is the cursor's own version.
constexpr std::string_view kPrefix = "1-";

std::optional<std::uint64_t> ParseHex(std::string_view text) noexcept {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  const bool lower = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.empty() || leading_zero || !lower) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string EncodeCursor(const Cursor& cursor) {
  return fmt::format("{}{:x}-{:x}", kPrefix, cursor.since_ms, cursor.user.value);
}

std::optional<Cursor> DecodeCursor(std::string_view text) noexcept {
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> since = ParseHex(text.substr(0, dash));
  const std::optional<std::uint64_t> user = ParseHex(text.substr(dash + 1));
  constexpr std::uint64_t kMax = kUserIdMax;
  if (!since || !user || *since > kMax || *user > kMax || *user == 0) return std::nullopt;
  return Cursor{UserId(*user), static_cast<std::int64_t>(*since)};
}

}  // namespace fanfold
