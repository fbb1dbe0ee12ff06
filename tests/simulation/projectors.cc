#include "tests/simulation/projectors.h"

#include <utility>

namespace fanfold::simulation {

Projectors::Projectors(Ground& ground, Projection kind, Others others)
    : ground_(ground), kind_(kind), others_(std::move(others)) {
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    members_[ground.random.Below(kMembers)].owns.insert(Partition(partition));
  }
}

template <class Act>
void Projectors::Drive(Member& member, const Act& act) {
  try {
    const Life::Busy busy(member.process->life());
    act(*member.process);
  } catch (const Crash& crash) {
    ground_.trace.Say("projector died",
                      {static_cast<int>(kind_.index()), static_cast<int>(crash.call)});
    member.process.reset();
  }
}

void Projectors::Start(Member& member) {
  ground_.trace.Say("projector starts", {static_cast<int>(kind_.index()), ground_.limit.value});
  member.process = std::make_unique<ProjectorProcess>(ground_, kind_, others_);
  for (const Partition partition : member.owns) member.process->PostGain(partition);
}

void Projectors::Step() {
  SplitMix64& random = ground_.random;
  if (!late_losses_.empty() && random.Below(8) == 0) return TellLateLoss();
  Member& member = members_[random.Below(kMembers)];
  if (!member.process) return Start(member);
  if (!CanDrive(member)) return;
  // The more there are, the more: each has a thread of its own.
  for (std::size_t steps = member.process->workers() / kShards; steps > 0; --steps) {
    const std::size_t worker = random.Below(member.process->workers());
    Drive(member, [worker](ProjectorProcess& process) { process.Step(worker); });
    if (!member.process) return;
  }
}

void Projectors::StepAll() {
  while (!late_losses_.empty()) TellLateLoss();
  for (Member& member : members_) {
    if (!member.process) Start(member);
    for (std::size_t worker = 0; worker < member.process->workers(); ++worker) {
      Drive(member, [worker](ProjectorProcess& process) { process.Step(worker); });
    }
  }
}

void Projectors::TellLateLoss() {
  const LateLoss loss = late_losses_.front();
  late_losses_.pop_front();
  Member& member = members_[loss.member];
  // It may have got the partition back, or have died, meanwhile.
  if (member.process && !member.owns.contains(loss.partition)) {
    member.process->PostLoss(loss.partition);
  }
}

void Projectors::HandOver() {
  const Partition partition(static_cast<std::int32_t>(ground_.random.Below(kPartitions)));
  const std::size_t from = members_[0].owns.contains(partition) ? 0 : 1;
  Member& owner = members_[from];
  Member& next = members_[1 - from];
  ground_.trace.Say("hand over", {static_cast<int>(kind_.index()), partition.value,
                                  static_cast<std::int64_t>(from)});
  owner.owns.erase(partition);
  const bool known = CanDrive(owner) && !ground_.nemesis.Strikes(Fault::kTwoOwners);
  if (known) {
    owner.process->PostLoss(partition);
    Drive(owner, [](ProjectorProcess& process) { process.ReadMail(); });
  } else if (owner.process) {
    late_losses_.push_back({from, partition});
  }
  next.owns.insert(partition);
  if (next.process) next.process->PostGain(partition);
}

void Projectors::GainAgain(Partition partition) {
  for (Member& member : members_) {
    if (member.process && member.owns.contains(partition)) member.process->PostGain(partition);
  }
}

void Projectors::KillAll() {
  for (Member& member : members_) {
    if (!member.process) continue;
    if (member.process->life().busy()) {
      member.process->life().Kill();
    } else {
      member.process.reset();
    }
  }
}

}  // namespace fanfold::simulation
