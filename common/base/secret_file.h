// A password or a key's, in a file of its own.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace fanfold {

inline constexpr std::size_t kSecretBytesMax = 8'192;

// Reads the file's present content, without the line's end. Errors: kInvalidArgument, the file
// cannot be read, is empty, or is larger than kSecretBytesMax; the message names the file and tells
// nothing of its content.
[[nodiscard]] Result<std::string> ReadSecret(const std::string& path);

}  // namespace fanfold
