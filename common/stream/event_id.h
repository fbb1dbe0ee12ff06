// The name an event's producer gave it.
#pragma once

#include <cstddef>
#include <string_view>

namespace fanfold {

// 1 … kEventIdBytesMax printable characters of ASCII, no quote or backslash.
inline constexpr std::size_t kEventIdBytesMax = 64;
[[nodiscard]] bool IsEventId(std::string_view text) noexcept;

}  // namespace fanfold
