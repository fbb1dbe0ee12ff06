// What a result code of SQLite means to the caller.
#pragma once

#include <cstdint>

#include "common/base/result.h"

namespace fanfold::sqlite {

enum class Phase : std::uint8_t { kPlain, kCommits };

// Of an extended result code; one that has no row of its own counts as its primary code.
[[nodiscard]] ErrorCode CodeOf(int error, Phase phase) noexcept;

// What an operator should do about it, or nothing; to be put behind SQLite's own message.
[[nodiscard]] const char* AdviceFor(int error) noexcept;

}  // namespace fanfold::sqlite
