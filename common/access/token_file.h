// The file of static tokens, as whoever makes and revokes them changes it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/access/static_tokens.h"
#include "common/base/result.h"

namespace fanfold {

// Errors: kInvalidArgument, it is no file of tokens; kNotFound, it is not there.
[[nodiscard]] Result<std::vector<StaticToken>> ReadTokenFile(const std::string& path);

// Changes the tokens, one caller at a time: a lock file beside it says whose turn it is. Readers
// see what was there or what is there now; a new file has mode 0640, one that was there keeps its
// group and mode. Where there is none, the tokens begin empty. Errors: those of `change` and
// ReadTokenFile, and kUnavailable, it cannot be written; then nothing is changed.
[[nodiscard]] Status ChangeTokenFile(
    const std::string& path, const std::function<Status(std::vector<StaticToken>&)>& change);

}  // namespace fanfold
