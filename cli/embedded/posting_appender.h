// Appends events to a served folder through the process that has it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "common/http/http_client.h"
#include "common/ports/event_log.h"

namespace fanfold::embedded {

// Why the writer took nothing when it was last asked; ok once it takes again. Thread-safe.
class WriterRefusal {
 public:
  void Note(Status why) {
    const std::lock_guard lock(mutex_);
    why_ = std::move(why);
  }
  [[nodiscard]] Status Now() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  Status why_;
};

// Sends batches of events, with their ids, to the topic's route, up to 1,000 at once, one request
// at a time. Order within a partition is that of the calls. A request that is refused for now (429,
// 503) is sent again when the writer says so, for as long as a record may be in flight; then it
// failed with kUnavailable. Only `options`' time of a delivery and `stop_on_failure` count.
// Meanwhile `refusal` says why. Errors: kRefused, the topic has no such route.
[[nodiscard]] Result<std::unique_ptr<LogAppender>> NewPostingAppender(
    const http::HttpEndpoint& writer, Topic topic, const AppenderOptions& options,
    std::shared_ptr<WriterRefusal> refusal);

}  // namespace fanfold::embedded
