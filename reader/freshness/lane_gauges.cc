#include "reader/freshness/lane_gauges.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "common/base/clock.h"
#include "common/ports/projection.h"

namespace fanfold::reader {

void LaneGauges::Show(std::span<const LaneStand> lanes) {
  PerProjection<std::int64_t> worst_ms;
  for (const LaneStand& lane : lanes) {
    const Shown& shown = Of(lane);
    shown.applied.Set(static_cast<double>(lane.applied.value));
    shown.end.Set(static_cast<double>(lane.end.value));
    shown.lag.Set(static_cast<double>(lane.lag_ms) / kMsPerSecond);
    worst_ms[lane.projection] = std::max(worst_ms[lane.projection], lane.lag_ms);
  }
  for (const Projection projection : Projection::All()) {
    metrics_
        .GetGauge("fanfold_reader_lag_seconds",
                  "Age of the oldest event not yet in the tables that are read, in seconds",
                  {{"projection", std::string(ToString(projection))}})
        .Set(static_cast<double>(worst_ms[projection]) / kMsPerSecond);
  }
}

const LaneGauges::Shown& LaneGauges::Of(const LaneStand& lane) {
  const std::pair key(lane.projection, lane.partition);
  if (const auto known = shown_.find(key); known != shown_.end()) return known->second;
  const MetricLabels labels = {{"projection", std::string(ToString(lane.projection))},
                               {"partition", std::to_string(lane.partition.value)}};
  const Shown made{
      metrics_.GetGauge("fanfold_reader_lane_applied_events",
                        "Events of the partition that the tables that are read hold, on the shard "
                        "furthest behind",
                        labels),
      metrics_.GetGauge("fanfold_reader_lane_end_events", "Events of the partition in the log",
                        labels),
      metrics_.GetGauge(
          "fanfold_reader_lane_lag_seconds",
          "Age of the partition's oldest event not yet in the tables that are read, in seconds",
          labels)};
  return shown_.emplace(key, made).first->second;
}

}  // namespace fanfold::reader
