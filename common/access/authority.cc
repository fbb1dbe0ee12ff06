#include "common/access/authority.h"

#include <fmt/format.h>
#include <utility>

#include "common/base/logging.h"
#include "common/base/read_file.h"

namespace fanfold {
namespace {

std::unexpected<Error> Wrong(const std::string& path, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", path, why));
}

Gauge& BrokenGauge(Metrics& metrics, const char* file) {
  return metrics.GetGauge("fanfold_access_file_broken",
                          "1 while the file cannot be taken and what it said before holds",
                          {{"file", file}});
}

}  // namespace

Authority::Authority(AuthorityOptions options, Metrics& metrics)
    : jwt_(std::move(options.jwt)),
      tokens_file_{std::move(options.tokens_file), kTokenFileBytesMax,
                   &BrokenGauge(metrics, "tokens")},
      keys_file_{std::move(options.keys_file), KeySet::kFileBytesMax,
                 &BrokenGauge(metrics, "keys")} {}

Result<std::unique_ptr<Authority>> Authority::Open(AuthorityOptions options, Metrics& metrics) {
  std::unique_ptr<Authority> authority(new Authority(std::move(options), metrics));
  if (Status taken = authority->Take(authority->tokens_file_, &Authority::TakeTokens); !taken) {
    return Forward(taken);
  }
  if (Status taken = authority->Take(authority->keys_file_, &Authority::TakeKeys); !taken) {
    return Forward(taken);
  }
  if (authority->tokens_.empty() && (!authority->keys_ || authority->keys_->size() == 0)) {
    return Fail(ErrorCode::kInvalidArgument,
                "no token could be good: neither tokens_file nor jwt_keys_file has any; "
                "`fanfold token make` makes one");
  }
  return authority;
}

void Authority::Reload() {
  Reload(tokens_file_, &Authority::TakeTokens);
  Reload(keys_file_, &Authority::TakeKeys);
}

void Authority::Reload(Source& source, Status (Authority::*take)(std::string_view)) {
  const Status taken = Take(source, take);
  source.broken->Set(taken ? 0 : 1);
  const std::string wrong = taken ? "" : taken.error().message;
  if (wrong == source.told) return;
  source.told = wrong;
  if (taken) return LogInfo("the file is taken again", {{"file", source.path}});
  LogError("what the file said before holds", {{"why", wrong}});
}

Status Authority::Take(Source& source, Status (Authority::*take)(std::string_view)) {
  if (source.path.empty()) return {};
  auto text = ReadRegularUpTo(source.path, source.bytes_max);
  if (!text) return Wrong(source.path, text.error());
  if (text->size() > source.bytes_max) return Wrong(source.path, "it is too large");
  if (*text == source.taken) return {};
  if (Status taken = (this->*take)(*text); !taken) return Wrong(source.path, taken.error().message);
  source.taken = *std::move(text);
  return {};
}

Authority::Known Authority::KnownOf(StaticToken token) {
  auto credential = std::make_shared<Credential>();
  Principal principal{.name = "token " + token.id, .scopes = token.scopes, .by = credential};
  if (token.expires_ms) principal.expires_ms = *token.expires_ms;
  return {std::move(token), std::make_shared<const Principal>(std::move(principal)), credential};
}

// A token that is as it was keeps what it granted.
Status Authority::TakeTokens(std::string_view text) {
  Result<std::vector<StaticToken>> tokens = ParseStaticTokens(text);
  if (!tokens) return Forward(tokens);
  KnownTokens fresh;
  const std::scoped_lock lock(mutex_);
  for (StaticToken& token : *tokens) {
    const auto earlier = tokens_.find(token.id);
    const bool stays = earlier != tokens_.end() && earlier->second.token == token;
    const std::string id = token.id;
    fresh.emplace(id, stays ? earlier->second : KnownOf(std::move(token)));
  }
  for (const auto& [id, known] : tokens_) {
    const auto found = fresh.find(id);
    const bool stays = found != fresh.end() && found->second.credential == known.credential;
    if (!stays) known.credential->ended.store(true);
  }
  tokens_ = std::move(fresh);
  return {};
}

Status Authority::TakeKeys(std::string_view text) {
  Result<std::shared_ptr<const KeySet>> keys = KeySet::Parse(text, keys_.get());
  if (!keys) return Forward(keys);
  if ((*keys)->size() == 0) LogWarning("no key is left: no issuer's token is good");
  const std::scoped_lock lock(mutex_);
  if (keys_) keys_->EndAllBut(**keys);
  keys_ = *std::move(keys);
  return {};
}

Result<PrincipalPtr> Authority::JudgeStatic(std::string_view token, std::int64_t now_ms) const {
  const std::string_view id = StaticTokenIdOf(token).value_or("");
  std::optional<Known> known;
  {
    const std::scoped_lock lock(mutex_);
    for (const KnownTokens* tokens : {&tokens_, &lent_}) {
      const auto found = tokens->find(id);
      if (found != tokens->end()) known = found->second;
    }
  }
  if (!known || !IsToken(known->token, token)) {
    return Fail(ErrorCode::kRefused, "the token is not known");
  }
  if (known->principal->IsOver(now_ms)) return Fail(ErrorCode::kRefused, "the token has expired");
  return known->principal;
}

Result<PrincipalPtr> Authority::JudgeSigned(std::string_view token, std::int64_t now_ms) const {
  std::shared_ptr<const KeySet> keys;
  {
    const std::scoped_lock lock(mutex_);
    keys = keys_;
  }
  if (!keys) return Fail(ErrorCode::kRefused, "the token is not known");
  const Result<SignedClaims> claims = keys->Verify(token);
  if (!claims) return std::unexpected(claims.error());
  Result<PrincipalPtr> principal = PrincipalOf(*claims, jwt_, now_ms);
  if (principal && (*principal)->IsOver(now_ms)) {
    return Fail(ErrorCode::kRefused, "the token's key was taken away");
  }
  return principal;
}

std::string Authority::Lend(Scopes scopes, std::int64_t now_ms) {
  MadeToken made = MakeStaticToken(scopes, now_ms, std::nullopt, "");
  const std::string id = made.token.id;
  const std::scoped_lock lock(mutex_);
  lent_.emplace(id, KnownOf(std::move(made.token)));
  return made.text;
}

}  // namespace fanfold
