// Whether the log that a reader follows is the one that its tables were folded from.
#pragma once

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/log_proof.h"
#include "reader/freshness/position_board.h"

namespace fanfold::reader {

// By the lanes that the board knows. Blocks as the proof does. Errors: kRefused, it is another log;
// what nobody can say now is none.
[[nodiscard]] Status ProveFollowed(LogProof& proof, const PositionBoard& board, Stream stream,
                                   const ReadGenerations& read);

}  // namespace fanfold::reader
