#include "cli/backend.h"

#include <fmt/format.h>
#include <utility>

namespace fanfold {

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

}  // namespace fanfold
