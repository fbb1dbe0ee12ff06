#include "common/stream/ids.h"

#include <charconv>

namespace fanfold {

std::optional<std::int64_t> ParseNonNegative(std::string_view text) noexcept {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || text.front() == '-' || leading_zero) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<UserId> ParseUserId(std::string_view text) noexcept {
  const std::optional<std::int64_t> number = ParseNonNegative(text);
  if (!number || *number == 0) return std::nullopt;
  return UserId(static_cast<std::uint64_t>(*number));
}

std::string ToString(UserId user) { return std::to_string(user.value); }

}  // namespace fanfold
