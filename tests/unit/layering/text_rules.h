// What a file may say, and how much of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::layering {

// One sentence for each line that prints, of a file that is no terminal's: what an operation found
// is a value, and services log. Comments and texts do not count. `path` is relative to the
// repository's root.
[[nodiscard]] std::vector<std::string> Prints(std::string_view path, std::string_view text);

inline constexpr std::size_t kLinesMax = 300;

// Why the file is longer than one may be; empty when it is not.
[[nodiscard]] std::string TooLong(std::string_view path, std::string_view text);

}  // namespace fanfold::layering
