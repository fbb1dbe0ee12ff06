// `fanfold rebuild following|fans|all` and its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "common/ports/lane.h"

namespace fanfold {

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
  bool yes = false;  // asks nothing
  // kWhole and kStart: the tables as of then, for nobody but those who ask for them. ms since 1970.
  std::optional<std::int64_t> until_ms;
  std::int64_t rows_per_second = 0;  // read, written and verified; 0: as fast as it goes
  // kVerify and kCancel: this one, instead of those after the one that is read. kRollback: back to
  // this one, instead of the one before.
  std::optional<Generation> generation;
};

// "following", "fans", "all"
[[nodiscard]] std::optional<std::vector<Projection>> ParseProjections(std::string_view text);

// kDifferent when the made generation is not what the topics say (it is not promoted), or a wait
// ran out; kRefused when another rebuild of the projection runs, or there is nothing to do it to.
[[nodiscard]] ExitCode RunRebuild(Session& session, const RebuildOptions& options);

}  // namespace fanfold
