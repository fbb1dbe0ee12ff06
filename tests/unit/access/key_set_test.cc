#include "common/access/key_set.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <ostream>
#include <string>

#include "tests/support/signing_key.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

const SigningKey& Elliptic() {
  static const SigningKey key("e", "ES256");
  return key;
}
const SigningKey& Rsa() {
  static const SigningKey key("r", "RS256");
  return key;
}

std::shared_ptr<const KeySet> Parsed(const std::string& text, const KeySet* before = nullptr) {
  auto keys = KeySet::Parse(text, before);
  EXPECT_TRUE(keys) << keys.error().message;
  return keys.value_or(nullptr);
}

std::shared_ptr<const KeySet> Both() { return Parsed(JwkSetOf({Elliptic().Jwk(), Rsa().Jwk()})); }

TEST(KeySet, ASignatureOfAKnownKeyIsGood) {
  const auto keys = Both();
  for (const SigningKey* key : {&Elliptic(), &Rsa()}) {
    const auto claims = keys->Verify(key->Sign(R"({"sub":"ada"})"));
    ASSERT_TRUE(claims) << claims.error().message;
    EXPECT_EQ(claims->payload, R"({"sub":"ada"})");
    EXPECT_NE(claims->key, nullptr);
  }
}

struct HeaderCase {
  const char* name;
  const char* header;
  const char* refused;  // part of what is said; empty: it is good
  friend void PrintTo(const HeaderCase& of, std::ostream* out) { *out << of.name; }
};
class SignedHeaders : public ::testing::TestWithParam<HeaderCase> {};

