#include "writer/outcome_follower.h"

#include "common/base/backoff.h"
#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::writer {

OutcomeFollower::OutcomeFollower(EventLog& log, std::int32_t partitions, OutcomeWaiters& waiters)
    : reading_(log, partitions, waiters),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void OutcomeFollower::Run(const std::stop_token& stop) {
  Backoff backoff(kRetryMsInitial, kRetryMsMax);
  while (!stop.stop_requested()) {
    const Status step = reading_.Step(kPollTimeoutMs);
    if (step) {
      backoff.Reset();
      continue;
    }
    if (!is_following()) LogWarning("outcomes are not followed", {{"error", step.error().message}});
    PauseUnlessStopped(backoff.Next(), stop);
  }
}

}  // namespace fanfold::writer
