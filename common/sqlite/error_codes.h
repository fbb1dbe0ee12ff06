// Maps a result code of SQLite for the caller.
#pragma once

#include <cstdint>

#include "common/base/result.h"

namespace fanfold::sqlite {

enum class Phase : std::uint8_t { kPlain, kCommits };

// Takes an extended result code; one without a row of its own counts as its primary code.
[[nodiscard]] ErrorCode CodeOf(int error, Phase phase) noexcept;

// Advice to an operator, or nothing; to be put behind SQLite's own message.
[[nodiscard]] const char* AdviceFor(int error) noexcept;

}  // namespace fanfold::sqlite
