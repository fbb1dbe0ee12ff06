#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/ids.h"

namespace fanfold {

// One entry of a list. Lists sort by since descending, then user descending: values, never arrival.
struct ListedUser {
  UserId user;
  std::int64_t since_ms = 0;
  friend bool operator==(const ListedUser&, const ListedUser&) = default;
};

[[nodiscard]] constexpr bool ListedBefore(const ListedUser& a, const ListedUser& b) noexcept {
  return a.since_ms != b.since_ms ? a.since_ms > b.since_ms : a.user > b.user;
}

// A page begins after this entry, wherever it stands or stood: entries that come and go between two
// pages neither repeat nor hide others.
using Cursor = ListedUser;

// Opaque to callers: letters, digits, '-' and '_'.
[[nodiscard]] std::string EncodeCursor(const Cursor& cursor);
[[nodiscard]] std::optional<Cursor> DecodeCursor(std::string_view text) noexcept;

}  // namespace fanfold
