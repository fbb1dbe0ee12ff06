// A line of a file of posts to import, as an event. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "common/post/post_event.h"
#include "operations/log/import_line.h"

namespace fanfold::operations {

// The longest line that is read: a content may be all escapes.
inline constexpr std::size_t kPostLineBytesMax = 32'768;

struct PostLine {
  PostEvent event;                    // without id and, where it says none, time
  std::optional<std::int64_t> at_ms;  // absent: the time of append
};

// {"author","post_id"[,"content","post_type","at"]}, or the end of a post:
// {"author","post_id","delete":true[,"at"]}; ids as strings or integers. Another member is a bad
// line. A time is never judged for how far ahead it is.
[[nodiscard]] std::expected<PostLine, BadLine> ParsePostLine(std::string_view line,
                                                             TimeUnit unit = TimeUnit::kMs);

}  // namespace fanfold::operations
