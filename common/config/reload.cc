#include "common/config/reload.h"

#include <ctime>
#include <pthread.h>
#include <signal.h>
#include <utility>

#include "common/base/logging.h"

namespace fanfold {
namespace {

constexpr long kLookNs = 200'000'000;  // how long its end may take

sigset_t ReloadSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

void Reload(const ConfigSources& sources) {
  const Result<Configured> configured = Configure(sources);
  if (!configured) {
    return LogError("configuration refused", {{"error", configured.error().message}});
  }
  const LogLevel level = configured->config.log_level;
  SetLogLevel(level, "configuration read again", {{"log_level", NameOf(kLogLevels, level)}});
}

void Follow(const std::stop_token& stop, const ConfigSources& sources) {
  const sigset_t signals = ReloadSignals();
  const timespec timeout{0, kLookNs};
  while (!stop.stop_requested()) {
    if (sigtimedwait(&signals, nullptr, &timeout) > 0) Reload(sources);
  }
}

}  // namespace

ConfigReload::ConfigReload(ConfigSources sources) {
  const sigset_t signals = ReloadSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::jthread(
      [sources = std::move(sources)](const std::stop_token& stop) { Follow(stop, sources); });
}

}  // namespace fanfold
