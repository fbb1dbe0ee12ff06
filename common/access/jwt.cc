#include "common/access/jwt.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/access/json_member.h"
#include "common/base/clock.h"
#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr JsonBounds kClaimsBounds{.depth_max = 8, .values_max = 256};
constexpr double kSecondsMax = 1e12;
constexpr std::size_t kNameBytesMax = 256;

std::unexpected<Error> Refused(std::string_view why) {
  return Fail(ErrorCode::kRefused, fmt::format("the token {}", why));
}

// A NumericDate: seconds since 1970 UTC, perhaps with a fraction. Nothing: it is none.
std::optional<std::int64_t> MsOf(const Json& date) {
  if (!date.is_number()) return std::nullopt;
  const auto seconds = date.get<double>();
  if (!(seconds >= 0 && seconds <= kSecondsMax)) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(seconds * kMsPerSecond));
}

bool IsFor(const Json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  if (found->is_string()) return *found == audience;
  return found->is_array() && std::ranges::any_of(*found, [&](const Json& one) {
           return one.is_string() && one == audience;
         });
}

// When it ends, if it may be used now.
Result<std::int64_t> EndOf(const Json& claims, const JwtRules& rules, std::int64_t now_ms) {
  const auto date = [&claims](const char* name) {
    return claims.contains(name) ? MsOf(claims[name]) : std::nullopt;
  };
  for (const char* name : {"exp", "nbf", "iat"}) {
    if (claims.contains(name) && !date(name)) {
      return Refused(fmt::format("has an {} that is no time", name));
    }
  }
  const auto expires_ms = date("exp");
  if (!expires_ms) return Refused("has no exp");
  if (now_ms >= *expires_ms) return Refused("has expired");
  const std::int64_t latest_ms = now_ms + JwtRules::kSkewMs;
  if (date("nbf").value_or(0) > latest_ms) return Refused("is not valid yet");
  if (date("iat").value_or(0) > latest_ms) return Refused("was issued in the future");
  const std::int64_t from_ms = date("iat").value_or(now_ms);
  const bool lives_too_long = *expires_ms - from_ms > rules.lifetime_max_ms ||
                              *expires_ms > latest_ms + rules.lifetime_max_ms;
  if (lives_too_long) {
    return Refused(fmt::format("lives longer than {} s", rules.lifetime_max_ms / 1'000));
  }
  return *expires_ms;
}

Result<UserId> UserOf(const Json& claims, const JwtRules& rules) {
  std::string claim = rules.user_claim;
  if (claim.empty()) claim = claims.contains("user") ? "user" : "sub";
  const auto found = claims.find(claim);
  if (found == claims.end()) {
    return Refused(
        fmt::format("names no user: it has no {}, and not the scope {}", claim, kAnyUserScope));
  }
  const std::string text =
      found->is_number_integer() ? found->dump() : TextIn(claims, claim.c_str());
  const std::optional<UserId> user = ParseUserId(text);
  if (!user) {
    return Refused(
        fmt::format("names no user: its {} is no decimal number from 1 to 2^63-1", claim));
  }
  return *user;
}

}  // namespace

Result<PrincipalPtr> PrincipalOf(const SignedClaims& claims, const JwtRules& rules,
                                 std::int64_t now_ms) {
  if (!CheckJson(claims.payload, kClaimsBounds)) return Refused("has claims that are not taken");
  const Json said = Json::parse(claims.payload, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object()) return Refused("has no claims");
  if (TextIn(said, "iss") != rules.issuer) return Refused("is of another issuer");
  if (!IsFor(said, rules.audience)) return Refused("is for another audience");
  Result<std::int64_t> ends_ms = EndOf(said, rules, now_ms);
  if (!ends_ms) return Forward(ends_ms);
  Principal principal;
  principal.scopes = KnownScopes(TextIn(said, "scope"));
  principal.expires_ms = *ends_ms;
  principal.by = claims.key;
  if (!HasName(TextIn(said, "scope"), kAnyUserScope)) {
    Result<UserId> user = UserOf(said, rules);
    if (!user) return Forward(user);
    principal.user = *user;
  }
  principal.name = fmt::format("{} {}", rules.issuer, TextIn(said, "sub")).substr(0, kNameBytesMax);
  return std::make_shared<const Principal>(std::move(principal));
}

}  // namespace fanfold
