// What `fanfold status` shows, apart from where it comes from. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/lanes.h"

namespace fanfold {

struct LaneReport {
  Shard shard;
  LaneStatus status;
  bool read = false;                        // of the generation that readers use
  Offset end;                               // of the topic that the lane reads
  std::int64_t lag_events = 0;              // events that are not yet in its rows
  std::int64_t lag_ms = 0;                  // age of the oldest of them, 0 if none
  std::optional<double> events_per_second;  // since the report before
};

struct StatusReport {
  std::int64_t at_ms = 0;  // when it was made, by a clock that never goes back
  ReadGenerations read;
  std::int32_t partitions = 0;
  std::int32_t shards = 0;
  std::vector<LaneReport> lanes;  // by projection, generation, partition, shard
  std::vector<Error> failures;    // of shards that do not answer: their lanes are not here
};

// Sets the rates of `now` from what each lane did since `before`.
void SetRates(StatusReport& now, const StatusReport& before);

// A table of the projections, then one of the lanes: those that lag or do not run, or all.
[[nodiscard]] std::string StatusText(const StatusReport& report, bool all_lanes);

// {"read":{…},"projections":[…],"lanes":[…],"failures":[…]} in one line.
[[nodiscard]] std::string StatusJson(const StatusReport& report);

}  // namespace fanfold
