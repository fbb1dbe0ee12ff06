// Follows the records of one partition and knows how the rows they move stand after each. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/ports/row_kinds.h"
#include "projector/audit/section.h"

namespace fanfold::projector {

// Stops at the sections' positions on its way.
class RowFold {
 public:
  using Rows = std::unordered_map<RecordKey, RowState>;

  struct Callbacks {
    // A row moves; called before the fold takes it in.
    std::function<void(const RecordKey&, const RowState& before, const RowState& after)> moved;
    // Every event below the section's position is in, none above: so the rows stand there.
    std::function<void(std::size_t section, const Rows& rows)> reached;
  };

  // `wants` says which rows of that kind are followed. Thresholds come lowest first.
  RowFold(const RowKind& kind, std::vector<Threshold> thresholds,
          std::function<bool(const RecordKey&)> wants, Callbacks callbacks);

  // Requires: in the order of their events, each once.
  void Take(const SaidRecord& record);
  // The events below `next` are in: thresholds at or below it are reached. To be called with 0
  // before the first record.
  void ReachedTo(Offset next);

  // Thresholds that the records taken did not reach.
  [[nodiscard]] std::span<const Threshold> beyond() const noexcept {
    return std::span(thresholds_).subspan(next_);
  }

 private:
  const RowKind& kind_;
  std::vector<Threshold> thresholds_;
  std::size_t next_ = 0;
  std::function<bool(const RecordKey&)> wants_;
  Callbacks callbacks_;
  Rows rows_;
};

}  // namespace fanfold::projector
