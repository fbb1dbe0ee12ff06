#pragma once

#include <string_view>

namespace fanfold {

// Is it an address of this machine to itself, of IPv6 with or without brackets, or localhost?
[[nodiscard]] bool IsLoopback(std::string_view name);

}  // namespace fanfold
