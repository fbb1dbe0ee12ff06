// A batch of lanes with rows of edges in one value.
#pragma once

#include "common/ports/edge_store.h"

namespace fanfold::testing {

struct EdgeBatch : LaneBatch, EdgeWrites {
  EdgeBatch() { LaneBatch::rows = this; }
  // Requires: rows of edges, or none.
  explicit EdgeBatch(const LaneBatch& batch) : LaneBatch(batch) {
    if (batch.rows != nullptr) EdgeWrites::operator=(EdgesOf(*batch.rows));
    LaneBatch::rows = this;
  }
  EdgeBatch(const EdgeBatch& other) : LaneBatch(other), EdgeWrites(other) {
    LaneBatch::rows = this;
  }
  EdgeBatch& operator=(const EdgeBatch& other) {
    LaneBatch::operator=(other);
    EdgeWrites::operator=(other);
    LaneBatch::rows = this;
    return *this;
  }
  ~EdgeBatch() override = default;
};

}  // namespace fanfold::testing
