// Whether the log that a reader follows is the one that its tables were folded from.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "common/ports/log_proof.h"
#include "reader/freshness/position_board.h"

namespace fanfold::reader {

// Whoever has not polled for so long beyond a poll's own time, or in vain, has not seen what became
// of the topic meanwhile: it is proved before what comes is used (as ShardWorker::kGapMs).
inline constexpr std::int64_t kUnseenMs = 200;

// By the marks of the lanes that the board knows. Blocks as the proof does. Errors: kRefused, it is
// another log; kUnavailable, nobody can say now.
[[nodiscard]] Status ProveFollowed(LogProof& proof, const PositionBoard& board, Stream stream);

}  // namespace fanfold::reader
