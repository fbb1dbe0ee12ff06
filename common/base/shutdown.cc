#include "common/base/shutdown.h"

#include <ctime>
#include <pthread.h>
#include <signal.h>

namespace fanfold {
namespace {
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  // A terminal that is closed. Whoever was started so that it does not matter (nohup) stays.
  struct sigaction hang_up{};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}
}  // namespace

ShutdownSignal::ShutdownSignal() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a write that fails
}

void ShutdownSignal::Wait() {
  const sigset_t signals = StopSignals();
  int signal_number = 0;
  sigwait(&signals, &signal_number);
}

bool ShutdownSignal::WaitFor(std::int64_t timeout_ms) {
  const sigset_t signals = StopSignals();
  const timespec timeout{timeout_ms / 1000, (timeout_ms % 1000) * 1'000'000};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

}  // namespace fanfold
