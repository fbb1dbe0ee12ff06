#include "common/ports/deployment.h"

#include <string>

#include "common/ports/deployment_check.h"

namespace fanfold {

Result<Placement> ReadPlacement(ProjectionReader& first, const Shape& configured, SlotMapId map) {
  const Result<SlotMap> slots = first.ReadSlotMap(map);
  if (!slots) return std::unexpected(slots.error());
  if (Status fits = CheckSlotMap(configured, map, *slots); !fits) return Forward(fits);
  return Placement(configured, map, *slots);
}

Result<Deployment> ReadDeployment(ProjectionReader& first, const Shape& configured,
                                  const std::optional<Placement>& known) {
  const Result<Catalog> catalog = first.ReadCatalog();
  if (!catalog) return std::unexpected(catalog.error());
  if (Status fits = CheckCatalog(configured, *catalog); !fits) return Forward(fits);
  if (known && known->slot_map() == catalog->slot_map)
    return Deployment{*known, catalog->read, catalog->inboxes};
  Result<Placement> placement = ReadPlacement(first, configured, catalog->slot_map);
  if (!placement) return Forward(placement);
  return Deployment{*std::move(placement), catalog->read, catalog->inboxes};
}

Result<Placement> AskPlacement(const OpenReader& open, const Shape& configured, SlotMapId map) {
  const auto first = open(Shard(0));
  if (!first) return std::unexpected(first.error());
  return ReadPlacement(**first, configured, map);
}

Result<Generation> AskGenerationRead(const OpenReader& open, Projection projection) {
  const auto first = open(Shard(0));
  if (!first) return std::unexpected(first.error());
  const Result<Catalog> catalog = (*first)->ReadCatalog();
  if (!catalog) return std::unexpected(catalog.error());
  return catalog->read[projection];
}

}  // namespace fanfold
