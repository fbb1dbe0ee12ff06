// How calls fail. No exception leaves an adapter: each maps its library's codes to one of these.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace fanfold {

// What the caller can do about a failure.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // the request is wrong: give up, tell whoever sent it
  kNotFound,         // what was named does not exist: give up
  kOutOfRange,       // a start position outside what the log holds: stop the lane, name the reason
  kConflict,     // the database chose this transaction to fail, nothing was applied: retry it whole
  kUnavailable,  // nothing was applied, the dependency is away: back off and retry
  kUnknown,      // whether it was applied is not known: read the position before anything else
  kFenced,       // somebody else owns the lane or has moved it: drop the work, take it again
  kOverloaded,   // a named limit is full, nothing was taken: shed or back off
  kTimeout,      // the caller's own deadline ran out
  kRefused,      // state forbids it: an operator has to act
  kInternal,     // none of the above; a bug or a code nobody has mapped yet
};

[[nodiscard]] const char* ToString(ErrorCode code) noexcept;

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

// The failure of one result, carried into another type of result. Requires: `failed` holds an
// error.
template <class T>
[[nodiscard]] std::unexpected<Error> Forward(Result<T>& failed) {
  return std::unexpected<Error>(std::move(failed.error()));
}

}  // namespace fanfold
