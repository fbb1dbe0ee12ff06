// Who asks.
#pragma once

#include <optional>
#include <string_view>

#include "common/access/verifier.h"
#include "common/http/limits.h"
#include "common/http/wrapper.h"

namespace fanfold::http {

// The token that a header Authorization shows; nothing where it is no Bearer's. Pure.
[[nodiscard]] std::optional<std::string_view> BearerTokenIn(std::string_view authorization);

// Asks nobody for a token: everybody who reaches this process may do everything. Claims of a
// request about itself count for nothing.
[[nodiscard]] Wrapper Anyone();

// Wants a token in the header Authorization, and nowhere else (RFC 6750, 2.1). A bad token is 401,
// but on the paths of probes it counts as none. A request without a token goes on as nobody's, and
// the router says what nobody may ask. While a token's signature is looked at, its request waits,
// and those behind it on its connection; too many such: 503. `limits`, where there are any, refuse
// an address that brings many bad tokens: 429, and `told` hears of it. Both outlive the handler.
[[nodiscard]] Wrapper Authenticated(Verifier& verifier, Limits* limits = nullptr,
                                    LimitedTold told = {});

}  // namespace fanfold::http
