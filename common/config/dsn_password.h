// Where a text that may be a DSN holds a password: mysql://user:password@host/schema.
#pragma once

#include <string>
#include <string_view>

namespace fanfold {

[[nodiscard]] bool HoldsPassword(std::string_view dsn);

// Puts *** in the password's place. A text that has *** already stays the same.
[[nodiscard]] std::string WithoutPassword(std::string_view dsn);

}  // namespace fanfold
