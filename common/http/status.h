// Statuses of answers, as RFC 9110 numbers them.
#pragma once

namespace fanfold::http {

inline constexpr int kOk = 200;
inline constexpr int kAccepted = 202;
inline constexpr int kNoContent = 204;
inline constexpr int kNotModified = 304;
inline constexpr int kUnauthenticated = 401;
inline constexpr int kForbidden = 403;
inline constexpr int kConflict = 409;

}  // namespace fanfold::http
