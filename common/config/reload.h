// Changes settings while a process runs.
#pragma once

#include <thread>

#include "common/config/load.h"

namespace fanfold {

// While it lives SIGUSR1 has the process read its configuration again and take `log_level` from it;
// the rest waits for the next start. A refused configuration changes nothing, and the log says why.
// Make it before any other thread starts, so that all inherit the blocked signal.
class ConfigReload {
 public:
  explicit ConfigReload(ConfigSources sources);

 private:
  std::jthread thread_;
};

}  // namespace fanfold
