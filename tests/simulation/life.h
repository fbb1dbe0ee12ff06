// One life of a simulated process: when it dies, and where it is held up.
#pragma once

#include <functional>
#include <optional>

#include "common/base/split_mix.h"
#include "tests/simulation/faults.h"

namespace fanfold::simulation {

// Thrown out of a port call: the process is dead, whoever drives it destroys what is left.
struct Crash {
  PortCall call;
};

// Lets everybody else go on for a while inside a call, never the process that is in it.
using Others = std::function<void(PortCall)>;

class Life {
 public:
  // All outlive it.
  Life(Nemesis& nemesis, SplitMix64& random, Others others);

  // Every port wrapper calls these around what the port does. Either may throw Crash; Enter may
  // also hold the process up.
  void Enter(PortCall call);
  void Leave(PortCall call);

  // Killed from outside while it is inside a call: it dies before that call takes effect.
  void Kill() noexcept { killed_ = true; }

  // True while the process is doing something, held up included.
  [[nodiscard]] bool busy() const noexcept { return busy_; }

  // For as long as it lives the process is busy.
  class Busy {
   public:
    explicit Busy(Life& life) : life_(life) { life_.busy_ = true; }
    ~Busy() { life_.busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Life& life_;
  };

 private:
  // The n-th call of one kind, before or after it takes effect.
  struct Fate {
    PortCall call;
    bool effected = false;
    int calls_left = 0;
  };
  [[noreturn]] void Die(PortCall call, bool effected);

  Nemesis& nemesis_;
  Others others_;
  std::optional<Fate> fate_;
  bool busy_ = false;
  bool killed_ = false;
};

}  // namespace fanfold::simulation
