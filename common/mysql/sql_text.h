// Pieces of SQL text. Statements of thousands of rows are built by hand: prepared ones would take a
// round trip, and a bind, per row.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace fanfold::mysql {

template <std::integral Integer>
void AppendNumber(std::string& sql, Integer number) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  sql.append(digits, end);
}

// A string literal that stands for exactly these bytes, whatever the connection's character set.
// Requires: an sql_mode without NO_BACKSLASH_ESCAPES, which every session sets.
void AppendBytes(std::string& sql, std::string_view bytes);

// A string literal of at most bytes_max printable ASCII characters; others become '?'.
void AppendWords(std::string& sql, std::string_view words, std::size_t bytes_max);

// "a, b, c"; `append` is called as append(sql, item).
template <class Range, class Append>
void AppendList(std::string& sql, const Range& items, std::string_view separator,
                const Append& append) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) sql += separator;
    first = false;
    append(sql, item);
  }
}

// The database's clock, in ms since 1970 UTC.
inline constexpr std::string_view kNowMs = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

}  // namespace fanfold::mysql
