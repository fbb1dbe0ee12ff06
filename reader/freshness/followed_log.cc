#include "reader/freshness/followed_log.h"

#include <vector>

namespace fanfold::reader {

Status ProveFollowed(LogProof& proof, const PositionBoard& board, Stream stream) {
  const Result<Deployment> deployment = board.Current();
  if (!deployment) return std::unexpected(deployment.error());
  const PositionTable table = board.Table().first;
  Status same = proof.CheckStream(
      stream, deployment->read, board.shape().shards,
      [&table](Shard shard) -> Result<std::vector<LaneStatus>> { return table.Lanes(shard); },
      LogProof::Asks::kMarksAlone);
  // Tables that know no record prove nothing, and hold nothing that another log could spoil.
  return !same && same.error().code == ErrorCode::kNotFound ? Status() : same;
}

}  // namespace fanfold::reader
