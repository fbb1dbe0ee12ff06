#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fanfold {

// The statements of a migration: each ends with a semicolon at the end of a line; lines that begin
// with "--" are comments.
[[nodiscard]] std::vector<std::string> SplitStatements(std::string_view text);

}  // namespace fanfold
