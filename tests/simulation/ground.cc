#include "tests/simulation/ground.h"

#include "common/base/check.h"

namespace fanfold::simulation {

Placement PlacementOf(std::uint64_t seed, const Scenario& scenario) {
  const Shape shape{kPartitions, kShards};
  if (scenario.operated || seed % kOtherSlotMapEvery != 0) return Placement::Modulo(shape);
  SplitMix64 random(seed);
  std::vector<Shard> shard_of;
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    shard_of.emplace_back(static_cast<std::int32_t>(random.Below(kShards)));
  }
  SlotMap map;
  for (std::size_t slot = 0; slot < map.shard_of.size(); ++slot) {
    map.shard_of[slot] = shard_of[slot % shard_of.size()];
  }
  return {shape, kOtherSlotMap, map};
}

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
