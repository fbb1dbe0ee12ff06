#include "common/access/key_set.h"

#include <algorithm>
#include <cjose/cjose.h>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/access/base64url.h"
#include "common/access/json_member.h"
#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr JsonBounds kKeySetBounds{.depth_max = 4, .values_max = 32 * KeySet::kKeysMax};
constexpr JsonBounds kHeaderBounds{.depth_max = 8, .values_max = 64};
constexpr std::size_t kKidBytesMax = 256;
constexpr std::size_t kEs256Bytes = 64;  // of a signature (RFC 7518, 3.4); RS256: as its modulus

struct Algorithm {
  std::string_view name;
  std::string_view key_type;
  std::string_view curve;  // empty: none
};
constexpr Algorithm kAlgorithms[] = {{"ES256", "EC", "P-256"}, {"RS256", "RSA", ""}};
constexpr std::string_view kRsaExponent = "AQAB";  // 65537
constexpr const char* kNumbers[] = {"n", "e", "x", "y"};
constexpr const char* kPrivateMembers[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

struct JwkRelease {
  void operator()(cjose_jwk_t* jwk) const { cjose_jwk_release(jwk); }
};
struct JwsRelease {
  void operator()(cjose_jws_t* jws) const { cjose_jws_release(jws); }
};
using Jwk = std::unique_ptr<cjose_jwk_t, JwkRelease>;
using Jws = std::unique_ptr<cjose_jws_t, JwsRelease>;

struct Key {
  std::string said;  // the whole of it: the same text is the same key
  std::string_view algorithm;
  Jwk jwk;
  std::size_t signature_digits = 0;
  CredentialPtr credential;
};
using Keys = std::map<std::string, Key, std::less<>>;  // by kid

// The protected header of what IsCompactJws; null where it is none. Of two members of one name
// cjose takes the last, and others the first: such a header is none.
Json HeaderOf(std::string_view token) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  cjose_err error{};
  const std::string encoded(token.substr(0, token.find('.')));
  if (!cjose_base64url_decode(encoded.data(), encoded.size(), &bytes, &size, &error)) {
    return nullptr;
  }
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  cjose_get_dealloc()(bytes);
  if (!CheckJson(text, kHeaderBounds)) return nullptr;
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return header.is_object() ? header : Json();
}

// The one by which the key verifies: its `alg`, or, where it names none, its type's. Null: none.
const Algorithm* AlgorithmOf(const Json& one) {
  const auto* found = std::ranges::find_if(kAlgorithms, [&](const Algorithm& algorithm) {
    return one.contains("alg")
               ? TextIn(one, "alg") == algorithm.name
               : TextIn(one, "kty") == algorithm.key_type && TextIn(one, "crv") == algorithm.curve;
  });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

// Providers give out keys to encrypt with, and of other algorithms, in the same set.
bool IsForSomethingElse(const Json& one) {
  const bool has_other_use = one.contains("use") && TextIn(one, "use") != "sig";
  return has_other_use || AlgorithmOf(one) == nullptr;
}

// What is wrong with a key, whatever it is for; else nothing.
std::optional<std::string> WrongWithAny(const Json& one) {
  if (!one.is_object()) return "is no object";
  for (const char* member : kPrivateMembers) {
    if (one.contains(member)) return "is private: here stands what is public of it";
  }
  return std::nullopt;
}

// The same of one that verifies.
std::optional<std::string> WrongWith(const Json& one, const Algorithm& algorithm) {
  const std::string kid = TextIn(one, "kid");
  if (kid.empty() || kid.size() > kKidBytesMax) return "must have a kid of its own";
  for (const char* member : kNumbers) {
    if (!IsBase64Url(TextIn(one, member))) return "has a number that is no base64url";
  }
  if (TextIn(one, "kty") != algorithm.key_type) return "has a kty that is not its alg's";
  if (TextIn(one, "crv") != algorithm.curve) return "has a crv that is not its alg's";
  // With exponent 1 a signature is what is signed, and anybody's.
  if (one.contains("e") && TextIn(one, "e") != kRsaExponent) return "must have e AQAB, 65537";
  return std::nullopt;
}

// Nothing: it is for something else. `place` is from 1 on.
Result<std::optional<Key>> KeyOf(const Json& one, std::size_t place) {
  const auto wrong = [place](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("key {} {}", place, why));
  };
  if (const auto why = WrongWithAny(one)) return wrong(*why);
  if (IsForSomethingElse(one)) return std::nullopt;
  const Algorithm& algorithm = *AlgorithmOf(one);
  if (const auto why = WrongWith(one, algorithm)) return wrong(*why);
  Key key;
  key.said = OneLine(one);
  key.algorithm = algorithm.name;
  cjose_err error{};
  key.jwk = Jwk(cjose_jwk_import(key.said.data(), key.said.size(), &error));
  if (key.jwk == nullptr) return wrong("is none that can be used");
  const std::size_t bits = cjose_jwk_get_keysize(key.jwk.get(), &error);
  const bool is_rsa = cjose_jwk_get_kty(key.jwk.get(), &error) == CJOSE_JWK_KTY_RSA;
  if (is_rsa && (bits < KeySet::kRsaBitsMin || bits > KeySet::kRsaBitsMax)) {
    return wrong(fmt::format("must have {} … {} bits", KeySet::kRsaBitsMin, KeySet::kRsaBitsMax));
  }
  key.signature_digits = Base64UrlDigits(is_rsa ? (bits + 7) / 8 : kEs256Bytes);
  return key;
}

