// Checks text for cjose, whose decoder takes padding anywhere, and stops the process where there
// is too much padding.
#pragma once

#include <cstddef>
#include <string_view>

namespace fanfold {

// Is it base64url without padding, as its encoder writes it (RFC 7515, 2; RFC 4648, 3.5)? An empty
// text is.
[[nodiscard]] bool IsBase64Url(std::string_view text) noexcept;

// How many digits it is of so many bytes.
[[nodiscard]] std::size_t Base64UrlDigits(std::size_t bytes) noexcept;

// Are these three such texts, none empty, with a dot between each?
[[nodiscard]] bool IsCompactJws(std::string_view token) noexcept;

}  // namespace fanfold
