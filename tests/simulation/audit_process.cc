#include "tests/simulation/audit_process.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fanfold::simulation {

AuditProcess::AuditProcess(Ground& ground, const Others& others)
    : ground_(ground), life_(ground.nemesis, ground.random, others) {}

void AuditProcess::BetweenMoments() {
  life_.Enter(PortCall::kQuery);
  life_.Leave(PortCall::kQuery);
}

// Instead of waiting for a lane that was rewound: time stands still in a pass.
Status AuditProcess::IsSettledOn(Shard shard) {
  const auto lanes = ground_.adapters->NewReader(shard)->Lanes();
  const bool settled = lanes && std::ranges::none_of(*lanes, IsRewound);
  return settled ? Status() : Fail(ErrorCode::kUnavailable, "a lane was rewound");
}

void AuditProcess::Step() {
  const OnLanes on_lanes = [this](std::vector<LaneStatus>& lanes) {
    LieAbout(ground_.without, lanes);
  };
  const AuditPorts ports{ground_.adapters->log(),
                         [&](Shard shard) -> Result<std::unique_ptr<TableSnapshot>> {
                           BetweenMoments();
                           if (Status settled = IsSettledOn(shard); !settled)
                             return Forward(settled);
                           return ground_.adapters->NewSnapshot(shard, on_lanes);
                         },
                         ground_.placement, pace_};
  const Result<VerifyReport> report =
      Verifier(ports, {}, {projections::kFollowing, projections::kFans}).All();
  if (!report) return;
  ground_.oracle.CheckDifferences(report->differences);
  const auto open_operations = [&](Shard shard) -> Result<std::unique_ptr<TableOperations>> {
    BetweenMoments();
    return ground_.adapters->NewOperations(shard, ground_.without != Protection::kRepairsFenced);
  };
  (void)Repairer(ports, open_operations, {}).Mend(report->differences, "simulated");
  ground_.oracle.ForgetMended();
}

}  // namespace fanfold::simulation
