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

// Nobody is asked who he is: whoever reaches this process may do everything. What a request says of
// itself counts for nothing.
[[nodiscard]] Wrapper Anyone();

// By a token in the header Authorization, and nowhere else (RFC 6750, 2.1). One that is not good is
// 401 on every path but those of probes, which are nobody's then; without one nobody asks, and the
// router says what is nobody's. A request whose token's signature is looked at waits, and with it
// those behind it on its connection; where too many do: 503. An address that brings many tokens
// that are not good is refused by `limits`, where there are any: 429, and `told` hears of it. Both
// outlive the handler.
[[nodiscard]] Wrapper Authenticated(Verifier& verifier, Limits* limits = nullptr,
                                    LimitedTold told = {});

}  // namespace fanfold::http
