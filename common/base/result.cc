#include "common/base/result.h"

namespace fanfold {

const char* ToString(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kOutOfRange:
      return "out_of_range";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kUnknown:
      return "unknown";
    case ErrorCode::kFenced:
      return "fenced";
    case ErrorCode::kOverloaded:
      return "overloaded";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace fanfold
