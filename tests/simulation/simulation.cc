#include "tests/simulation/simulation.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "tests/simulation/verdict.h"

namespace fanfold::simulation {
namespace {

constexpr int kStepsMax = 40'000;
constexpr int kSettleRoundsMax = 2'000;
constexpr std::int64_t kSettleRoundMs = 500;
// What others do while a process is held up inside a call.
constexpr std::uint64_t kTurnsMeanwhileMax = 25;
constexpr std::uint64_t kTurnMaxMs = 40;
constexpr std::uint64_t kLongWaitMaxMs = 8'000;
constexpr std::uint64_t kWallAheadMaxMs = 2ULL * 3'600'000;
constexpr std::uint64_t kListLimitsMax = 8;

}  // namespace

Simulation::Simulation(std::uint64_t seed, const Scenario& scenario, Series& series,
                       std::ostream* lines)
    : ground_(seed, scenario, lines, series),
      swaps_(seed / kSwappedEvery % kSwappedEvery == 0),
      clients_(ground_),
      following_(ground_, projections::kFollowing, others_),
      fans_(ground_, projections::kFans, others_),
      profiles_(ground_, projections::kProfiles, others_),
      posts_(ground_, projections::kPosts, others_),
      feeds_(ground_, projections::kFeed, others_) {}

RunResult Simulation::Run() {
  while (!Enough() && !ground_.oracle.complaint()) Turn();
  if (!ground_.oracle.complaint()) Settle();
  if (!ground_.oracle.complaint()) {
    const RelationModel model = Judge(ground_, clients_);
    if (!ground_.oracle.complaint()) CheckMemory(model);
    if (!ground_.oracle.complaint() && swaps_) Swap();
  }
  RunResult result;
  result.failure = ground_.oracle.complaint();
  result.faults = ground_.nemesis.counts();
  result.events = EventsInLog();
  result.turns = turns_;
  result.schedule = ground_.trace.digest();
  result.state = DigestOfTables(ground_);
  return result;
}

bool Simulation::Enough() {
  if (turns_ >= kStepsMax) ground_.oracle.Complain("the schedule does not come to its size");
  return EventsInLog() >= kEventsMin && ground_.nemesis.total() >= kFaultsMin &&
         clients_.users() >= kUsersMin;
}

int Simulation::EventsInLog() {
  std::int64_t events = 0;
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    const auto bounds =
        ground_.adapters->log().Bounds(topics::kRelationEvents, Partition(partition));
    FANFOLD_CHECK(bounds.has_value(), "the log in memory has no bounds");
    events += bounds->end.value;
  }
  return static_cast<int>(events);
}

void Simulation::Turn() {
  struct Share {
    std::uint64_t weight;
    void (Simulation::*act)();
  };
  static constexpr Share kShares[] = {
      {12, &Simulation::AskWriter},     {8, &Simulation::StepWriter},
      {30, &Simulation::StepFollowing}, {22, &Simulation::StepFans},
      {16, &Simulation::Land},          {8, &Simulation::Answer},
      {4, &Simulation::AskReader},      {2, &Simulation::HandOver},
      {1, &Simulation::BackUp},         {1, &Simulation::Disturb},
      {1, &Simulation::WaitLong},       {10, &Simulation::StepMemory},
      {6, &Simulation::AskMemory},      {6, &Simulation::StepProfiles},
      {3, &Simulation::StepEraser},     {2, &Simulation::TellOfUsers},
      {12, &Simulation::StepPosts},     {6, &Simulation::TellOfPosts},
      {8, &Simulation::AskFeed},        {5, &Simulation::StepFeeds},
      {3, &Simulation::TellOfFeeds},
  };
  std::uint64_t all = 0;
  for (const Share& share : kShares) all += share.weight;
  std::uint64_t lot = ground_.random.Below(all);
  const Share* share = kShares;
  while (lot >= share->weight) lot -= (share++)->weight;
  ++turns_;
  ground_.clock.SleepMs(static_cast<std::int64_t>(ground_.random.Below(kTurnMaxMs)));
  (this->*share->act)();
}

