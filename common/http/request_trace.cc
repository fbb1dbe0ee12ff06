#include "common/http/request_trace.h"

#include <string>
#include <utility>

namespace fanfold::http {
namespace {

constexpr std::string_view kRequestId = "X-Request-Id";
constexpr std::string_view kTraceparent = "traceparent";

}  // namespace

Trace TraceOf(const Request& request) {
  return {request.HeaderValue(kRequestId).value_or(""),
          request.HeaderValue(kTraceparent).value_or("")};
}

void AppendHeaders(const Trace& trace, std::vector<Header>& headers) {
  const auto tell = [&headers](std::string_view name, std::string_view value) {
    if (!value.empty()) headers.emplace_back(name, value);
  };
  tell(kRequestId, trace.request_id());
  tell(kTraceparent, trace.traceparent());
}

Wrapper ToldBack() {
  return [](Handler next) -> Handler {
    return [next = std::move(next)](const Request& request, Reply reply) {
      if (Trace trace = TraceOf(request); !trace.empty()) {
        reply.Pass([trace = std::move(trace)](Response& response) {
          AppendHeaders(trace, response.headers);
        });
      }
      next(request, std::move(reply));
    };
  };
}

}  // namespace fanfold::http
