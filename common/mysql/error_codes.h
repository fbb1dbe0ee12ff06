// Maps a code of the server or of its client library for the caller. Codes, not SQLSTATEs: the
// connector reports a refused connection with a state that says nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace fanfold::mysql {

// kCommits: the statement that makes a transaction last (COMMIT, or one outside a transaction).
enum class Phase : std::uint8_t { kPlain, kCommits };

// In kCommits, what is not a conflict is kUnknown: the answer may be what was lost.
[[nodiscard]] ErrorCode CodeOf(int error, Phase phase) noexcept;

// The session cannot be used after this.
[[nodiscard]] bool EndsSession(int error) noexcept;

// Advice to an operator, or nothing; to be put behind the server's own message.
[[nodiscard]] const char* AdviceFor(int error, std::string_view text) noexcept;

}  // namespace fanfold::mysql
