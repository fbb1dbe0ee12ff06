// JSON as text: what a parser would take without a word, or at any cost; and strings written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fanfold {

struct JsonBounds {
  std::size_t depth_max = 0;   // of lists and objects in each other
  std::size_t values_max = 0;  // in all of them together
};

// Whether the text is within the bounds, without a NUL byte, and no object names a member twice: of
// two a parser keeps the last. Whether it is JSON the parser tells. Reads the text once, at a small
// part of the parser's cost, and stops at the first thing that is wrong. Errors, "is nested …"
// behind the name of the text: kInvalidArgument; kOutOfRange above values_max.
[[nodiscard]] Status CheckJson(std::string_view text, const JsonBounds& bounds);

// nlohmann's JSON as one line; what is not UTF-8 is replaced.
template <class Json>
[[nodiscard]] std::string OneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A text as a JSON string, quotes included; what is not UTF-8 is replaced.
[[nodiscard]] std::string JsonQuoted(std::string_view text);

// The same for a line that people read on a terminal: whatever is not printable ASCII is escaped,
// so that no text moves the cursor, hides, or turns around what stands beside it.
[[nodiscard]] std::string JsonPlain(std::string_view text);

}  // namespace fanfold
