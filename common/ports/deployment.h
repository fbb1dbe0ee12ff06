// The deployment as its tables say it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/stream/slot.h"

namespace fanfold {

// The generations that are read, and where they are: one slot map has them all.
struct Deployment {
  Placement placement;
  ReadGenerations read;
  std::optional<Generation> inboxes = std::nullopt;  // of hybrid mode; nothing: feeds are pulled
};

// `first` is shard 0's reader, who has catalog and slot maps; blocks as it does.

// Where the generations of that map are. Errors: kRefused, by name, with what to do: the map is not
// one of this shape, or there is none; the reader's.
[[nodiscard]] Result<Placement> ReadPlacement(ProjectionReader& first, const Shape& configured,
                                              SlotMapId map);

// Reads the present deployment. `known` is used where the map that is read is the same: a map never
// changes. Errors: CheckCatalog's, ReadPlacement's.
[[nodiscard]] Result<Deployment> ReadDeployment(ProjectionReader& first, const Shape& configured,
                                                const std::optional<Placement>& known = {});

// The same of a session of its own with shard 0, which `open` gives.
using OpenReader = std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)>;
[[nodiscard]] Result<Placement> AskPlacement(const OpenReader& open, const Shape& configured,
                                             SlotMapId map);
// The generation of the projection that the catalog reads.
[[nodiscard]] Result<Generation> AskGenerationRead(const OpenReader& open, Projection projection);

}  // namespace fanfold
