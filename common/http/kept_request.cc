#include "common/http/kept_request.h"

#include <exception>
#include <utility>

#include "common/base/logging.h"
#include "common/http/problem.h"

namespace fanfold::http {

KeptRequest::KeptRequest(const Request& request)
    : method_(request.method),
      path_(request.path),
      query_(request.query),
      body_(request.body_kept ? std::string_view() : request.body),
      body_kept_(request.body_kept),
      large_body_(request.body_kept ? request.body : std::string_view()),
      headers_(request.headers == nullptr ? Headers() : *request.headers),
      intake_(request.intake),
      caller_(request.caller ? request.caller : std::make_shared<Caller>()) {}

std::size_t KeptRequest::bytes() const noexcept {
  return sizeof *this + path_.size() + query_.size() + body_.size() + headers_.bytes();
}

Request KeptRequest::Of(PrincipalPtr principal) const {
  return {.method = method_,
          .path = path_,
          .query = query_,
          .body = body_kept_ ? large_body_ : std::string_view(body_),
          .headers = &headers_,
          .principal = std::move(principal),
          .caller = caller_,
          .intake = intake_,
          .body_kept = body_kept_};
}

void CallOrFail(const Handler& handler, const Request& request, const Reply& reply) {
  try {
    handler(request, reply);
  } catch (const std::exception& error) {
    LogError("handler threw", {{"path", request.path}, {"why", error.what()}});
    reply(Problem(problems::kInternal, "the handler failed"));
  } catch (...) {
    LogError("handler threw", {{"path", request.path}});
    reply(Problem(problems::kInternal, "the handler failed"));
  }
}

}  // namespace fanfold::http
