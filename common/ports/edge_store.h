// The rows of the two tables of edges, and their counts. Adapters: MySQL, SQLite; each passes
// tests/contract/edge_store_contract.h.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/as.h"
#include "common/ports/lane_store.h"
#include "common/ports/profile_erasure.h"
#include "common/ports/row_image.h"
#include "common/relation/direction.h"
#include "common/relation/edge.h"
#include "common/stream/ids.h"

namespace fanfold {

// A row of a table: `user` is whose list it is in, `other` the one listed.
using EdgeKey = RowKey;

// The row of subject → object in the lists of this direction.
[[nodiscard]] constexpr EdgeKey KeyOf(Direction list, UserId subject, UserId object) noexcept {
  return {OwnerIn(list, subject, object), OtherIn(list, subject, object)};
}

// A row as it stands, or is to stand.
struct EdgeRow {
  EdgeKey key;
  Edge edge;
};

struct CountWrite {
  UserId user;
  int delta = 0;
};

struct EdgeWrites : RowWrites {
  std::vector<EdgeRow> edges;      // sorted by key, unique; of a row that is there the newer counts
  bool edges_are_newest = false;   // no row that is there is newer than the batch's: none is asked
  std::vector<CountWrite> counts;  // sorted by user, unique, delta ≠ 0
  std::vector<ErasureKey> reached;  // ended accounts, sorted, unique: they are to be erased again

  [[nodiscard]] std::size_t rows() const noexcept override { return edges.size(); }
};

// The present rows, in the order asked.
struct LoadedRows {
  std::vector<Edge> edges;        // version 0 where there is no row
  std::vector<EdgeCount> counts;  // 0 where there is no row
};

// The edges of one generation. Thread-compatible; calls block as those of the LaneStore it came
// from.
class EdgeStore : public RowStore {
 public:
  // Edges of a batch, and of a call.
  static constexpr std::size_t kEdgesMax = 16384;

  // The rows of these keys and counts of these users; each sorted and unique, at most kEdgesMax.
  // Errors: kUnavailable, kConflict (nothing happened).
  [[nodiscard]] virtual Result<LoadedRows> Load(std::span<const EdgeKey> edges,
                                                std::span<const UserId> users) = 0;

  // Every row of these users, sorted and unique, at most kEdgesMax; by key. Nothing when there are
  // more than rows_max. Errors: kUnavailable, kConflict.
  [[nodiscard]] virtual Result<std::optional<std::vector<EdgeRow>>> LoadLists(
      std::span<const UserId> users, std::size_t rows_max) = 0;
};

// Requires: a projection of edges.
[[nodiscard]] inline std::unique_ptr<EdgeStore> OpenEdges(LaneStore& store, Projection projection,
                                                          Generation generation) {
  return As<EdgeStore>(store.OpenRows(projection, generation));
}
// Requires: of a projection of edges.
[[nodiscard]] inline const EdgeWrites& EdgesOf(const RowWrites& rows) {
  return As<EdgeWrites>(rows);
}

}  // namespace fanfold
