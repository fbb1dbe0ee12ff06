// Pieces of MySQL's text. Statements of thousands of rows are built by hand: prepared ones would
// take a round trip, and a bind, per row.
#pragma once

#include <cstddef>
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

}  // namespace fanfold::mysql
