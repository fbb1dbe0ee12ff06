#include "reader/freshness/topic_follower.h"

#include <chrono>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::reader {

FollowerSeries FollowerSeries::OfOutcomes(Metrics& metrics) {
  return {metrics.GetGauge("fanfold_reader_follows_outcomes",
                           "1 while the outcome topic is followed, else 0: then answers come from "
                           "the tables as they are"),
          metrics.GetCounter("fanfold_reader_outcomes_lost_total",
                             "How often the reader lost its place in the outcomes, and dropped "
                             "what it held")};
}

FollowerSeries FollowerSeries::Of(Topic topic, Metrics& metrics) {
  const std::string name(topic.name());
  return {metrics.GetGauge("fanfold_reader_follows",
                           "1 while this topic is followed, else 0: then answers come from the "
                           "tables as they are",
                           {{"topic", name}}),
          metrics.GetCounter("fanfold_reader_lost_total",
                             "How often the reader lost its place in this topic, and dropped what "
                             "it held",
                             {{"topic", name}})};
}

TopicFollower::TopicFollower(PositionBoard& board, TopicFeed& feed, EventLog& log,
                             const FollowerSeries& series, std::function<void()> moved)
    : feed_(feed),
      series_(series),
      reading_(board, feed, log, std::move(moved)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Status TopicFollower::CaughtUp() const {
  if (reading_.CaughtUp() || reading_.LogAway() || lost_) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{}: not followed to their end yet", feed_.what()));
}

void TopicFollower::Run(const std::stop_token& stop) {
  // Told once: that the place was lost at once, what keeps it from beginning if the next try meets
  // it too.
  std::string last;
  std::string said;
  Backoff after_loss(kRetryMs, kRetryAfterLossMaxMs);
  while (!stop.stop_requested()) {
    const auto began = std::chrono::steady_clock::now();
    const Status followed = Follow(stop);
    const bool lost = !followed && (feed_.position().running() ||
                                    followed.error().code == ErrorCode::kOutOfRange);
    if (lost) series_.lost.Add(1);
    if (lost) lost_ = true;
    series_.follows.Set(0);
    reading_.End();
    if (stop.stop_requested()) return;
    const std::string why = followed ? "" : followed.error().message;
    if (why != said && (lost || why == last)) {
      said = why;
      LogWarning(fmt::format("{} are not followed", feed_.what()), {{"why", why}});
    }
    last = why;
    const auto stayed = std::chrono::steady_clock::now() - began;
    if (stayed > std::chrono::milliseconds(kRetryAfterLossMaxMs)) after_loss.Reset();
    PauseUnlessStopped(lost ? after_loss.Next() : kRetryMs, stop);
  }
}

Status TopicFollower::Follow(const std::stop_token& stop) {
  if (Status begun = reading_.Begin(); !begun) return begun;
  series_.follows.Set(1);
  while (!stop.stop_requested()) {
    Status stepped = reading_.Step(kPollTimeoutMs);
    if (!stepped && stepped.error().code == ErrorCode::kOutOfRange) return stepped;
    // A log that is away comes back; until then the reader stands, and the lag says so.
    if (!stepped) PauseUnlessStopped(kPollTimeoutMs, stop);
  }
  return {};
}

}  // namespace fanfold::reader
