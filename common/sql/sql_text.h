// Pieces of SQL text that every database reads alike.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/stream/ids.h"

namespace fanfold {

template <std::integral Integer>
void AppendNumber(std::string& sql, Integer number) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  sql.append(digits, end);
}

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

// "1,2,3"
void AppendIds(std::string& sql, std::span<const UserId> users);

// At most bytes_max printable ASCII characters of it; others become '?'.
[[nodiscard]] std::string PrintableAscii(std::string_view words, std::size_t bytes_max);

}  // namespace fanfold
