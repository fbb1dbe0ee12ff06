// The processes of one projection and who of them owns which partition.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <set>

#include "tests/simulation/ground.h"
#include "tests/simulation/processes.h"

namespace fanfold::simulation {

class Projectors {
 public:
  static constexpr std::size_t kMembers = 2;

  // `ground` outlives it.
  Projectors(Ground& ground, Projection kind, Others others);

  // Some member does something: comes up, steps one of its workers, or learns late of a loss.
  void Step();
  // Every member comes up and every worker steps once, losses known.
  void StepAll();

  // A partition goes to another member; in order, or before its owner knows (two owners).
  void HandOver();
  // The owner of a partition takes its lanes again.
  void GainAgain(Partition partition);
  // Everybody dies.
  void KillAll();

 private:
  struct Member {
    std::unique_ptr<ProjectorProcess> process;
    std::set<Partition> owns;
  };
  struct LateLoss {
    std::size_t member = 0;
    Partition partition;
  };

  // Runs `act` on the member's process; a crash ends it.
  template <class Act>
  void Drive(Member& member, const Act& act);
  void Start(Member& member);
  void TellLateLoss();
  [[nodiscard]] bool CanDrive(const Member& member) const {
    return member.process && !member.process->life().busy();
  }

  Ground& ground_;
  Projection kind_;
  Others others_;
  std::array<Member, kMembers> members_;
  std::deque<LateLoss> late_losses_;
};

}  // namespace fanfold::simulation
