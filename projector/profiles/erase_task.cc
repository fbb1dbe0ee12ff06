#include "projector/profiles/erase_task.h"

#include <algorithm>

#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::projector {

EraseTask::EraseTask(const TaskPorts& ports)
    : clock_(ports.clock),
      eraser_(ports),
      open_(ports.metrics.GetGauge("fanfold_erasures_open",
                                   "Deleted accounts of this process's partitions that "
                                   "are being erased")),
      waiting_(
          ports.metrics.GetGauge("fanfold_erasures_waiting",
                                 "Ends of accounts that wait until lanes have come far enough")),
      oldest_(ports.metrics.GetGauge(
          "fanfold_erasures_oldest_seconds",
          "How long ago the oldest end of an account that is under way was asked for")),
      still_(ports.metrics.GetGauge(
          "fanfold_erasures_still_seconds",
          "For how long the end of an account that stands longest has stood")),
      events_(ports.metrics.GetCounter("fanfold_erasure_events_total",
                                       "Events appended to end what deleted accounts have left")),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EraseTask::Run(const std::stop_token& stop) {
  const auto pace = [&stop](std::int64_t events) {
    PauseUnlessStopped(events * 1000 / kEventsPerSecond, stop);
    return !stop.stop_requested();
  };
  while (!stop.stop_requested()) {
    const std::int64_t began_ms = clock_.SteadyMs();
    EraseRound round = eraser_.Round(pace);
    while (eraser_.Again(pace, round)) {
    }
    Tell(round);
    if (round.moved) continue;
    const std::int64_t pause_ms = round.open > 0 && round.failures.empty() ? kRecheckMs : kLookMs;
    const std::int64_t took_ms = clock_.SteadyMs() - began_ms;
    PauseUnlessStopped(std::max(pause_ms, kRestFactor * took_ms), stop);
  }
}

void EraseTask::Tell(const EraseRound& round) {
  open_.Set(static_cast<double>(round.open));
  waiting_.Set(static_cast<double>(round.waiting));
  const std::int64_t age_ms = round.open == 0 ? 0 : clock_.NowMs() - round.oldest_ms;
  oldest_.Set(static_cast<double>(std::max<std::int64_t>(0, age_ms)) / 1000);
  still_.Set(static_cast<double>(round.still_ms) / 1000);
  events_.Add(static_cast<double>(round.appended));
  for (const Error& failure : round.failures) {
    LogCause(causes_, LogLevel::kWarning, "accounts are not erased", failure.message,
             clock_.SteadyMs());
  }
}

}  // namespace fanfold::projector