TEST_P(SignedHeaders, AreTakenOrRefused) {
  const auto claims = Both()->Verify(Rsa().Sign("{}", GetParam().header));
  const std::string_view refused = GetParam().refused;
  ASSERT_EQ(claims.has_value(), refused.empty());
  if (claims) return;
  EXPECT_NE(claims.error().message.find(refused), std::string::npos) << claims.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, SignedHeaders,
    ::testing::Values(
        HeaderCase{"AlgAndKid", R"({"alg":"RS256","kid":"r"})", ""},
        HeaderCase{"Typ", R"({"alg":"RS256","kid":"r","typ":"at+jwt"})", ""},
        HeaderCase{"AnotherAlgOfItsKind", R"({"alg":"RS512","kid":"r"})", "alg"},
        HeaderCase{"Pss", R"({"alg":"PS256","kid":"r"})", "alg"},
        HeaderCase{"NoKid", R"({"alg":"RS256"})", "no key"},
        HeaderCase{"UnknownKid", R"({"alg":"RS256","kid":"x"})", "no key"},
        HeaderCase{"AnotherKeysKid", R"({"alg":"RS256","kid":"e"})", "alg"},
        HeaderCase{"KidIsNoText", R"({"alg":"RS256","kid":7})", "no key"},
        HeaderCase{"Crit", R"({"alg":"RS256","kid":"r","crit":["exp"],"exp":1})", "crit"},
        HeaderCase{"EmptyCrit", R"({"alg":"RS256","kid":"r","crit":[]})", "crit"},
        HeaderCase{"NullCrit", R"({"alg":"RS256","kid":"r","crit":null})", "crit"},
        HeaderCase{"TwoKids", R"({"alg":"RS256","kid":"e","kid":"r"})", "header"},
        HeaderCase{"TwoAlgs", R"({"alg":"none","alg":"RS256","kid":"r"})", "header"},
        HeaderCase{"NoAlg", R"({"kid":"r"})", "alg"}, HeaderCase{"AList", R"(["RS256"])", "header"},
        // What would name a key of the sender's choice leads nowhere.
        HeaderCase{"Jku", R"({"alg":"RS256","kid":"r","jku":"https://evil.example/k"})", ""},
        HeaderCase{"X5u", R"({"alg":"RS256","kid":"r","x5u":"https://evil.example/c"})", ""}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(KeySet, AKeyThatTheHeaderBringsIsNoKey) {
  const SigningKey foreign("r", "RS256");
  const Json header = {{"alg", "RS256"}, {"kid", "r"}, {"jwk", Json::parse(foreign.Jwk())}};
  const auto claims = Both()->Verify(foreign.Sign("{}", header.dump()));
  ASSERT_FALSE(claims);
  EXPECT_NE(claims.error().message.find("not signed"), std::string::npos);
}

TEST(KeySet, WhatIsNotSignedIsRefused) {
  const auto keys = Both();
  const std::string token = Elliptic().Sign(R"({"user":"1"})");
  const std::size_t payload = token.find('.') + 1;
  const std::size_t signature = token.rfind('.') + 1;
  const std::string claims = Base64Url(R"({"user":"2"})");
  const std::string none = Base64Url(R"({"alg":"none","kid":"e"})");
  const std::string hmac = Base64Url(R"({"alg":"HS256","kid":"e"})");
  for (const std::string& wrong :
       {token.substr(0, payload) + claims + token.substr(signature - 1),  // other claims
        token.substr(0, signature), token.substr(0, signature - 1), std::string("a.b.c"),
        std::string(".."), std::string("."), std::string("x"), none + '.' + claims + '.',
        none + '.' + claims + '.' + token.substr(signature),
        hmac + '.' + claims + '.' + token.substr(signature),
        token.substr(0, signature) + Base64Url(std::string(64, '\0')),
        token.substr(0, token.size() - 8), token + "=", token + "=x", std::string("e="),
        std::string("e=.AA.AA"), std::string("a==="), token.substr(0, signature) + "e=",
        token.substr(0, payload) + "e=" + token.substr(signature - 1)}) {
    EXPECT_FALSE(keys->Verify(wrong)) << wrong;
  }
  EXPECT_TRUE(keys->Verify(token));
}

// With so many zeros before each of its two halves.
std::string Padded(std::string_view signature, std::size_t zeros) {
  std::string text(signature);
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (text.size() % 4 != 0) text += '=';
  std::string bytes(text.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                  reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  const std::size_t half = signature.size() * 3 / 4 / 2;
  const std::string before(zeros, '\0');
  return Base64Url(before + bytes.substr(0, half) + before + bytes.substr(half, half));
}

TEST(KeySet, ATokenIsNotWrittenInOtherWays) {
  const auto keys = Both();
  for (const SigningKey* key : {&Elliptic(), &Rsa()}) {
    const std::string token = key->Sign("{}");
    const std::size_t signature = token.rfind('.') + 1;
    const auto with = [&](std::size_t zeros) {
      return token.substr(0, signature) + Padded(token.substr(signature), zeros);
    };
    EXPECT_EQ(with(0), token);
    for (const std::size_t zeros : {1, 2, 3, 32, 1'500}) EXPECT_FALSE(keys->Verify(with(zeros)));
  }
}

Json Changed(const SigningKey& key, const Json& changes) {
  Json jwk = Json::parse(key.Jwk());
  jwk.merge_patch(changes);
  return jwk;
}

TEST(KeySet, AKeyThatIsNotAsItMustBeSpoilsTheSet) {
  const SigningKey small("s", "RS256", 1'024);
  const std::string with_secret = Elliptic().Jwk(/*secret=*/true);
  for (const std::string& key :
       {Changed(Rsa(), {{"kid", nullptr}}).dump(), Changed(Rsa(), {{"kid", ""}}).dump(),
        Changed(Rsa(), {{"alg", "ES256"}}).dump(), Changed(Elliptic(), {{"alg", "RS256"}}).dump(),
        Changed(Elliptic(), {{"crv", "P-384"}}).dump(), Changed(Rsa(), {{"n", nullptr}}).dump(),
        Changed(Elliptic(), {{"x", "AA"}}).dump(), Changed(Elliptic(), {{"x", "AAAAe="}}).dump(),
        Changed(Rsa(), {{"n", "e="}}).dump(), Changed(Rsa(), {{"e", "AQAB="}}).dump(),
        Changed(Rsa(), {{"e", "AQ"}}).dump(), Changed(Rsa(), {{"e", "Aw"}}).dump(), small.Jwk(),
        with_secret, std::string("1"),
        std::string(R"({"kty":"oct","kid":"o","alg":"HS256","use":"sig","k":"AAAA"})")}) {
    EXPECT_FALSE(KeySet::Parse(JwkSetOf({Elliptic().Jwk(), key}))) << key;
  }
  EXPECT_FALSE(KeySet::Parse(JwkSetOf({Rsa().Jwk(), Changed(Elliptic(), {{"kid", "r"}}).dump()})));
  for (const char* text : {"", "{", "[]", "{}", R"({"keys":1})", R"({"keys":[],"keys":[]})"}) {
    EXPECT_FALSE(KeySet::Parse(text)) << text;
  }
  EXPECT_EQ(Parsed(R"({"keys":[]})")->size(), 0U);
}

// As providers give them out: a set has keys to encrypt with, and of algorithms that are not ours.
TEST(KeySet, KeysForSomethingElseArePassedOver) {
  for (const Json& changes : {Json{{"use", "enc"}, {"alg", "RSA-OAEP"}}, Json{{"use", "enc"}},
                              Json{{"alg", "RS512"}}, Json{{"alg", "HS256"}}, Json{{"alg", "none"}},
                              Json{{"kty", "OKP"}, {"crv", "Ed25519"}, {"alg", nullptr}},
                              Json{{"kty", "EC"}, {"crv", "P-384"}, {"alg", nullptr}},
                              Json{{"key_ops", {"encrypt"}}, {"alg", "RSA-OAEP-256"}}}) {
    const std::string other = Changed(Rsa(), changes).dump();
    const auto keys = Parsed(JwkSetOf({other, Elliptic().Jwk()}));
    EXPECT_EQ(keys->size(), 1U) << other;
    EXPECT_FALSE(keys->Verify(Rsa().Sign("{}"))) << other;
    EXPECT_TRUE(keys->Verify(Elliptic().Sign("{}"))) << other;
    EXPECT_FALSE(KeySet::Parse(JwkSetOf({other}))) << "none is left: " << other;
  }
}

TEST(KeySet, AKeyWithoutAlgAndUseVerifiesWhatItsTypeDoes) {
  for (const SigningKey* key : {&Elliptic(), &Rsa()}) {
    const auto keys =
        Parsed(JwkSetOf({Changed(*key, {{"alg", nullptr}, {"use", nullptr}}).dump()}));
    EXPECT_TRUE(keys->Verify(key->Sign("{}")));
  }
}

TEST(KeySet, KeyOpsAreNotLookedAt) {
  const auto keys = Parsed(JwkSetOf({Changed(Rsa(), {{"key_ops", {"encrypt"}}}).dump()}));
  EXPECT_TRUE(keys->Verify(Rsa().Sign("{}")));
}

TEST(KeySet, WhatIsTakenAwayIsOverAndWhatStaysIsNot) {
  const auto before = Both();
  const auto of_rsa = before->Verify(Rsa().Sign("{}"));
  const auto of_elliptic = before->Verify(Elliptic().Sign("{}"));
  const auto after = Parsed(JwkSetOf({Elliptic().Jwk()}), before.get());
  before->EndAllBut(*after);
  EXPECT_TRUE(of_rsa->key->ended.load());
  EXPECT_FALSE(of_elliptic->key->ended.load());
  EXPECT_EQ(after->Verify(Elliptic().Sign("{}"))->key, of_elliptic->key);
}

TEST(KeySet, AnotherKeyUnderItsNameIsAnotherKey) {
  const auto before = Both();
  const auto claims = before->Verify(Rsa().Sign("{}"));
  const SigningKey other("r", "RS256");
  const auto after = Parsed(JwkSetOf({Elliptic().Jwk(), other.Jwk()}), before.get());
  before->EndAllBut(*after);
  EXPECT_TRUE(claims->key->ended.load());
  EXPECT_FALSE(after->Verify(Rsa().Sign("{}")));
  EXPECT_TRUE(after->Verify(other.Sign("{}")));
}

}  // namespace
}  // namespace fanfold
