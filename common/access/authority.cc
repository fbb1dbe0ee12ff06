#include "common/access/authority.h"

#include <optional>
#include <span>
#include <utility>

#include "common/base/logging.h"

namespace fanfold {
namespace {

Gauge& BrokenGauge(Metrics& metrics, const char* file) {
  return metrics.GetGauge("fanfold_access_file_broken",
                          "1 while the file cannot be taken and what it said before holds",
                          {{"file", file}});
}

}  // namespace

Authority::Authority(AuthorityOptions options, Metrics& metrics) : jwt_(std::move(options.jwt)) {
  Follow(options.tokens_file, kTokenFileBytesMax, BrokenGauge(metrics, "tokens"),
         &Authority::TakeTokens);
  Follow(options.keys_file, KeySet::kFileBytesMax, BrokenGauge(metrics, "keys"),
         &Authority::TakeKeys);
}

void Authority::Follow(const std::string& file, std::size_t bytes_max, Gauge& broken,
                       Status (Authority::*take)(std::string_view)) {
  if (file.empty()) return;
  const auto taken = [this, take](std::span<const std::string> texts) {
    return (this->*take)(texts.front());
  };
  sources_.push_back({FollowedFiles({file}, bytes_max, taken), broken});
}

Result<std::unique_ptr<Authority>> Authority::Open(AuthorityOptions options, Metrics& metrics) {
  std::unique_ptr<Authority> authority(new Authority(std::move(options), metrics));
  for (Source& source : authority->sources_) {
    if (Status taken = source.file.Look(); !taken) return Forward(taken);
  }
  if (authority->tokens_.empty() && (!authority->keys_ || authority->keys_->size() == 0)) {
    return Fail(ErrorCode::kInvalidArgument,
                "no token could be good: neither tokens_file nor jwt_keys_file has any; "
                "`fanfold token make` makes one");
  }
  return authority;
}

std::unique_ptr<Authority> Authority::OfLentTokens(Metrics& metrics) {
  return std::unique_ptr<Authority>(new Authority({}, metrics));
}

void Authority::Reload() {
  for (Source& source : sources_) source.file.LookAgain(&source.broken);
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