void Simulation::LetOthersGoOn(PortCall call) {
  if (held_up_) return;
  // Who has loaded a row that was changed, and not yet committed, is whom a repair has to fence.
  const bool mends =
      ground_.operated && call == PortCall::kCommit && ground_.nemesis.Strikes(Fault::kMended);
  if (!mends && !ground_.nemesis.Strikes(Fault::kHeldUp)) return;
  held_up_ = true;
  ground_.trace.Say("held up");
  if (mends) {
    StepAudit();
  } else {
    for (std::uint64_t i = 1 + ground_.random.Below(kTurnsMeanwhileMax); i > 0; --i) Turn();
  }
  ground_.trace.Say("goes on");
  held_up_ = false;
}

template <class Process, class Act>
void Simulation::Drive(std::unique_ptr<Process>& process, const Act& act) {
  if (process->life().busy()) return;
  try {
    const Life::Busy busy(process->life());
    act(*process);
  } catch (const Crash& crash) {
    ground_.trace.Say("writer or reader died", {static_cast<int>(crash.call)});
    process.reset();
  }
}

void Simulation::AskWriter() {
  if (!writer_ || EventsInLog() >= kEventsMax) return StepWriter();
  Drive(writer_, [this](WriterProcess& process) { clients_.Ask(process.service()); });
}

void Simulation::StepWriter() {
  if (!writer_) {
    writer_ = std::make_unique<WriterProcess>(ground_, others_, ground_.random.Next());
  }
  Drive(writer_, [](WriterProcess& process) { process.Step(); });
}

void Simulation::StepFollowing() { following_.Step(); }
void Simulation::StepFans() { fans_.Step(); }
void Simulation::StepProfiles() { profiles_.Step(); }
void Simulation::StepPosts() { posts_.Step(); }
void Simulation::StepFeeds() { feeds_.Step(); }
void Simulation::TellOfFeeds() { clients_.PutFeedEvent(); }
void Simulation::TellOfPosts() { clients_.PutPostEvent(); }
void Simulation::TellOfUsers() {
  if (!ground_.operated) clients_.PutUserEvent();
}

void Simulation::StepAudit() {
  if (!auditor_) auditor_ = std::make_unique<AuditProcess>(ground_, others_);
  Drive(auditor_, [](AuditProcess& process) { process.Step(); });
}

// Seldom, so that lanes come to know what was changed.
void Simulation::Operate() {
  switch (ground_.random.Below(8)) {
    case 0:
      return StepAudit();
    case 1:
    case 2:
      if (ground_.rebuilt) StepOperator();
      return;
    default:
      return;
  }
}

void Simulation::StepOperator() {
  std::unique_ptr<OperatorProcess>& one = operators_[ground_.random.Below(operators_.size())];
  if (!one) one = NewOperator();
  Drive(one, [](OperatorProcess& process) { process.Step(); });
}

std::unique_ptr<OperatorProcess> Simulation::NewOperator() {
  return std::make_unique<OperatorProcess>(
      ground_, others_, [this] { ground_.nemesis.resting() ? SettleRound() : Turn(); });
}

void Simulation::StepEraser() {
  if (ground_.operated) return;
  std::unique_ptr<EraserProcess>& eraser = erasers_[ground_.random.Below(erasers_.size())];
  if (!eraser) eraser = std::make_unique<EraserProcess>(ground_, others_);
  Drive(eraser, [](EraserProcess& process) { process.Step(); });
}

void Simulation::Land() { (void)ground_.transit.LandSome(); }
void Simulation::Answer() { (void)ground_.transit.AnswerSome(); }
void Simulation::HandOver() {
  ProjectorsOf(Projection::All()[ground_.random.Below(Projection::kCount)]).HandOver();
}
void Simulation::WaitLong() {
  ground_.clock.SleepMs(static_cast<std::int64_t>(ground_.random.Below(kLongWaitMaxMs)));
}

