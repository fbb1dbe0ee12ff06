// A connection to each shard, opened when it is first needed.
#pragma once

#include <map>
#include <memory>

#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// `factory` outlives it.
class OwnConnections final : public ShardedReader {
 public:
  explicit OwnConnections(const ReaderFactory& factory) : factory_(factory) {}

  Result<ProjectionReader*> On(Shard shard) override {
    std::unique_ptr<ProjectionReader>& reader = readers_[shard];
    if (!reader) {
      Result<std::unique_ptr<ProjectionReader>> opened = factory_(shard);
      if (!opened) return Forward(opened);
      reader = *std::move(opened);
    }
    return reader.get();
  }

 private:
  const ReaderFactory& factory_;
  std::map<Shard, std::unique_ptr<ProjectionReader>> readers_;
};

}  // namespace fanfold::reader
