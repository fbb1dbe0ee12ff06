#include "common/access/jwt.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold {
namespace {

constexpr std::int64_t kJudgedAtMs = 1'000'000'000;  // 1,000,000 s
const JwtRules kRules{
    .issuer = "https://id.example", .audience = "fanfold", .lifetime_max_ms = 600'000};

Result<PrincipalPtr> Of(const std::string& claims) {
  return PrincipalOf({claims, std::make_shared<Credential>()}, kRules, kJudgedAtMs);
}

struct ClaimsCase {
  const char* name;
  const char* claims;   // beside iss and aud, where it begins with a comma
  const char* refused;  // part of what is said; empty: it is good
  friend void PrintTo(const ClaimsCase& of, std::ostream* out) { *out << of.name; }
};
class Claims : public ::testing::TestWithParam<ClaimsCase> {};

TEST_P(Claims, AreTakenOrRefused) {
  std::string claims = GetParam().claims;
  if (claims.starts_with(',')) {
    claims = R"({"iss":"https://id.example","aud":"fanfold","sub":"1")" + claims + "}";
  }
  const auto principal = Of(claims);
  const std::string_view refused = GetParam().refused;
  ASSERT_EQ(principal.has_value(), refused.empty()) << (principal ? "" : principal.error().message);
  if (principal) return;
  EXPECT_NE(principal.error().message.find(refused), std::string::npos)
      << principal.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Claims,
    ::testing::Values(
        ClaimsCase{"Plain", R"(,"exp":1000300)", ""},
        ClaimsCase{"WithFraction", R"(,"exp":1000000.5)", ""},
        ClaimsCase{"AudienceAmongOthers",
                   R"({"iss":"https://id.example","aud":["x","fanfold"],"exp":1000300,"sub":"1"})",
                   ""},
        ClaimsCase{"AnotherIssuer",
                   R"({"iss":"https://evil.example","aud":"fanfold","exp":1000300})", "issuer"},
        ClaimsCase{"NoIssuer", R"({"aud":"fanfold","exp":1000300})", "issuer"},
        ClaimsCase{"IssuerIsAList",
                   R"({"iss":["https://id.example"],"aud":"fanfold","exp":1000300})", "issuer"},
        ClaimsCase{"AnotherAudience", R"({"iss":"https://id.example","aud":"x","exp":1000300})",
                   "audience"},
        ClaimsCase{"NoAudience", R"({"iss":"https://id.example","exp":1000300})", "audience"},
        ClaimsCase{"EmptyAudience", R"({"iss":"https://id.example","aud":[],"exp":1000300})",
                   "audience"},
        ClaimsCase{"NoEnd", R"(,"iat":1000000)", "no exp"},
        ClaimsCase{"EndIsAText", R"(,"exp":"1000300")", "no time"},
        ClaimsCase{"EndIsNegative", R"(,"exp":-1)", "no time"},
        ClaimsCase{"EndIsHuge", R"(,"exp":1e300)", "no time"},
        ClaimsCase{"EndsNow", R"(,"exp":1000000)", "expired"},
        ClaimsCase{"EndedBefore", R"(,"exp":999999)", "expired"},
        ClaimsCase{"EndsInAMoment", R"(,"exp":1000001)", ""},
        ClaimsCase{"LivesAsLongAsItMay", R"(,"exp":1000600,"iat":1000000)", ""},
        ClaimsCase{"LivesLonger", R"(,"exp":1000601,"iat":1000000)", "longer"},
        ClaimsCase{"LivesLongerWithoutSayingSo", R"(,"exp":1000601)", "longer"},
        ClaimsCase{"EndsTooFarAwayWhateverItSays", R"(,"exp":1000661,"iat":1000061)", "future"},
        ClaimsCase{"LongAgoAndLong", R"(,"exp":1000100,"iat":999000)", "longer"},
        ClaimsCase{"IssuedWithinTheSkew", R"(,"exp":1000300,"iat":1000060)", ""},
        ClaimsCase{"IssuedInTheFuture", R"(,"exp":1000300,"iat":1000061)", "future"},
        ClaimsCase{"NotYetWithinTheSkew", R"(,"exp":1000300,"nbf":1000060)", ""},
        ClaimsCase{"NotYet", R"(,"exp":1000300,"nbf":1000061)", "not valid yet"},
        ClaimsCase{"NotBeforeIsNoTime", R"(,"exp":1000300,"nbf":null)", "no time"},
        ClaimsCase{"OfAUser", R"(,"exp":1000300,"user":"7")", ""},
        ClaimsCase{"OfAUserByNumber", R"(,"exp":1000300,"user":7)", ""},
        ClaimsCase{"OfUserZero", R"(,"exp":1000300,"user":"0")", "its user is no decimal"},
        ClaimsCase{"OfNegativeUser", R"(,"exp":1000300,"user":-7)", "its user is no decimal"},
        ClaimsCase{"OfAFraction", R"(,"exp":1000300,"user":7.0)", "its user is no decimal"},
        ClaimsCase{"OfNoUser", R"(,"exp":1000300,"user":null)", "its user is no decimal"},
        ClaimsCase{"OfUsers", R"(,"exp":1000300,"user":["7"])", "its user is no decimal"},
        ClaimsCase{"OfTwoUsers", R"(,"exp":1000300,"user":"1","user":"2")", "claims"},
        ClaimsCase{"NoJson", "{", "no claims"}, ClaimsCase{"AList", "[]", "no claims"},
        ClaimsCase{"Empty", "", "no claims"},
        ClaimsCase{"Deep", R"(,"exp":1000300,"x":[[[[[[[[[[1]]]]]]]]]])", "claims"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(PrincipalOf, SaysWhoAndWhatForAndHowLong) {
  const auto principal =
      Of(R"({"iss":"https://id.example","aud":"fanfold","sub":"ada","exp":1000300,"user":"7",)"
         R"("scope":"openid relations:read profiles:read no:such"})");
  ASSERT_TRUE(principal);
  EXPECT_EQ((*principal)->name, "https://id.example ada");
  EXPECT_EQ((*principal)->user, UserId(7));
  EXPECT_EQ(ToString((*principal)->scopes), "relations:read profiles:read");
  EXPECT_FALSE((*principal)->IsOver(1'000'299'999));
  EXPECT_TRUE((*principal)->IsOver(1'000'300'000));
}

struct UserCase {
  const char* name;
  const char* user_claim;  // as configured
  const char* claims;
  std::uint64_t user;   // 0: none
  const char* refused;  // part of what is said; empty: it is good
  friend void PrintTo(const UserCase& of, std::ostream* out) { *out << of.name; }
};
class Users : public ::testing::TestWithParam<UserCase> {};

TEST_P(Users, AreNamedByAClaimOrAllOfThemByAScope) {
  JwtRules rules = kRules;
  rules.user_claim = GetParam().user_claim;
  const std::string claims =
      std::string(R"({"iss":"https://id.example","aud":"fanfold","exp":1000300)") +
      GetParam().claims + "}";
  const auto principal = PrincipalOf({claims, std::make_shared<Credential>()}, rules, kJudgedAtMs);
  const std::string_view refused = GetParam().refused;
  ASSERT_EQ(principal.has_value(), refused.empty());
  if (!principal) {
    EXPECT_NE(principal.error().message.find(refused), std::string::npos)
        << principal.error().message;
    return;
  }
  EXPECT_EQ((*principal)->user.value_or(UserId(0)), UserId(GetParam().user));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Users,
    ::testing::Values(
        UserCase{"Nobody", "", "", 0, "has no sub, and not the scope users:any"},
        UserCase{"Subject", "", R"(,"sub":"42")", 42, ""},
        UserCase{"SubjectByNumber", "", R"(,"sub":42)", 42, ""},
        UserCase{"LargestByNumber", "", R"(,"sub":9223372036854775807)", 9223372036854775807U, ""},
        UserCase{"TooLargeByNumber", "", R"(,"sub":9223372036854775808)", 0, "its sub is no"},
        UserCase{"SubjectOfAProvider", "", R"(,"sub":"auth0|5f7c8ec7")", 0, "its sub is no"},
        UserCase{"UserBeatsSubject", "", R"(,"sub":"42","user":"43")", 43, ""},
        UserCase{"AWrongUserIsNotPassedOver", "", R"(,"sub":"42","user":"x")", 0, "its user is no"},
        UserCase{"Configured", "uid", R"(,"sub":"42","user":"43","uid":44)", 44, ""},
        UserCase{"ConfiguredAlone", "uid", R"(,"sub":"42","user":"43")", 0, "has no uid"},
        UserCase{"All", "", R"(,"sub":"scraper","scope":"metrics:read users:any")", 0, ""},
        UserCase{"AllWhoeverIsNamed", "", R"(,"sub":"42","scope":"users:any")", 0, ""},
        UserCase{"PartOfANameIsNotIt", "", R"(,"sub":"x","scope":"users:anybody")", 0, "sub is no"},
        UserCase{"ScopesAsAListAreNone", "", R"(,"sub":"x","scope":["users:any"])", 0,
                 "sub is no"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(PrincipalOf, IsOverWithItsKey) {
  const auto key = std::make_shared<Credential>();
  const auto principal =
      PrincipalOf({R"({"iss":"https://id.example","aud":"fanfold","exp":1000300,"sub":"1"})", key},
                  kRules, kJudgedAtMs);
  ASSERT_TRUE(principal);
  EXPECT_FALSE((*principal)->IsOver(kJudgedAtMs));
  key->ended = true;
  EXPECT_TRUE((*principal)->IsOver(kJudgedAtMs));
}

}  // namespace
}  // namespace fanfold
