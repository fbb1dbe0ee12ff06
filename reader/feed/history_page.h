// The posts that were shown to an owner, last shown first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/ids.h"
#include "reader/table_question.h"

namespace fanfold::reader {

// Rows that one page looks at, about. A page with as many repeats, or deleted or unknown posts, is
// short, and leads on.
inline constexpr std::size_t kHistoryRowsMax = 10'000;

// Before that version; each post once, where it was shown first; deleted and unknown ones are left
// out: {"items":[…],"next_cursor"}.
[[nodiscard]] QuestionPtr NewHistoryPage(UserId owner, std::optional<Version> before,
                                         std::size_t limit);

// Opaque to callers: letters, digits and '-'.
[[nodiscard]] std::string EncodeHistoryCursor(Version before);
[[nodiscard]] std::optional<Version> DecodeHistoryCursor(std::string_view text) noexcept;

}  // namespace fanfold::reader
