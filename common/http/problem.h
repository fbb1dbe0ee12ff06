// Errors as CONTRACT has them: application/problem+json, one table of codes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/http/http_server.h"

namespace fanfold::http {

enum class ProblemCode : std::uint8_t {
  kInvalidArgument,       // 400 invalid_argument
  kInvalidCursor,         // 400 invalid_cursor
  kUnknownParameter,      // 400 unknown_parameter
  kOriginRefused,         // 403 origin_refused
  kNotFound,              // 404 not_found
  kMethodNotAllowed,      // 405 method_not_allowed
  kPositionNotReached,    // 409 position_not_reached
  kBodyTooLarge,          // 413 body_too_large
  kUnsupportedMediaType,  // 415 unsupported_media_type
  kSelfFollow,            // 422 self_follow
  kFollowLimit,           // 422 follow_limit
  kSuperseded,            // 422 superseded
  kBatchTooLarge,         // 422 batch_too_large
  kInternal,              // 500 internal
  kLogUnavailable,        // 503 log_unavailable
  kStoreUnavailable,      // 503 store_unavailable
  kOverloaded,            // 503 overloaded
  kNotReady,              // 503 not_ready (of /readyz)
  kRequestTimeout,        // 408 request_timeout
  kHeadersTooLarge,       // 431 headers_too_large
  kNotImplemented,        // 501 not_implemented
};

[[nodiscard]] std::string_view ToString(ProblemCode code) noexcept;

// {"type","title","status","code","detail"}; 503s carry Retry-After: 1.
[[nodiscard]] Response Problem(ProblemCode code, std::string_view detail);

// A text as a JSON string, quotes included; what is not UTF-8 is replaced.
[[nodiscard]] std::string JsonQuoted(std::string_view text);

}  // namespace fanfold::http
