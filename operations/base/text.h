// How numbers, times and bytes are shown to people. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::operations {

// 950, 12.3k, 1.23M, 4.56G.
[[nodiscard]] std::string ShortCount(std::int64_t count);

// 0:07, 12:40, 3:07:59, 2d 03:07.
[[nodiscard]] std::string ShortDuration(std::int64_t ms);

// 2026-11-21T04:00:00.123Z; years beyond 9999 stay milliseconds.
[[nodiscard]] std::string IsoTime(std::int64_t ms);

// Parses IsoTime's form, with or without the fraction, or milliseconds since 1970 UTC.
[[nodiscard]] std::optional<std::int64_t> ParseTime(std::string_view text);

// Printable ASCII stays; quotes and backslashes get a backslash before them, newlines and tabs
// become \n and \t, every other byte \xHH.
[[nodiscard]] std::string Escaped(std::string_view bytes);

}  // namespace fanfold::operations
