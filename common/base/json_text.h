// JSON before it is read: what a parser would take without a word, or at any cost.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/base/result.h"

namespace fanfold {

struct JsonBounds {
  std::size_t depth_max = 0;   // of lists and objects in each other
  std::size_t values_max = 0;  // names of members are none
};

// Whether the text is one JSON value within the bounds in which no object names a member twice: of
// two the parser would keep the last. Stops at the first thing that is wrong.
// Errors, "is not JSON: …" behind the name of the text: kInvalidArgument; kOutOfRange above
// values_max.
[[nodiscard]] Status CheckJson(std::string_view text, const JsonBounds& bounds);

}  // namespace fanfold
