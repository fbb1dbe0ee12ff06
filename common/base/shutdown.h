#pragma once

#include <cstdint>

namespace fanfold {

// SIGTERM, SIGINT and, where it is not ignored, SIGHUP as something to wait for. Make it first in
// main, before any thread starts, so that every thread inherits the blocked signals. SIGPIPE is
// ignored.
class ShutdownSignal {
 public:
  ShutdownSignal();

  // Blocks until one of the signals arrives.
  void Wait();
  // Blocks for at most timeout_ms; true when one has arrived.
  [[nodiscard]] bool WaitFor(std::int64_t timeout_ms);
};

}  // namespace fanfold
