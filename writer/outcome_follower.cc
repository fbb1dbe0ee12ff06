#include "writer/outcome_follower.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "common/base/backoff.h"
#include "common/base/logging.h"

namespace fanfold::writer {
namespace {

void SleepUnlessStopped(std::int64_t wait_ms, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [] { return false; });
}

}  // namespace

OutcomeFollower::OutcomeFollower(EventLog& log, OutcomeWaiters& waiters)
    : reading_(log, waiters), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void OutcomeFollower::Run(const std::stop_token& stop) {
  Backoff backoff(kRetryMsInitial, kRetryMsMax);
  while (!stop.stop_requested()) {
    const Status step = reading_.Step(kPollTimeoutMs);
    if (step) {
      backoff.Reset();
      continue;
    }
    if (!is_following()) LogWarning("outcomes are not followed", {{"error", step.error().message}});
    SleepUnlessStopped(backoff.Next(), stop);
  }
}

}  // namespace fanfold::writer
