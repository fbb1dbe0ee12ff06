#pragma once

#include <functional>
#include <memory>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/relation/ids.h"

namespace fanfold {

// The tables of all shards, for one thread.
class ShardedReader {
 public:
  virtual ~ShardedReader() = default;
  // The shard's reader, opened when it is first asked for; valid as long as this object. Never
  // null. Errors and blocking bound: as those of ProjectionReader.
  [[nodiscard]] virtual Result<ProjectionReader*> On(Shard shard) = 0;
};

// Opens one more connection to a shard. Thread-safe.
using ReaderFactory = std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)>;

}  // namespace fanfold
