#pragma once

#include <functional>
#include <memory>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/projection_reader.h"

namespace fanfold::reader {

// The lists of all users, for one thread.
class ShardedLists {
 public:
  virtual ~ShardedLists() = default;
  // Answers for the users of the shard. Ask for it before each question, since the time for
  // questions may have ended. Valid as long as this object. Never null. Errors: as ShardedReader's.
  [[nodiscard]] virtual Result<ListReader*> ListsOn(Shard shard) = 0;
};

// The tables of all shards, for one thread.
class ShardedReader : public ShardedLists {
 public:
  [[nodiscard]] Result<ListReader*> ListsOn(Shard shard) final {
    const Result<ProjectionReader*> reader = On(shard);
    if (!reader) return std::unexpected(reader.error());
    return *reader;
  }
  // The shard's reader, opened when it is first asked for; valid as long as this object. Never
  // null. Errors and blocking bound: as those of ProjectionReader.
  [[nodiscard]] virtual Result<ProjectionReader*> On(Shard shard) = 0;
};

// Opens one more connection to a shard. Thread-safe.
using ReaderFactory = std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)>;

}  // namespace fanfold::reader
