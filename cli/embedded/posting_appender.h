// Appends events to a served folder through the process that has it.
#pragma once

#include <memory>

#include "common/http/http_client.h"
#include "common/ports/event_log.h"

namespace fanfold::embedded {

// Sends batches of events to the topic's route, up to 1,000 at once, one request at a time. The
// writer gives the events ids of its own, and refuses posts whose time is far ahead. Order within a
// partition is that of the calls. A request that is refused for now (429, 503) is sent again when
// the writer says so, for as long as a record may be in flight; then it failed with kUnavailable.
// Of `options` the time of a delivery and `stop_on_failure` count. Errors: kRefused, the topic has
// no such route.
[[nodiscard]] Result<std::unique_ptr<LogAppender>> NewPostingAppender(
    const http::HttpEndpoint& writer, Topic topic, const AppenderOptions& options);

}  // namespace fanfold::embedded
