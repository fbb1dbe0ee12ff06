#include "common/http/problem.h"

#include <nlohmann/json.hpp>

namespace fanfold::http {
namespace {

struct ProblemKind {
  int status;
  std::string_view code;
  std::string_view title;
};

constexpr ProblemKind KindOf(ProblemCode code) noexcept {
  switch (code) {
    case ProblemCode::kInvalidArgument:
      return {400, "invalid_argument", "An argument is not valid"};
    case ProblemCode::kInvalidCursor:
      return {400, "invalid_cursor", "The cursor is not one of this list"};
    case ProblemCode::kUnknownParameter:
      return {400, "unknown_parameter", "A parameter is not known"};
    case ProblemCode::kOriginRefused:
      return {403, "origin_refused", "Pages of this origin may not write"};
    case ProblemCode::kNotFound:
      return {404, "not_found", "There is nothing here"};
    case ProblemCode::kMethodNotAllowed:
      return {405, "method_not_allowed", "The method is not allowed here"};
    case ProblemCode::kPositionNotReached:
      return {409, "position_not_reached", "The position is not reached yet"};
    case ProblemCode::kBodyTooLarge:
      return {413, "body_too_large", "The body is too large"};
    case ProblemCode::kUnsupportedMediaType:
      return {415, "unsupported_media_type", "The body is of a type that is not taken"};
    case ProblemCode::kSelfFollow:
      return {422, "self_follow", "Nobody can follow himself"};
    case ProblemCode::kFollowLimit:
      return {422, "follow_limit", "The limit of followings is reached"};
    case ProblemCode::kSuperseded:
      return {422, "superseded", "A later event has changed this relation"};
    case ProblemCode::kBatchTooLarge:
      return {422, "batch_too_large", "The batch is too large"};
    case ProblemCode::kInternal:
      return {500, "internal", "The server failed"};
    case ProblemCode::kLogUnavailable:
      return {503, "log_unavailable", "The log is not available"};
    case ProblemCode::kStoreUnavailable:
      return {503, "store_unavailable", "The tables are not available"};
    case ProblemCode::kOverloaded:
      return {503, "overloaded", "The server is busy"};
    case ProblemCode::kNotReady:
      return {503, "not_ready", "The service is not ready"};
    case ProblemCode::kRequestTimeout:
      return {408, "request_timeout", "The request took too long to arrive"};
    case ProblemCode::kHeadersTooLarge:
      return {431, "headers_too_large", "The headers are too large"};
    case ProblemCode::kNotImplemented:
      return {501, "not_implemented", "The request needs what this server does not do"};
  }
  return {500, "internal", "The server failed"};
}

constexpr int kServiceUnavailable = 503;

}  // namespace

std::string_view ToString(ProblemCode code) noexcept { return KindOf(code).code; }

Response Problem(ProblemCode code, std::string_view detail) {
  const ProblemKind kind = KindOf(code);
  Response response;
  response.status = kind.status;
  response.content_type = "application/problem+json";
  if (kind.status == kServiceUnavailable) response.headers.emplace_back("Retry-After", "1");
  response.body.append(R"({"type":"urn:fanfold:problem:)").append(kind.code);
  response.body.append(R"(","title":")").append(kind.title);
  response.body.append(R"(","status":)").append(std::to_string(kind.status));
  response.body.append(R"(,"code":")").append(kind.code);
  response.body.append(R"(","detail":)").append(JsonQuoted(detail)).append("}");
  return response;
}

std::string JsonQuoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace fanfold::http
