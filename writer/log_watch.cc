#include "writer/log_watch.h"

#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"
#include "common/ports/deployment_check.h"

namespace fanfold::writer {

LogWatch::LogWatch(EventLog& log, std::int32_t partitions, Connect connect, MayAppend may_append)
    : log_(log),
      partitions_(partitions),
      connect_(std::move(connect)),
      may_append_(std::move(may_append)),
      seen_(log, partitions),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Status LogWatch::reachable() const {
  const std::lock_guard lock(mutex_);
  return reachable_;
}

void LogWatch::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Publish(Ask());
    PauseUnlessStopped(kIntervalMs, stop);
  }
}

Status LogWatch::Ask() {
  if (!connected_) {
    if (Status connected = ConnectOnce(); !connected) return connected;
  }
  if (Status there = log_.Ping(kPingTimeoutMs); !there) return there;
  if (Status same = LookWhenDue(); !same) return same;
  return may_append_();
}

Status LogWatch::LookWhenDue() {
  if (same_ && --asks_to_look_ < 0) {
    asks_to_look_ = kAsksBetweenLooks;
    same_ = seen_.Look();
    is_other_ = !same_;
  }
  return same_;
}

Status LogWatch::ConnectOnce() {
  for (const Topic topic : Topic::All()) {
    if (Status fits = CheckTopic(log_, topic, partitions_); !fits) return fits;
  }
  if (Status fits = CheckNoneDecidedBeyond(log_, partitions_); !fits) return fits;
  Status status = connect_();
  connected_ = status.has_value();
  return status;
}

void LogWatch::Publish(Status status) {
  const std::lock_guard lock(mutex_);
  if (status.has_value() != reachable_.has_value()) {
    const bool is_refused = !status && status.error().code == ErrorCode::kRefused;
    LogInfo(status       ? "the log is reached"
            : is_refused ? "the log refuses us"
                         : "the log is away",
            {{"error", status ? std::string() : status.error().message}});
  }
  reachable_ = std::move(status);
}

}  // namespace fanfold::writer
