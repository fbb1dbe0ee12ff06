#include "tests/simulation/life.h"

#include <utility>

namespace fanfold::simulation {
namespace {

// Four lives of five end in a crash if they last long enough; which call it will be is drawn
// evenly, so that rare ones are met too.
constexpr std::uint64_t kMortalOf = 5;
constexpr std::uint64_t kCallsMax = 40;

}  // namespace

Life::Life(Nemesis& nemesis, SplitMix64& random, Others others)
    : nemesis_(nemesis), others_(std::move(others)) {
  if (random.Below(kMortalOf) == 0) return;
  fate_ = Fate{static_cast<PortCall>(random.Below(kPortCalls)), random.Below(2) == 0,
               static_cast<int>(random.Below(kCallsMax))};
}

void Life::Die(PortCall call, bool effected) {
  nemesis_.Count(CrashAt(call, effected));
  throw Crash{call};
}

void Life::Enter(PortCall call) {
  others_(call);
  if (killed_) throw Crash{call};
  if (nemesis_.resting() || !fate_ || fate_->call != call) return;
  if (fate_->calls_left > 0) {
    --fate_->calls_left;
  } else if (!fate_->effected) {
    Die(call, false);
  }
}

void Life::Leave(PortCall call) {
  if (killed_) throw Crash{call};
  if (nemesis_.resting() || !fate_ || fate_->call != call || !fate_->effected) return;
  if (fate_->calls_left == 0) Die(call, true);
}

}  // namespace fanfold::simulation
