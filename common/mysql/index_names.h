#pragma once

#include <string_view>

namespace fanfold::mysql {

// The index of a list, newest first, of both edge tables.
inline constexpr std::string_view kPageIndex = "page";
inline constexpr std::string_view kPrimaryIndex = "PRIMARY";

}  // namespace fanfold::mysql
