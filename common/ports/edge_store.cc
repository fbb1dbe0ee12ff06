#include "common/ports/edge_store.h"

#include "common/base/check.h"

namespace fanfold {

std::unique_ptr<EdgeStore> OpenEdges(LaneStore& store, Projection projection,
                                     Generation generation) {
  std::unique_ptr<RowStore> rows = store.OpenRows(projection, generation);
  auto* edges = dynamic_cast<EdgeStore*>(rows.get());
  FANFOLD_CHECK(edges != nullptr, "not a projection of edges");
  (void)rows.release();
  return std::unique_ptr<EdgeStore>(edges);
}

const EdgeWrites& EdgesOf(const RowWrites& rows) {
  const auto* edges = dynamic_cast<const EdgeWrites*>(&rows);
  FANFOLD_CHECK(edges != nullptr, "not rows of edges");
  return *edges;
}

}  // namespace fanfold
