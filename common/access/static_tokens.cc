#include "common/access/static_tokens.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <set>
#include <utility>

#include "common/access/json_member.h"
#include "common/base/json_text.h"
#include "common/base/random.h"
#include "common/stream/ids.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kIdDigits = 12;
constexpr std::size_t kSecretDigits = 64;
constexpr std::size_t kSha256Digits = 2 * SHA256_DIGEST_LENGTH;
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr JsonBounds kTokenListBounds{.depth_max = 3, .values_max = 8 * kStaticTokensMax};

bool IsHex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of(kHexDigits) == text.npos;
}

std::string Sha256Of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) fmt::format_to(std::back_inserter(hex), "{:02x}", byte);
  return hex;
}

std::optional<std::int64_t> MsIn(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto ms = found->get<std::uint64_t>();
  if (ms > kUserIdMax) return std::nullopt;
  return static_cast<std::int64_t>(ms);
}

Result<StaticToken> TokenOf(const Json& one, std::size_t place) {
  const auto wrong = [place](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("token {}: {}", place, why));
  };
  if (!one.is_object()) return wrong("is no object");
  for (const auto& member : one.items()) {
    static const std::set<std::string_view> kMembers = {"id",      "sha256",     "scopes",
                                                        "made_ms", "expires_ms", "note"};
    if (!kMembers.contains(member.key())) return wrong("has a member that is not known");
  }
  StaticToken token{TextIn(one, "id"), TextIn(one, "sha256"), {}};
  if (!IsHex(token.id, kIdDigits)) return wrong("id must be 12 of 0-9 and a-f");
  if (!IsHex(token.sha256, kSha256Digits)) return wrong("sha256 must be 64 of 0-9 and a-f");
  const Result<Scopes> scopes = ParseScopes(TextIn(one, "scopes"));
  if (!scopes) return wrong("scopes must be names of scopes, joined with spaces");
  token.scopes = *scopes;
  token.made_ms = MsIn(one, "made_ms").value_or(0);
  if (one.contains("expires_ms")) {
    token.expires_ms = MsIn(one, "expires_ms");
    if (!token.expires_ms) return wrong("expires_ms must be ms since 1970");
  }
  token.note = TextIn(one, "note");
  return token;
}

}  // namespace

Result<std::vector<StaticToken>> ParseStaticTokens(std::string_view text) {
  const auto wrong = [](std::string why) {
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  };
  if (const Status fits = CheckJson(text, kTokenListBounds); !fits)
    return wrong("it " + fits.error().message);
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool shaped = document.is_object() && document.size() == 1 && document.contains("tokens") &&
                      document["tokens"].is_array();
  if (!shaped) return wrong(R"(it must be {"tokens":[…]})");
  if (document["tokens"].size() > kStaticTokensMax) {
    return wrong(fmt::format("more than {} tokens", kStaticTokensMax));
  }
  std::vector<StaticToken> tokens;
  std::set<std::string> ids;
  for (const Json& one : document["tokens"]) {
    Result<StaticToken> token = TokenOf(one, tokens.size() + 1);
    if (!token) return Forward(token);
    if (!ids.insert(token->id).second) return wrong("two tokens have the id " + token->id);
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

std::string StaticTokensText(const std::vector<StaticToken>& tokens) {
  Json list = Json::array();
  for (const StaticToken& token : tokens) {
    Json one = {{"id", token.id},
                {"sha256", token.sha256},
                {"scopes", ToString(token.scopes)},
                {"made_ms", token.made_ms}};
    if (token.expires_ms) one["expires_ms"] = *token.expires_ms;
    if (!token.note.empty()) one["note"] = token.note;
    list.push_back(std::move(one));
  }
  return Json({{"tokens", std::move(list)}}).dump(2, ' ', false, Json::error_handler_t::replace) +
         '\n';
}

MadeToken MakeStaticToken(Scopes scopes, std::int64_t now_ms,
                          std::optional<std::int64_t> expires_ms, std::string note) {
  std::string id = fmt::format("{:016x}", RandomBits()).substr(0, kIdDigits);
  std::string secret;
  while (secret.size() < kSecretDigits) secret += fmt::format("{:016x}", RandomBits());
  std::string text = id + '_' + secret;
  return {{std::move(id), Sha256Of(secret), scopes, now_ms, expires_ms, std::move(note)},
          std::move(text)};
}

std::optional<std::string_view> StaticTokenIdOf(std::string_view text) {
  const bool shaped = text.size() == kIdDigits + 1 + kSecretDigits && text[kIdDigits] == '_' &&
                      IsHex(text.substr(0, kIdDigits), kIdDigits);
  if (!shaped) return std::nullopt;
  return text.substr(0, kIdDigits);
}

bool IsToken(const StaticToken& token, std::string_view text) {
  const std::string told = Sha256Of(text.substr(kIdDigits + 1));
  return CRYPTO_memcmp(told.data(), token.sha256.data(), kSha256Digits) == 0;
}

}  // namespace fanfold
