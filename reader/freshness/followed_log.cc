#include "reader/freshness/followed_log.h"

#include <vector>

namespace fanfold::reader {

Status ProveFollowed(LogProof& proof, const PositionBoard& board, Stream stream,
                     const ReadGenerations& read) {
  const PositionTable table = board.Table().first;
  Status same = proof.CheckStream(
      stream, read, board.shape().shards,
      [&table](Shard shard) -> Result<std::vector<LaneStatus>> { return table.Lanes(shard); },
      LogProof::Asks::kMarksAlone);
  return !same && same.error().code == ErrorCode::kRefused ? same : Status();
}

}  // namespace fanfold::reader
