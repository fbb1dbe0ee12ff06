#include "projector/audit/edge_fold.h"

#include <utility>

namespace fanfold {

EdgeFold::EdgeFold(std::vector<Threshold> thresholds, std::function<bool(const Follow&)> wants,
                   Callbacks callbacks)
    : thresholds_(std::move(thresholds)),
      wants_(std::move(wants)),
      callbacks_(std::move(callbacks)) {}

void EdgeFold::Take(const Outcome& outcome) {
  ReachedTo(outcome.position.offset);
  const Follow follow{outcome.subject, outcome.object};
  if (MovesEdge(outcome) && wants_(follow)) {
    Edge& edge = edges_[follow];
    const EdgeChange change = Apply(edge, outcome);
    if (change.changed) {
      callbacks_.moved(follow, edge, change.edge);
      edge = change.edge;
    }
  }
  ReachedTo(Next(outcome.position.offset));
}

void EdgeFold::ReachedTo(Offset next) {
  for (; next_ < thresholds_.size() && thresholds_[next_].position <= next; ++next_) {
    callbacks_.reached(thresholds_[next_].section, edges_);
  }
}

}  // namespace fanfold