class JwkSet final : public KeySet {
 public:
  explicit JwkSet(Keys keys) : keys_(std::move(keys)) {}

  [[nodiscard]] std::size_t size() const noexcept override { return keys_.size(); }

  [[nodiscard]] Result<SignedClaims> Verify(std::string_view token) const override {
    const auto refused = [](std::string_view why) {
      return Fail(ErrorCode::kRefused, fmt::format("the token {}", why));
    };
    if (!IsCompactJws(token)) return refused("is no signed token");
    const Json header = HeaderOf(token);
    if (header.is_null()) return refused("has no header");
    if (header.contains("crit")) return refused("has crit, of which nothing is understood");
    const auto key = keys_.find(TextIn(header, "kid"));
    if (key == keys_.end()) return refused("names no key that is known");
    if (TextIn(header, "alg") != key->second.algorithm) {
      return refused("has an alg that is not its key's");
    }
    // Of any length cjose takes each half for a number, and zeros before both make other texts.
    if (token.size() - token.rfind('.') - 1 != key->second.signature_digits) {
      return refused("is not signed by its key");
    }
    cjose_err error{};
    const Jws jws(cjose_jws_import(token.data(), token.size(), &error));
    if (jws == nullptr) return refused("is no signed token");
    if (!cjose_jws_verify(jws.get(), key->second.jwk.get(), &error)) {
      return refused("is not signed by its key");
    }
    std::uint8_t* payload = nullptr;
    std::size_t size = 0;
    if (!cjose_jws_get_plaintext(jws.get(), &payload, &size, &error)) return refused("is empty");
    return SignedClaims{std::string(reinterpret_cast<const char*>(payload), size),
                        key->second.credential};
  }

  void EndAllBut(const KeySet& after) const override {
    const auto& kept = dynamic_cast<const JwkSet&>(after).keys_;
    for (const auto& [kid, key] : keys_) {
      const auto found = kept.find(kid);
      if (found == kept.end() || found->second.credential != key.credential) {
        key.credential->ended.store(true);
      }
    }
  }

  [[nodiscard]] const Key* Find(const std::string& kid) const {
    const auto found = keys_.find(kid);
    return found == keys_.end() ? nullptr : &found->second;
  }

 private:
  const Keys keys_;
};

}  // namespace

Result<std::shared_ptr<const KeySet>> KeySet::Parse(std::string_view text, const KeySet* before) {
  const auto wrong = [](std::string why) {
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  };
  if (const Status fits = CheckJson(text, kKeySetBounds); !fits)
    return wrong("it " + fits.error().message);
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool shaped =
      document.is_object() && document.contains("keys") && document["keys"].is_array();
  if (!shaped) return wrong(R"(it must be a JWK set, {"keys":[…]})");
  if (document["keys"].size() > kKeysMax) return wrong(fmt::format("more than {} keys", kKeysMax));
  const auto* earlier = dynamic_cast<const JwkSet*>(before);
  Keys keys;
  std::size_t place = 0;
  for (const Json& one : document["keys"]) {
    Result<std::optional<Key>> read = KeyOf(one, ++place);
    if (!read) return Forward(read);
    if (!*read) continue;
    Key& key = **read;
    const std::string kid = TextIn(one, "kid");
    const Key* same = earlier == nullptr ? nullptr : earlier->Find(kid);
    const bool stays = same != nullptr && same->said == key.said;
    key.credential = stays ? same->credential : std::make_shared<Credential>();
    if (!keys.emplace(kid, std::move(key)).second) return wrong("two keys have one kid");
  }
  if (keys.empty() && place > 0) return wrong("none of its keys verifies ES256 or RS256");
  return std::make_shared<const JwkSet>(std::move(keys));
}

}  // namespace fanfold
