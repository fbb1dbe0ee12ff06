#include "common/relation/cursor.h"

#include <array>

#include "common/stream/cursor_text.h"

namespace fanfold {

std::string EncodeCursor(const Cursor& cursor) {
  return EncodeCursorText(
      std::array{static_cast<std::uint64_t>(cursor.since_ms), cursor.user.value});
}

std::optional<Cursor> DecodeCursor(std::string_view text) noexcept {
  std::array<std::uint64_t, 2> numbers{};
  if (!DecodeCursorText(text, numbers)) return std::nullopt;
  const auto [since_ms, user] = numbers;
  if (user == 0) return std::nullopt;
  return Cursor{UserId(user), static_cast<std::int64_t>(since_ms)};
}

}  // namespace fanfold
