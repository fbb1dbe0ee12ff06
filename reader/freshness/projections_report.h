// The answer of GET /v1/projections, from the last observations. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/ports/lane.h"
#include "reader/freshness/lanes_read.h"
#include "reader/freshness/position_table.h"

namespace fanfold::reader {

struct ReportedLane {
  LaneStatus status;
  Shard shard;
  Offset end;  // of the partition's events
  Lag lag;
};

struct ProjectionReport {
  Projection projection;
  Generation generation{1};
  bool read = false;
  // The worst of the lanes: halted, paused, starting (a lane without progress), running.
  std::string state;
  Lag lag;  // events: of each partition's slowest shard, together
  std::string
      positions;  // the last event in the rows of every shard, of each partition that has one
  std::vector<ReportedLane> lanes;  // by partition, shard
};

// By projection, generation. The generations that are read are there even without lanes.
[[nodiscard]] std::vector<ProjectionReport> ReportProjections(const PositionTable& table,
                                                              const Deployment& deployment,
                                                              std::int64_t now_ms);

}  // namespace fanfold::reader
