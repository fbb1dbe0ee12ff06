#include "projector/feed/inbox_task.h"

#include <algorithm>

#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::projector {

namespace {

// Another process delivers where this one is fenced.
bool IsTold(const Error& failure) { return failure.code != ErrorCode::kFenced; }

}  // namespace

InboxTask::InboxTask(const TaskPorts& ports, const InboxLimits& limits)
    : ports_(ports),
      shards_(ports_),
      deliverer_(ports_, shards_, limits),
      maker_(ports_, shards_, limits),
      being_made_(ports.metrics.GetGauge("fanfold_inboxes_being_made",
                                         "Inboxes of this process's owners that are being made")),
      delivered_(ports.metrics.GetCounter("fanfold_inbox_deliveries_total",
                                          "Posts and deletions delivered into inboxes")),
      unreadable_(ports.metrics.GetCounter("fanfold_inbox_unreadable_total",
                                           "Records among outcomes of posts that could not be "
                                           "read, and were passed over")),
      made_(ports.metrics.GetCounter("fanfold_inboxes_made_total",
                                     "Inboxes made, or made anew, of this process's owners")),
      still_(ports.metrics.GetGauge("fanfold_inboxes_still_seconds",
                                    "For how long inboxes could not be kept; 0: they are")),
      failing_since_ms_(ports_.clock.SteadyMs()),
      failed_ms_(failing_since_ms_ - kCalmMs),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void InboxTask::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<Error> failures;
    const bool moved = Step(failures);
    Tell(failures);
    if (!failures.empty()) {
      PauseUnlessStopped(kRetryMs, stop);
    } else if (!shards_.on()) {
      PauseUnlessStopped(kOffMs, stop);
    } else if (!moved || maker_.being_made() == 0) {
      PauseUnlessStopped(kGatherMs, stop);
    }
  }
}

bool InboxTask::Step(std::vector<Error>& failures) {
  if (const Status looked = shards_.Look(); !looked) {
    failures.push_back(looked.error());
    return false;
  }
  const std::string stand = shards_.on() ? shards_.Stand() : "";
  if (stand != stand_) {
    stand_ = stand;
    deliverer_.Forget();
    maker_.Forget();
  }
  if (!shards_.on()) return false;
  const bool made = maker_.Step(failures);
  return deliverer_.Step(0, failures) || made;
}

void InboxTask::Tell(const std::vector<Error>& failures) {
  being_made_.Set(static_cast<double>(shards_.on() ? maker_.being_made() : 0));
  delivered_.Add(static_cast<double>(deliverer_.delivered()) - delivered_.Value());
  unreadable_.Add(static_cast<double>(deliverer_.unreadable()) - unreadable_.Value());
  made_.Add(static_cast<double>(maker_.made()) - made_.Value());
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  if (std::ranges::any_of(failures, IsTold)) failed_ms_ = now_ms;
  if (now_ms - failed_ms_ > kCalmMs) failing_since_ms_ = now_ms;
  still_.Set(static_cast<double>(now_ms - failing_since_ms_) / 1000);
  for (const Error& failure : failures) {
    if (!IsTold(failure)) continue;
    LogCause(causes_, LogLevel::kWarning, "inboxes are not kept", failure.message, now_ms);
  }
}

}  // namespace fanfold::projector
