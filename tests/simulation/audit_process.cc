#include "tests/simulation/audit_process.h"

#include "tests/simulation/operator_backend.h"

namespace fanfold::simulation {

AuditProcess::AuditProcess(Ground& ground, const Others& others)
    : ground_(ground), life_(ground.nemesis, ground.random, others) {}

void AuditProcess::Step() {
  OperatorBackend backend(ground_, life_);
  LogProof proof(ground_.adapters->log());
  const projector::AuditPorts ports{ground_.adapters->log(), proof,
                                    [&](Shard shard) { return backend.OpenSnapshot(shard); },
                                    ground_.placement, pace_};
  const ReadGenerations read = ground_.Read();
  const Result<projector::VerifyReport> report =
      projector::Verifier(ports, read, {projections::kFollowing, projections::kFans}).All();
  if (!report) return;
  // Of another log all differs: it is the repair that has to see that.
  if (!ground_.swapped) ground_.oracle.CheckDifferences(report->differences, read);
  const auto open_operations = [&](Shard shard) { return backend.OpenOperations(shard); };
  (void)projector::Repairer(ports, open_operations, read).Mend(report->differences, "simulated");
  if (!ground_.swapped) ground_.oracle.ForgetMended();
}

}  // namespace fanfold::simulation
