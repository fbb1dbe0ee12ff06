// The token that verbs show to services.
#pragma once

#include <string>

#include "common/base/result.h"

namespace fanfold {

// That of `token_file`. Errors: kInvalidArgument, as of ReadSecret, or what it holds has not the
// form of a token: another secret is shown to nobody. The message tells nothing of it.
[[nodiscard]] Result<std::string> ReadShownToken(const std::string& path);

}  // namespace fanfold
