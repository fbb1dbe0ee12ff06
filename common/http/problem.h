// Errors as they are told: application/problem+json.
#pragma once

#include <string_view>

#include "common/http/http_server.h"

namespace fanfold::http {

// `code` and `title` are literals.
struct ProblemKind {
  int status = 0;
  std::string_view code;
  std::string_view title;
  friend bool operator==(const ProblemKind&, const ProblemKind&) = default;
};

// Problems that any service may answer with; a service's own ones stand beside its answers.
namespace problems {

inline constexpr ProblemKind kInvalidArgument{400, "invalid_argument", "An argument is not valid"};
inline constexpr ProblemKind kInvalidCursor{400, "invalid_cursor",
                                            "The cursor is not one of this list"};
inline constexpr ProblemKind kUnknownParameter{400, "unknown_parameter",
                                               "A parameter is not known"};
inline constexpr ProblemKind kUnauthenticated{401, "unauthenticated", "It is not known who asks"};
inline constexpr ProblemKind kForbidden{403, "forbidden", "Whoever asks may not"};
inline constexpr ProblemKind kOriginRefused{403, "origin_refused",
                                            "Pages of this origin may not write"};
inline constexpr ProblemKind kNotFound{404, "not_found", "There is nothing here"};
inline constexpr ProblemKind kMethodNotAllowed{405, "method_not_allowed",
                                               "The method is not allowed here"};
inline constexpr ProblemKind kRequestTimeout{408, "request_timeout",
                                             "The request took too long to arrive"};
inline constexpr ProblemKind kBodyTooLarge{413, "body_too_large", "The body is too large"};
inline constexpr ProblemKind kUnsupportedMediaType{415, "unsupported_media_type",
                                                   "The body is of a type that is not taken"};
inline constexpr ProblemKind kRateLimited{429, "rate_limited", "There are too many requests"};
inline constexpr ProblemKind kHeadersTooLarge{431, "headers_too_large",
                                              "The headers are too large"};
inline constexpr ProblemKind kInternal{500, "internal", "The server failed"};
inline constexpr ProblemKind kNotImplemented{501, "not_implemented",
                                             "The request needs what this server does not do"};
inline constexpr ProblemKind kOverloaded{503, "overloaded", "The server is busy"};
inline constexpr ProblemKind kLogUnavailable{503, "log_unavailable", "The log is not available"};
inline constexpr ProblemKind kNotReady{503, "not_ready", "The service is not ready"};  // /readyz

}  // namespace problems

// {"type","title","status","code","detail"}; 503s carry Retry-After: 1.
[[nodiscard]] Response Problem(const ProblemKind& kind, std::string_view detail);
// 413.
[[nodiscard]] Response BodyTooLarge(std::size_t bytes_max);
// With further members, as `"position":"0:1"`. Requires: `problem` is Problem's.
void AddMembers(Response& problem, std::string_view members);

}  // namespace fanfold::http
