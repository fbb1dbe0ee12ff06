#include "operations/doctor/lane_checks.h"

#include <fmt/format.h>
#include <string>

#include "common/ports/generation_operations.h"
#include "operations/base/text.h"
#include "operations/lanes/halt_advice.h"

namespace fanfold::operations {

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

Check CheckProjectors(std::span<const ProjectorFacts> projectors) {
  Check check{"projectors", "", {}};
  for (const ProjectorFacts& of : projectors) {
    check.fine += fmt::format("{}{} of {}", check.fine.empty() ? "" : ", ", of.processes,
                              ToString(of.projection));
    if (of.processes > 0) continue;
    std::string what = fmt::format("no projector of {} runs", ToString(of.projection));
    if (!of.owners.empty()) {
      what += fmt::format("; its lanes say running, and are {}'s", Escaped(*of.owners.begin()));
    }
    check.Blame(what, "start one; the log of the one that is gone says why it ended");
  }
  return check;
}

Check CheckGenerations(std::span<const LoadingGeneration> loading) {
  Check check{"generations", "none was left half loaded", {}};
  for (const LoadingGeneration& one : loading) {
    const std::string name = NameOf(one.projection, one.generation);
    if (one.is_held) {
      check.fine = name + " is being loaded, or dropped";
      continue;
    }
    check.Warn(
        name + " was left half loaded, or half dropped: no command is at it",
        fmt::format("`fanfold rebuild {0}` goes on with it, `fanfold rebuild cancel {0}` drops "
                    "it",
                    ToString(one.projection)));
  }
  return check;
}

Check CheckOpenWork(const PerProjection<OpenWork>& open, std::int64_t now_ms) {
  Check check{"open work", "nothing is begun and not done", {}};
  for (const Projection projection : Projection::All()) {
    const OpenWork& of = open[projection];
    if (of.count == 0) continue;
    const std::int64_t age_ms = now_ms - of.oldest_ms;
    const std::string what =
        fmt::format("{}: {} {}, the oldest asked for {} ago", ToString(projection), of.count,
                    of.what, ShortDuration(age_ms));
    check.fine = what;
    if (age_ms <= kOpenWorkMaxMs) continue;
    check.Warn(what, fmt::format("`fanfold status` shows the lanes that they may wait for; else "
                                 "the log of projector-{} says what keeps it",
                                 ToString(projection)));
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
             "see that projectors of each kind run; `fanfold status --watch` shows whether they "
             "catch up");
  return check;
}

}  // namespace fanfold::operations
