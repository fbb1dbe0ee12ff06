// One run: writer, projectors, relay and reader on adapters in memory, in one thread, every choice
// from a seed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/simulation/audit_process.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/operator_process.h"
#include "tests/simulation/processes.h"
#include "tests/simulation/projectors.h"
#include "tests/simulation/reader_memory.h"

namespace fanfold::simulation {

struct RunResult {
  std::optional<std::string> failure;  // none: the oracle held, from the first commit to the end
  FaultCounts faults{};
  int events = 0;
  int turns = 0;
  std::uint64_t schedule = 0;  // tells two schedules apart
  std::uint64_t state = 0;     // tells two final states apart
};

class Simulation {
 public:
  // The schedule is written to `lines`, unless null. Both outlive it.
  Simulation(std::uint64_t seed, const Scenario& scenario, Series& series, std::ostream* lines);

  // Call once.
  [[nodiscard]] RunResult Run();

 private:
  struct Saved {
    std::shared_ptr<const Backup> backup;
    RowsAt rows_at;
  };

  // Something happens; what, is drawn by lot.
  void Turn();
  // While a process is held up inside a call.
  void LetOthersGoOn(PortCall call);

  void AskWriter();
  void StepWriter();
  void StepFollowing();
  void StepFans();
  void StepProfiles();
  void StepEraser();
  void StepAudit();
  void Operate();
  void StepOperator();
  [[nodiscard]] std::unique_ptr<OperatorProcess> NewOperator();
  void Damage();
  [[nodiscard]] EdgeKey FanToDamage();
  void TellOfUsers();
  void StepPosts();
  void StepFeeds();
  void TellOfPosts();
  void TellOfFeeds();
  void Land();
  void Answer();
  void AskReader();
  void AskMemory();
  void AskFeed();
  void StepMemory();
  // A reader's memory, unless the reader died and is still inside a call.
  [[nodiscard]] ReaderMemory* Memory();
  void CheckMemory(const RelationModel& model);
  void Query(reader::QueryService& service);
  void HandOver();
  void WaitLong();
  void Disturb();

  // What an operator does (orders.cc)
  void BackUp();
  void Restore();
  void RestoreShard(Shard shard);
  void ChangeLimit();
  void Rewind();
  void OrderDecider();
  [[nodiscard]] bool IsAhead(Shard shard, const LaneId& lane);

  // Another log (swap.cc)
  void BeginErasures();
  void Swap();

  // Nothing fails any more, until everything is folded and published, or should be.
  void Settle();
  void SettleRound();
  void SettleAll();
  [[nodiscard]] bool Enough();
  [[nodiscard]] int EventsInLog();
  [[nodiscard]] Oracle::Table FansRead() const;
  // Runs `act` on the process unless it is held up; a crash ends it.
  template <class Process, class Act>
  void Drive(std::unique_ptr<Process>& process, const Act& act);

  [[nodiscard]] Projectors& ProjectorsOf(Projection projection) {
    if (projection == projections::kPosts) return posts_;
    if (projection == projections::kFeed) return feeds_;
    if (!HoldsLists(projection)) return profiles_;
    return projection.decides() ? following_ : fans_;
  }
  [[nodiscard]] std::vector<Saved>& SavedOf(Shard shard) {
    return saved_.at(static_cast<std::size_t>(shard.value));
  }

  Ground ground_;
  const bool swaps_;
  const Others others_ = [this](PortCall call) { LetOthersGoOn(call); };
  Clients clients_;
  std::unique_ptr<WriterProcess> writer_;
  std::unique_ptr<ReaderProcess> reader_;
  std::unique_ptr<ReaderMemory> memory_;
  Projectors following_;
  Projectors fans_;
  Projectors profiles_;
  Projectors posts_;
  Projectors feeds_;
  std::array<std::unique_ptr<EraserProcess>, 2> erasers_;
  std::unique_ptr<AuditProcess> auditor_;
  std::array<std::unique_ptr<OperatorProcess>, 2> operators_;
  std::array<std::vector<Saved>, kShards> saved_;
  bool held_up_ = false;
  int turns_ = 0;
};

}  // namespace fanfold::simulation
