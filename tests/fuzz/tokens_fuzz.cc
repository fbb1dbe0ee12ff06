// Tokens, their claims, and the files that tell which are good: nothing that is not signed by the
// key is taken, and what is taken ends.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/access/base64url.h"
#include "common/access/jwt.h"
#include "common/access/key_set.h"
#include "common/access/static_tokens.h"
#include "common/base/check.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

constexpr std::int64_t kNowMs = 1'000'000'000;

// The key of RFC 7515, A.3.
const KeySet& Keys() {
  static const std::shared_ptr<const KeySet> keys =
      KeySet::Parse(R"({"keys":[{"kty":"EC","crv":"P-256","kid":"k","alg":"ES256","use":"sig",)"
                    R"("x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})")
          .value();
  return *keys;
}

void CheckToken(std::string_view token) {
  FANFOLD_CHECK(!Keys().Verify(token), token);
  // As if it were signed in its own way: the header is read, and the signature looked at.
  const std::string known = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ." + std::string(token);
  FANFOLD_CHECK(!Keys().Verify(known), token);
  (void)StaticTokenIdOf(token);
}

void CheckClaims(std::string_view claims) {
  const JwtRules rules{.issuer = "i", .audience = "a", .lifetime_max_ms = 600'000};
  const auto principal = PrincipalOf({std::string(claims), nullptr}, rules, kNowMs);
  if (!principal) return;
  const std::int64_t ends_ms = (*principal)->expires_ms;
  FANFOLD_CHECK(ends_ms > kNowMs && ends_ms <= kNowMs + 660'000, claims);
}

void CheckTokensFile(std::string_view text) {
  const auto tokens = ParseStaticTokens(text);
  if (!tokens) return;
  const auto again = ParseStaticTokens(StaticTokensText(*tokens));
  FANFOLD_CHECK(again && *again == *tokens, text);
}

}  // namespace

const FuzzTarget kTokens("tokens", [](std::string_view input) {
  switch (TakeByte(input)) {
    case 't':
      return CheckToken(input);
    case 'c':
      return CheckClaims(input);
    case 'f':
      return CheckTokensFile(input);
    default:
      if (const auto keys = KeySet::Parse(input)) (void)(*keys)->Verify("AA.AA.AA");
  }
});

}  // namespace fanfold
