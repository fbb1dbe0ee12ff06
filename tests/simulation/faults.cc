#include "tests/simulation/faults.h"

#include <string_view>

namespace fanfold::simulation {
namespace {

constexpr std::string_view kPortCallNames[kPortCalls] = {
    "open", "bounds", "start",  "poll",   "append",  "flush", "fence",
    "load", "commit", "states", "decide", "release", "query", "operate"};

struct FaultRow {
  std::string_view name;
  int per_mille;  // of the occasions it has; 0: not drawn by occasion
};

// From kHeldUp on, in the order of the enum.
constexpr FaultRow kRows[] = {
    {"held up inside a call", 10},
    {"rows mended before a commit", 50},
    {"two owners of a lane", 500},
    {"records delayed", 60},
    {"records repeated", 80},
    {"partitions reordered", 300},
    {"log unavailable", 15},
    {"append refused", 6},
    {"append failed", 10},
    {"ack lost", 10},
    {"producer broke", 4},
    {"store unavailable", 10},
    {"commit: too much for a call", 0},
    {"commit: conflict", 20},
    {"commit: unknown, applied", 10},
    {"commit: unknown, lost", 10},
    {"fence: unknown, applied", 20},
    {"decide: unknown, applied", 50},
    {"older tables restored", 1000},
    {"… outbox ahead of the topic", 0},
    {"lane rewound", 1000},
    {"deciding lane rewound", 1000},
    {"… outbox ahead of the topic", 0},
    {"another generation is to decide", 1000},
    {"foreign record", 1000},
    {"wall clock set", 1000},
};
static_assert(2 * kPortCalls + std::size(kRows) == kFaults);

constexpr int kCertain = 1000;

}  // namespace

std::string NameOf(Fault fault) {
  const auto index = static_cast<std::size_t>(fault);
  if (index >= 2 * kPortCalls) return std::string(kRows[index - 2 * kPortCalls].name);
  const std::string call(kPortCallNames[index % kPortCalls]);
  return (index < kPortCalls ? "crash before " : "crash after ") + call;
}

Fault CrashAt(PortCall call, bool effected) noexcept {
  const Fault first = effected ? Fault::kCrashAfter : Fault::kCrashBefore;
  return static_cast<Fault>(static_cast<std::size_t>(first) + static_cast<std::size_t>(call));
}

Nemesis::Nemesis(SplitMix64& random, Trace& trace) : random_(random), trace_(trace) {
  constexpr int kScales[] = {0, 1, 1, 3};
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    per_mille_[2 * kPortCalls + i] = kRows[i].per_mille * kScales[random.Below(std::size(kScales))];
  }
}

bool Nemesis::Strikes(Fault fault) {
  if (resting_) return false;
  const int per_mille = per_mille_[static_cast<std::size_t>(fault)];
  if (static_cast<int>(random_.Below(kCertain)) >= per_mille) return false;
  Count(fault);
  return true;
}

void Nemesis::Count(Fault fault) {
  ++counts_[static_cast<std::size_t>(fault)];
  ++total_;
  trace_.Say("fault", {static_cast<int>(fault)});
  if (trace_.verbose()) trace_.Explain(NameOf(fault));
}

}  // namespace fanfold::simulation
