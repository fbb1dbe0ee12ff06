// By what a request can be found again: `X-Request-Id` and `traceparent`.
#pragma once

#include <vector>

#include "common/http/wrapper.h"
#include "common/stream/trace.h"

namespace fanfold::http {

// The trace in the request's headers; invalid ones count as absent.
[[nodiscard]] Trace TraceOf(const Request& request);
// Appends the headers that say it.
void AppendHeaders(const Trace& trace, std::vector<Header>& headers);

// Every answer has the request's in its headers. Pure but for the calls of what is behind it.
[[nodiscard]] Wrapper ToldBack();

}  // namespace fanfold::http
