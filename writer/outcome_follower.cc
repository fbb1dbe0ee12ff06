#include "writer/outcome_follower.h"

#include "common/base/backoff.h"
#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::writer {

template <class Decided>
FollowerFor<Decided>::FollowerFor(EventLog& log, std::int32_t partitions,
                                  WaitersFor<Decided>& waiters)
    : reading_(log, partitions, waiters),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

template <class Decided>
void FollowerFor<Decided>::Run(const std::stop_token& stop) {
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

template class FollowerFor<Outcome>;
template class FollowerFor<PostOutcome>;

}  // namespace fanfold::writer
