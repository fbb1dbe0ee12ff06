#include "common/http/problem.h"

#include <string>

#include "common/base/check.h"
#include "common/base/json_text.h"

namespace fanfold::http {
namespace {

constexpr int kServiceUnavailable = 503;

}  // namespace

Response Problem(const ProblemKind& kind, std::string_view detail) {
  Response response;
  response.status = kind.status;
  response.content_type = "application/problem+json";
  response.problem = kind.code;
  if (kind.status == kServiceUnavailable) response.headers.emplace_back("Retry-After", "1");
  response.body.append(R"({"type":"urn:fanfold:problem:)").append(kind.code);
  response.body.append(R"(","title":")").append(kind.title);
  response.body.append(R"(","status":)").append(std::to_string(kind.status));
  response.body.append(R"(,"code":")").append(kind.code);
  response.body.append(R"(","detail":)").append(JsonQuoted(detail)).append("}");
  return response;
}

Response BodyTooLarge(std::size_t bytes_max) {
  return Problem(problems::kBodyTooLarge, "more than " + std::to_string(bytes_max) + " bytes");
}

void AddMembers(Response& problem, std::string_view members) {
  FANFOLD_CHECK(problem.body.ends_with('}'), problem.body);
  problem.body.back() = ',';
  problem.body.append(members).append("}");
}

}  // namespace fanfold::http
