// A wish to stop, as something to ask for and to sleep with.
#pragma once

#include <cstdint>

namespace fanfold::operations {

// Ctrl-C of a terminal, say.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Sleeps for at most timeout_ms; true once it was asked to stop, and from then on.
  [[nodiscard]] virtual bool WaitFor(std::int64_t timeout_ms) = 0;
};

}  // namespace fanfold::operations
