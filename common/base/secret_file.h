// A password or a key's, in a file of its own.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace fanfold {

inline constexpr std::size_t kSecretBytesMax = 8'192;

// What the file holds now, without the line's end. Errors: kInvalidArgument, it cannot be read, is
// empty, or is larger than kSecretBytesMax; the message names the file and nothing of what it
// holds.
[[nodiscard]] Result<std::string> ReadSecret(const std::string& path);

}  // namespace fanfold
