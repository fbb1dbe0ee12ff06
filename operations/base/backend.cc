#include "operations/base/backend.h"

#include <fmt/format.h>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {

Result<ShardReaders> OpenReaders(Backend& backend) {
  ShardReaders readers;
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    Result<std::unique_ptr<ProjectionReader>> reader = backend.OpenReader(Shard(shard));
    if (!reader) {
      return Fail(reader.error().code, fmt::format("shard {}: {}", shard, reader.error().message));
    }
    readers.push_back(std::move(*reader));
  }
  return readers;
}

Result<Placement> ConfiguredPlacement(const Backend& backend) {
  return PlacementOf(backend.partitions(), backend.shards());
}

Status CheckShards(Backend& backend) {
  const Result<Placement> configured = ConfiguredPlacement(backend);
  if (!configured) return std::unexpected(configured.error());
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
