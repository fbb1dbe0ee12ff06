// Responses into bytes. Internal to common/http; pure.
#pragma once

#include <string>

#include "common/http/reply_queue.h"

namespace fanfold::http {

// Appends head and body to `out`. Control characters in header values become spaces.
void AppendResponse(const Answered& answer, std::string& out);

}  // namespace fanfold::http
