#include "operations/base/backend.h"

#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {

Result<ShardReaders> OpenReaders(Backend& backend) {
  ShardReaders readers;
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    Result<std::unique_ptr<ProjectionReader>> reader = backend.OpenReader(Shard(shard));
    if (!reader) return OfShard(Shard(shard), reader.error());
    readers.push_back(std::move(*reader));
  }
  return readers;
}

Status ProveLog(Backend& backend, LogProof& proof, Stream stream, const ReadGenerations& read,
                LogProof::Asks asks) {
  return proof.CheckStream(stream, read, backend.shards(),
                           AskLanes([&backend](Shard shard) { return backend.OpenReader(shard); }),
                           asks);
}

Status CheckShards(Backend& backend) {
  if (Status valid = CheckConfigured(ShapeOf(backend)); !valid) return valid;
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    Result<std::unique_ptr<ProjectionReader>> reader = backend.OpenReader(Shard(shard));
    if (!reader) return Forward(reader);
    const Status fits = (*reader)->Ping();  // whose session asks
    const bool refused = !fits && fits.error().code == ErrorCode::kRefused;
    if (refused) return OfShard(Shard(shard), fits.error());
  }
  return {};
}

}  // namespace fanfold::operations
