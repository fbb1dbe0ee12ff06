// The edges that outcomes leave, gathered for a generation that is loaded. Pure.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/relation/codec.h"
#include "common/stream/slot.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class RelationLoad final : public FoldLoad {
 public:
  // Of the lists of this direction.
  RelationLoad(Direction list, const Placement& placement) : list_(list), placement_(placement) {}

  [[nodiscard]] std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override;
  void Keep(std::span<const std::size_t> places) override;
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return rows_.size() * sizeof(EdgeRow);
  }
  void Seal() override;
  [[nodiscard]] std::unique_ptr<RowParts> PartsOf(Shard shard) const override;
  void Clear() override { rows_.clear(); }

 private:
  Direction list_;
  Placement placement_;
  std::vector<std::expected<Outcome, Unreadable>> read_;
  std::vector<EdgeRow> rows_;
};

}  // namespace fanfold::projector
