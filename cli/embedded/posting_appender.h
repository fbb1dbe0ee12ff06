// Appends events to a served folder through the process that has it.
#pragma once

#include <memory>

#include "common/http/http_client.h"
#include "common/ports/event_log.h"

namespace fanfold::embedded {

// Sends POST /v1/events, up to 1,000 at once, one request at a time. The writer gives the events
// ids of its own. Order within a partition is that of the calls.
[[nodiscard]] std::unique_ptr<LogAppender> NewPostingAppender(const http::HttpEndpoint& writer);

}  // namespace fanfold::embedded
