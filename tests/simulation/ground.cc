#include "tests/simulation/ground.h"

#include "common/base/check.h"

namespace fanfold::simulation {

std::vector<FoldedGeneration> Ground::Folded(Projection projection, Shard shard) const {
  if (operated) {
    auto folded = adapters->NewStore(shard)->Generations(projection);
    FANFOLD_CHECK(folded.has_value(), "SQLite in memory fails");
    return *std::move(folded);
  }
  if (!projection.decides()) return {{kGeneration, false}};
  std::vector<FoldedGeneration> folded;
  for (const Generation generation : generations) {
    folded.push_back({generation, generation == decider});
  }
  return folded;
}

ReadGenerations Ground::Read() const {
  const auto catalog = adapters->NewReader(Shard(0))->ReadCatalog();
  FANFOLD_CHECK(catalog.has_value(), "the tables in memory have no catalog");
  return catalog->read;
}

}  // namespace fanfold::simulation
