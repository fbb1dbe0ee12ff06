#include "reader/cache/edge_move.h"

namespace fanfold {

std::optional<EdgeMove> EdgeMove::Of(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::kFollowed:
    case OutcomeKind::kUnfollowed:
      return EdgeMove{outcome.subject, outcome.object, outcome.since_ms, outcome.position,
                      outcome.kind == OutcomeKind::kFollowed};
    case OutcomeKind::kUnchanged:
    case OutcomeKind::kRejected:
    case OutcomeKind::kParked:
      break;
  }
  return std::nullopt;
}

}  // namespace fanfold