void Simulation::AskReader() {
  if (ground_.operated) return Operate();
  if (!reader_) reader_ = std::make_unique<ReaderProcess>(ground_, others_);
  Drive(reader_, [this](ReaderProcess& process) { Query(process.service()); });
}

ReaderMemory* Simulation::Memory() {
  if (memory_ && memory_->dead() && !memory_->busy()) memory_.reset();
  if (!memory_) memory_ = std::make_unique<ReaderMemory>(ground_, others_);
  return memory_->dead() ? nullptr : memory_.get();
}

void Simulation::StepMemory() {
  if (ground_.operated) return;
  if (ReaderMemory* memory = Memory()) memory->Step();
}

void Simulation::AskMemory() {
  if (ground_.operated) return Damage();
  if (ReaderMemory* memory = Memory()) memory->Ask();
}

void Simulation::AskFeed() {
  if (ground_.operated) return;
  if (ReaderMemory* memory = Memory()) memory->AskFeed();
}

void Simulation::CheckMemory(const RelationModel& model) {
  ReaderMemory* memory = Memory();
  FANFOLD_CHECK(memory != nullptr, "nobody is inside a call any more");
  memory->CatchUp();
  memory->CheckEverything(model);
}

// Questions that are one call to the tables, so that what they must answer is what stands there
// now.
void Simulation::Query(reader::QueryService& service) {
  const UserId user(1 + ground_.random.Below(kUsers));
  const std::uint64_t kind = ground_.random.Below(4);
  if (kind == 3) {
    const Result<UserCounts> counts = service.Counts({user});
    if (counts) ground_.oracle.CheckCounts(*counts);
    return;
  }
  reader::ListQuery query;
  query.list = static_cast<reader::ListKind>(kind);
  query.user = user;
  query.limit = 1 + ground_.random.Below(kListLimitsMax);
  const Result<reader::ListAnswer> answer = service.List(query);
  if (answer) ground_.oracle.CheckList(query, *answer);
}

void Simulation::Disturb() {
  switch (ground_.random.Below(5)) {
    case 0:
      return Restore();
    case 1:
      return Rewind();
    case 3:
      return OrderDecider();
    case 2:
      if (ground_.nemesis.Strikes(Fault::kForeignRecord)) clients_.PutForeign();
      return;
    default:
      if (!ground_.nemesis.Strikes(Fault::kWallClockSet)) return;
      ground_.clock.SetWall(static_cast<std::int64_t>(ground_.random.Below(kWallAheadMaxMs)));
  }
}

void Simulation::SettleRound() {
  ground_.transit.DrainAll();
  StepWriter();
  following_.StepAll();
  fans_.StepAll();
  profiles_.StepAll();
  posts_.StepAll();
  feeds_.StepAll();
  StepEraser();
  ground_.clock.SleepMs(kSettleRoundMs);
}

void Simulation::Settle() {
  ground_.nemesis.Rest();
  ground_.trace.Say("settles");
  SettleAll();
  if (!ground_.rebuilt || ground_.oracle.complaint()) return;
  NewOperator()->EndRebuilds();
  SettleAll();
}

void Simulation::SettleAll() {
  for (int round = 0; round < kSettleRoundsMax; ++round) {
    SettleRound();
    if (ground_.oracle.complaint()) return;
    if (!IsSettled(ground_)) continue;
    if (!ground_.operated) return;
    StepAudit();
    if (ground_.oracle.WhatIsDamaged(FansRead()).empty()) return;
  }
  ground_.oracle.Complain("not everything is folded, published and mended: " + WhatIsLeft(ground_) +
                          ground_.oracle.WhatIsDamaged(FansRead()));
}

Oracle::Table Simulation::FansRead() const {
  return {projections::kFans, ground_.Read()[projections::kFans]};
}

}  // namespace fanfold::simulation
