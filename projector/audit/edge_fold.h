// Follows the outcomes of one partition and knows how its edges stand after each. Pure; the rule is
// Apply, as everywhere.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/relation/edge.h"
#include "common/stream/slot.h"
#include "projector/audit/section.h"

namespace fanfold {

// Stops at the sections' positions on its way.
class EdgeFold {
 public:
  using Edges = std::unordered_map<Follow, Edge>;

  struct Callbacks {
    // An edge moves; called before the fold takes it in.
    std::function<void(const Follow&, const Edge& before, const Edge& after)> moved;
    // Every event below the section's position is in, none above: so the edges stand there.
    std::function<void(std::size_t section, const Edges& edges)> reached;
  };

  // `wants` says which edges are followed. Thresholds come lowest first.
  EdgeFold(std::vector<Threshold> thresholds, std::function<bool(const Follow&)> wants,
           Callbacks callbacks);

  // Requires: outcomes in the order of their positions, each once.
  void Take(const Outcome& outcome);
  // The events below `next` are in: thresholds at or below it are reached. To be called with 0
  // before the first outcome.
  void ReachedTo(Offset next);

  // Those that the outcomes taken did not get to.
  [[nodiscard]] std::span<const Threshold> beyond() const noexcept {
    return std::span(thresholds_).subspan(next_);
  }

 private:
  std::vector<Threshold> thresholds_;
  std::size_t next_ = 0;
  std::function<bool(const Follow&)> wants_;
  Callbacks callbacks_;
  Edges edges_;
};

}  // namespace fanfold
