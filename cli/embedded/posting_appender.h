// Appends events to a served folder through the process that has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/ports/event_log.h"

namespace fanfold::embedded {

// Sends POST /v1/events, up to 1,000 at once, one request at a time. The writer gives the events
// ids of its own. Order within a partition is that of the calls.
[[nodiscard]] std::unique_ptr<LogAppender> NewPostingAppender(const std::string& host,
                                                              std::uint16_t port);

}  // namespace fanfold::embedded
