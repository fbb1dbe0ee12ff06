// Reads the claims of a user's token (RFC 7519), once its signature is known to be good. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/access/key_set.h"
#include "common/access/principal.h"
#include "common/base/result.h"

namespace fanfold {

struct JwtRules {
  // How far the issuer's clock may be ahead of ours. Behind `exp` there is none.
  static constexpr std::int64_t kSkewMs = 60'000;

  std::string issuer;
  std::string audience;
  std::int64_t lifetime_max_ms = 86'400'000;
  std::string user_claim = {};  // empty: `user` where it is there, else `sub`
};

// A token with this scope acts for all users: it is a service's. No route asks for it.
inline constexpr std::string_view kAnyUserScope = "users:any";

// `iss` and `aud` must be ours, `exp` is obligatory and, with `iat` or without, not further away
// than a token may live; `nbf` counts. `scope` (RFC 8693, 4.2): names that are not ours are
// somebody else's. Without kAnyUserScope it acts for one user alone, whom a claim names by a
// decimal id, as a text or a number. Errors: kRefused, "the token …".
[[nodiscard]] Result<PrincipalPtr> PrincipalOf(const SignedClaims& claims, const JwtRules& rules,
                                               std::int64_t now_ms);

}  // namespace fanfold
