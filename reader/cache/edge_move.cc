#include "reader/cache/edge_move.h"

namespace fanfold::reader {

std::optional<EdgeMove> EdgeMove::Of(const Outcome& outcome) {
  if (!MovesEdge(outcome)) return std::nullopt;
  return EdgeMove{outcome.subject, outcome.object, outcome.since_ms, outcome.position,
                  outcome.kind == OutcomeKind::kFollowed};
}

}  // namespace fanfold::reader
