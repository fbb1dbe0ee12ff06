// What may go wrong in a run, how often, and what did.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/split_mix.h"
#include "tests/simulation/trace.h"

namespace fanfold::simulation {

// The calls at which a process may die. SetState is left out: a lane that halts is a failed run.
enum class PortCall : std::uint8_t {
  kOpen,  // of a topic, a reader, an appender
  kBounds,
  kStart,
  kPoll,
  kAppend,
  kFlush,
  kTakeFences,
  kLoad,
  kCommit,
  kFenceStates,
  kDecide,  // to stop deciding, or to begin
  kRelease,
  kQuery,
  kOperate,  // of GenerationOperations
};
inline constexpr std::size_t kPortCalls = 14;

enum class Fault : std::uint8_t {
  kCrashBefore = 0,          // + PortCall: the process died before the call took effect
  kCrashAfter = kPortCalls,  // + PortCall: it died before it heard of it
  kHeldUp = 2 * kPortCalls,  // stopped inside a call while all others go on
  kMended,                   // … of a commit, while an auditor mends what it finds
  kTwoOwners,                // a partition given away before its owner knows
  kRecordsDelayed,           // a poll that brings nothing although there is something
  kRecordsRepeated,          // records delivered again, just now or late
  kPartitionsReordered,      // records of several partitions in another order
  kLogUnavailable,
  kAppendRefused,  // at once, not in the log
  kAppendFailed,   // later, not in the log
  kAckLost,        // in the log, but the sender is told that nobody knows
  kProducerBroke,  // everything in flight fails, some of it in the log
  kStoreUnavailable,
  kBatchTooLarge,  // for the time of a call, whenever it is tried, to the end of the run
  kCommitConflict,
  kCommitUnknownApplied,
  kCommitUnknownLost,
  kTakeUnknown,    // applied, answer lost
  kDecideUnknown,  // applied, answer lost
  kRestored,       // older tables, another follow limit
  kRestoredAhead,  // … in them an outbox that holds what the topic does not
  kRewound,        // a lane that applies told to fold part of the topic again
  kDeciderRewound,
  kRewoundAhead,    // … while its outbox holds what the topic does not
  kDeciderOrdered,  // another generation is to decide
  kForeignRecord,   // bytes of somebody else's in the event topic
  kWallClockSet,
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kWallClockSet) + 1;

[[nodiscard]] std::string NameOf(Fault fault);
[[nodiscard]] Fault CrashAt(PortCall call, bool effected) noexcept;

using FaultCounts = std::array<int, kFaults>;

// Decides from the seed which faults strike. Each seed has some faults often and some never, so
// that those of one kind are also seen without the others in between.
class Nemesis {
 public:
  // Both outlive it.
  Nemesis(SplitMix64& random, Trace& trace);

  // Asked whenever the fault could strike; true: it does, and counts.
  [[nodiscard]] bool Strikes(Fault fault);
  // A fault that was brought about otherwise.
  void Count(Fault fault);
  // From now on nothing strikes.
  void Rest() noexcept { resting_ = true; }
  [[nodiscard]] bool resting() const noexcept { return resting_; }

  [[nodiscard]] const FaultCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] int total() const noexcept { return total_; }

 private:
  SplitMix64& random_;
  Trace& trace_;
  std::array<int, kFaults> per_mille_{};
  FaultCounts counts_{};
  int total_ = 0;
  bool resting_ = false;
};

}  // namespace fanfold::simulation
