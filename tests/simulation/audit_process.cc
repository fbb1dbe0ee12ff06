#include "tests/simulation/audit_process.h"

#include <utility>
#include <vector>

namespace fanfold::simulation {

AuditProcess::AuditProcess(Ground& ground, const Others& others)
    : ground_(ground), life_(ground.nemesis, ground.random, others) {}

void AuditProcess::BetweenMoments() {
  life_.Enter(PortCall::kQuery);
  life_.Leave(PortCall::kQuery);
}

void AuditProcess::Step() {
  const OnLanes on_lanes = [this](std::vector<LaneStatus>& lanes) {
    LieAbout(ground_.without, lanes);
  };
  const AuditPorts ports{ground_.adapters->log(),
                         [&](Shard shard) -> Result<std::unique_ptr<TableSnapshot>> {
                           BetweenMoments();
                           return ground_.NewSettledSnapshot(shard, on_lanes);
                         },
                         ground_.placement, pace_};
  const ReadGenerations read = ground_.Read();
  const Result<VerifyReport> report =
      Verifier(ports, read, {projections::kFollowing, projections::kFans}).All();
  if (!report) return;
  ground_.oracle.CheckDifferences(report->differences, read);
  const auto open_operations = [&](Shard shard) -> Result<std::unique_ptr<TableOperations>> {
    BetweenMoments();
    return ground_.adapters->NewOperations(shard, ground_.without != Protection::kRepairsFenced);
  };
  (void)Repairer(ports, open_operations, read).Mend(report->differences, "simulated");
  ground_.oracle.ForgetMended();
}

}  // namespace fanfold::simulation
