// A process of the pipeline, from its command line to its exit code.
#pragma once

#include <functional>
#include <string>

#include "common/base/result.h"
#include "common/base/shutdown.h"
#include "common/config/config.h"
#include "common/config/setting.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fanfold {

struct Process {
  Program program;    // whose settings are flags
  std::string name;   // behind "fanfold-"
  std::string about;  // --help begins with it
  // Until the signal; then what was taken is finished.
  std::function<Status(const Config&, ShutdownSignal&)> serve;
  std::function<void(CLI::App&)> add_flags = {};  // of its own
  std::function<std::string()> logged_as = {};    // asked behind the flags; empty: as the name
};

// Reads flags and the configuration, which is followed (ConfigReload), and serves. The exit code:
// EXIT_FAILURE with the last line of the log saying why, also where what it starts with, threads or
// sockets, is not to be had. Call it first in main, before any thread starts.
[[nodiscard]] int RunProcess(int argc, char** argv, const Process& process);

}  // namespace fanfold
