#include "cli/lane_checks.h"

#include <fmt/format.h>
#include <string>

#include "cli/display.h"
#include "cli/halt_advice.h"

namespace fanfold {

Check CheckLanes(std::span<const ShardLane> lanes) {
  Check check{"lanes", fmt::format("all {} run", lanes.size()), {}};
  for (const ShardLane& lane : lanes) {
    const LaneStatus& status = lane.status;
    if (status.state == LaneState::kRunning) continue;
    const std::string what =
        fmt::format("{} of generation {} on shard {} is {} ({})", NameOf(status.lane),
                    status.lane.generation.value, lane.shard.value, ToString(status.state),
                    status.state_reason.empty() ? "no reason given" : Escaped(status.state_reason));
    const CheckLevel level =
        status.state == LaneState::kHalted ? CheckLevel::kProblem : CheckLevel::kWarning;
    check.findings.push_back({level, what, AdviceFor(status)});
  }
  return check;
}

Check CheckParked(const ParkedCount& parked) {
  Check check{"parked", "nothing is parked", {}};
  if (parked.records == 0) return check;
  check.Warn(fmt::format("{}{} records could not be decided or applied", parked.records,
                         parked.more ? " or more" : ""),
             "`fanfold parked list` names them, `fanfold parked replay --all --dry-run` says which "
             "can be appended again");
  return check;
}

Check CheckLag(const LagFacts& lag) {
  Check check{"lag", "the tables hold what the log holds", {}};
  if (lag.events > 0) {
    check.fine = fmt::format("{} events are on their way", ShortCount(lag.events));
  }
  if (lag.oldest_ms <= kLagMaxMs) return check;
  check.Warn(fmt::format("{} events are not in the tables yet, the oldest for {}",
                         ShortCount(lag.events), ShortDuration(lag.oldest_ms)),
             "see that projectors of both kinds run; `fanfold status --watch` shows whether they "
             "catch up");
  return check;
}

}  // namespace fanfold
