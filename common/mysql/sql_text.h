// Pieces of MySQL's text. Statements of thousands of rows are built by hand: prepared ones would
// take a round trip, and a bind, per row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/sql/sql_text.h"

namespace fanfold::mysql {

// A string literal that stands for exactly these bytes, whatever the connection's character set.
// Requires: an sql_mode without NO_BACKSLASH_ESCAPES, which every session sets.
void AppendBytes(std::string& sql, std::string_view bytes);

// A string literal of at most bytes_max printable ASCII characters; others become '?'.
void AppendWords(std::string& sql, std::string_view words, std::size_t bytes_max);

// The database's clock, in ms since 1970 UTC.
inline constexpr std::string_view kNowMs = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

// Rows in one INSERT or one SELECT. Between 500 and 4,096 the server's time a row is the same.
inline constexpr std::size_t kStatementRowsMax = 1000;

// Calls `each` with consecutive pieces of at most `most` items.
template <class Item, class Each>
void InPieces(std::span<const Item> items, Each each, std::size_t most = kStatementRowsMax) {
  for (std::size_t at = 0; at < items.size(); at += most) {
    each(items.subspan(at, std::min(most, items.size() - at)));
  }
}

}  // namespace fanfold::mysql
