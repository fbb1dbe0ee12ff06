// How far the lanes that are read have come, as metrics.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "common/base/metrics.h"
#include "reader/freshness/position_table.h"

namespace fanfold::reader {

// One thread at a time.
class LaneGauges {
 public:
  // `metrics` outlives it.
  explicit LaneGauges(Metrics& metrics) : metrics_(metrics) {}

  // Every lane by itself, and the worst lag of each projection.
  void Show(std::span<const LaneStand> lanes);

 private:
  struct Shown {
    Gauge& applied;
    Gauge& end;
    Gauge& lag;
  };
  [[nodiscard]] const Shown& Of(const LaneStand& lane);

  Metrics& metrics_;
  std::map<std::pair<Projection, Partition>, Shown> shown_;
};

}  // namespace fanfold::reader
