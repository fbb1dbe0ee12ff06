#include "common/base/pause.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace fanfold {

void PauseUnlessStopped(std::int64_t wait_ms, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [] { return false; });
}

}  // namespace fanfold
