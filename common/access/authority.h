// Decides which tokens are good, by two files that are read again when they change.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/access/jwt.h"
#include "common/access/key_set.h"
#include "common/access/principal.h"
#include "common/access/static_tokens.h"
#include "common/base/followed_files.h"
#include "common/base/metrics.h"
#include "common/base/result.h"

namespace fanfold {

struct AuthorityOptions {
  std::string tokens_file;  // empty: no static tokens
  std::string keys_file;    // empty: no tokens of an issuer
  JwtRules jwt;
};

// Thread-safe, but for Reload and JudgeSigned: one thread at a time calls each.
class Authority {
 public:
  static constexpr std::size_t kTokenBytesMax = 8'192;

  // Errors: kInvalidArgument, a file cannot be read or is none, or there is nothing that could
  // make a token good. `metrics` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<Authority>> Open(AuthorityOptions options,
                                                               Metrics& metrics);

  // No token is good but those that are lent.
  [[nodiscard]] static std::unique_ptr<Authority> OfLentTokens(Metrics& metrics);

  // Reads the files. A broken file changes nothing; a gauge and the log say so. A token that is no
  // longer in them ends at once.
  void Reload();

  // Judges a token in the form of a static one; takes no time. Errors: kRefused, "the token …".
  [[nodiscard]] Result<PrincipalPtr> JudgeStatic(std::string_view token, std::int64_t now_ms) const;
  // Takes some 100 µs.
  [[nodiscard]] Result<PrincipalPtr> JudgeSigned(std::string_view token, std::int64_t now_ms) const;

  // Makes a token that no file has, good for as long as this lives. Returns its text, ID_SECRET.
  [[nodiscard]] std::string Lend(Scopes scopes, std::int64_t now_ms);

 private:
  struct Known {
    StaticToken token;
    PrincipalPtr principal;
    CredentialPtr credential;
  };
  using KnownTokens = std::map<std::string, Known, std::less<>>;  // by id

  struct Source {
    FollowedFiles file;
    Gauge& broken;
  };

  Authority(AuthorityOptions options, Metrics& metrics);
  static Known KnownOf(StaticToken token);
  void Follow(const std::string& file, std::size_t bytes_max, Gauge& broken,
              Status (Authority::*take)(std::string_view));
  Status TakeTokens(std::string_view text);
  Status TakeKeys(std::string_view text);

  const JwtRules jwt_;
  std::vector<Source> sources_;
  mutable std::mutex mutex_;
  KnownTokens tokens_;
  KnownTokens lent_;
  std::shared_ptr<const KeySet> keys_;
};

}  // namespace fanfold
