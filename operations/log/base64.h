// Bytes as text that JSON can hold (RFC 4648, with padding). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fanfold::operations {

[[nodiscard]] std::string ToBase64(std::string_view bytes);
// Nothing when it is not what ToBase64 writes.
[[nodiscard]] std::optional<std::string> FromBase64(std::string_view text);

}  // namespace fanfold::operations
