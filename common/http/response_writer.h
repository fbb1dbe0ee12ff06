// Responses into bytes. Internal to common/http; pure.
#pragma once

#include <string>
#include <string_view>

#include "common/http/reply_queue.h"

namespace fanfold::http {

// Appends head and body to `out`; of a streamed answer the head and what its body begins with.
// Control characters in header values become spaces.
void AppendResponse(const Answered& answer, std::string& out);

// Appends a part of a streamed body, as a chunk (RFC 9112, 7.1) or as it is.
void AppendPart(std::string_view bytes, bool chunked, std::string& out);
void AppendEnd(bool chunked, std::string& out);

}  // namespace fanfold::http
