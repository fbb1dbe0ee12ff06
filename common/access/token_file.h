// The file of static tokens, as whoever makes and revokes them changes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/access/static_tokens.h"
#include "common/base/result.h"

namespace fanfold {

// Errors: kInvalidArgument, it is no file of tokens; kNotFound, it is not there.
[[nodiscard]] Result<std::vector<StaticToken>> ReadTokenFile(const std::string& path);

// A turn takes milliseconds: who has it so much longer has stopped.
inline constexpr std::int64_t kTokenFileTurnMaxMs = 10'000;

// Changes the tokens, one caller at a time: a lock file beside it, of its owner alone, says whose
// turn it is. Readers see what was there or what is there now; a new file has mode 0640, one that
// was there keeps its group and mode. Where there is none, the tokens begin empty. Errors: those of
// `change` and ReadTokenFile, and kUnavailable, it cannot be written, or the turn did not come
// within turn_max_ms; then nothing is changed.
[[nodiscard]] Status ChangeTokenFile(const std::string& path,
                                     const std::function<Status(std::vector<StaticToken>&)>& change,
                                     std::int64_t turn_max_ms = kTokenFileTurnMaxMs);

}  // namespace fanfold
