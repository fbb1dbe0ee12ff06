// A rebuild of projections, whole or step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "operations/base/context.h"
#include "operations/rebuild/generations.h"

namespace fanfold::operations {

enum class RebuildStep : std::uint8_t {
  kWhole = 1,  // start, verify, promote
  kStart = 2,  // makes the next generation, loads it, waits until it has caught up
  kStatus = 3,
  kVerify = 4,    // the generation that was made, against the topics
  kPromote = 5,   // it is read, and decides
  kRollback = 6,  // the one that was read before is read again
  kRetire = 7,    // drops those before the one that is read
  kCancel = 8,    // drops those after it
};

struct RebuildOptions {
  RebuildStep step = RebuildStep::kStatus;
  std::vector<Projection> projections = AllProjections();
  bool yes = false;  // a whole rebuild asks nothing before it promotes
  // kWhole and kStart: the tables as of then, for nobody but those who ask for them. ms since 1970.
  std::optional<std::int64_t> until_ms;
  std::int64_t rows_per_second = 0;  // read, written and verified; 0: as fast as it goes
  // kVerify and kCancel: this one, instead of those after the one that is read. kRollback: back to
  // this one, instead of the one before.
  std::optional<Generation> generation;
};

enum class RebuildEnd : std::uint8_t {
  kDone = 1,     // or was told not to promote
  kDiffers = 2,  // what was made is not what the topics say, and is not promoted
};

// May this generation be read from now on? Asked between the steps of a whole rebuild, which waits
// for the answer.
using MayPromote = std::function<bool(Projection projection, Generation generation)>;

// Does any step but kStatus, which Generations::List answers. Each that is done goes to the sink.
// `generations` are the context's. Errors: kRefused, another rebuild of the projection runs, or
// there is nothing to do it to; kTimeout, a wait ran out or was interrupted; the ports'. Blocks as
// long as it takes.
[[nodiscard]] Result<RebuildEnd> Rebuild(Context& context, const RebuildOptions& options,
                                         Generations& generations, const MayPromote& may_promote);

}  // namespace fanfold::operations
