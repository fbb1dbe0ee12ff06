// What every verb is given.
#pragma once

#include <cstdint>

#include "cli/backend.h"
#include "cli/console.h"
#include "cli/how_to_call.h"
#include "common/base/clock.h"

namespace fanfold {

// Ctrl-C as something to ask for and to sleep with.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Sleeps for at most timeout_ms; true once it was asked to stop, and from then on.
  [[nodiscard]] virtual bool WaitFor(std::int64_t timeout_ms) = 0;
};

struct Session {
  Backend& backend;
  const Clock& clock;
  Interrupt& interrupt;
  Console& console;
  bool json = false;
  HowToCall calls = {};
};

}  // namespace fanfold
