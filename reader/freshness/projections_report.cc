#include "reader/freshness/projections_report.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "common/stream/position.h"

namespace fanfold::reader {
namespace {

using ProjectionKey = std::pair<Projection, Generation>;

class Reporter {
 public:
  Reporter(const PositionTable& table, const Deployment& deployment, std::int64_t now_ms)
      : table_(table), deployment_(deployment), now_ms_(now_ms) {}

  [[nodiscard]] std::set<ProjectionKey> Keys() const {
    std::set<ProjectionKey> keys;
    for (const Projection projection : Projection::All()) {
      keys.emplace(projection, deployment_.read[projection]);
    }
    for (std::int32_t s = 0; s < deployment_.placement.shards(); ++s) {
      for (const LaneStatus& status : table_.Lanes(Shard(s))) {
        keys.emplace(status.lane.projection, status.lane.generation);
      }
    }
    return keys;
  }

  [[nodiscard]] ProjectionReport Report(const ProjectionKey& key) const {
    ProjectionReport report{.projection = key.first,
                            .generation = key.second,
                            .state = "",
                            .lag = {},
                            .positions = "",
                            .lanes = Lanes(key)};
    report.read = deployment_.read[report.projection] == report.generation;
    std::size_t expected = 0;
    for (std::int32_t p = 0; p < deployment_.placement.partitions(); ++p) {
      expected += AddPartition(Partition(p), report);
    }
    report.state = State(report.lanes, expected);
    return report;
  }

 private:
  [[nodiscard]] std::vector<ReportedLane> Lanes(const ProjectionKey& key) const {
    std::vector<ReportedLane> lanes;
    for (std::int32_t s = 0; s < deployment_.placement.shards(); ++s) {
      for (const LaneStatus& status : table_.Lanes(Shard(s))) {
        const LaneId& lane = status.lane;
        if (ProjectionKey(lane.projection, lane.generation) != key) continue;
        const Offset end = table_.End(lane.projection.stream(), lane.partition);
        lanes.push_back({status, Shard(s), end, table_.LagOf(lane, Shard(s), now_ms_)});
      }
    }
    std::ranges::sort(lanes, {}, [](const ReportedLane& report) {
      return std::pair(report.status.lane.partition, report.shard);
    });
    return lanes;
  }

  // Adds a partition's lag and position; returns how many lanes it should have.
  std::size_t AddPartition(Partition partition, ProjectionReport& report) const {
    const LaneId lane{report.projection, report.generation, partition};
    std::size_t lanes = 0;
    std::int64_t events = 0;
    std::optional<Offset> applied;
    for (std::int32_t s = 0; s < deployment_.placement.shards(); ++s) {
      if (!report.projection.HasLane(partition, Shard(s), deployment_.placement)) continue;
      ++lanes;
      const Lag lag = table_.LagOf(lane, Shard(s), now_ms_);
      events = std::max(events, lag.events);
      report.lag.ms = std::max(report.lag.ms, lag.ms);
      const Offset offset = table_.EventOffset(lane, Shard(s));
      applied = std::min(applied.value_or(offset), offset);
    }
    report.lag.events += events;
    if (applied && *applied > Offset(0)) {
      if (!report.positions.empty()) report.positions += ',';
      report.positions += ToString(Position{partition, Offset(applied->value - 1)});
    }
    return lanes;
  }

  static std::string State(const std::vector<ReportedLane>& lanes, std::size_t expected) {
    LaneState worst = LaneState::kRunning;
    for (const ReportedLane& report : lanes) worst = std::max(worst, report.status.state);
    const bool starting = worst == LaneState::kRunning && lanes.size() < expected;
    return starting ? "starting" : std::string(ToString(worst));
  }

  const PositionTable& table_;
  const Deployment& deployment_;
  const std::int64_t now_ms_;
};

}  // namespace

std::vector<ProjectionReport> ReportProjections(const PositionTable& table,
                                                const Deployment& deployment, std::int64_t now_ms) {
  const Reporter viewer(table, deployment, now_ms);
  std::vector<ProjectionReport> reports;
  for (const ProjectionKey& key : viewer.Keys()) reports.push_back(viewer.Report(key));
  return reports;
}

}  // namespace fanfold::reader
