// The keys that users' tokens are signed with, as a JWK set (RFC 7517). The signatures are cjose's
// affair; this is the only place that sees it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/access/principal.h"
#include "common/base/result.h"

namespace fanfold {

// The claims of one token whose signature one of the keys has verified.
struct SignedClaims {
  std::string payload;  // the JSON that was signed
  CredentialPtr key;
};

class KeySet {
 public:
  static constexpr std::size_t kKeysMax = 64;
  static constexpr std::size_t kFileBytesMax = std::size_t{256} << 10;
  static constexpr std::size_t kRsaBitsMin = 2'048;
  static constexpr std::size_t kRsaBitsMax = 8'192;

  // Each key has its own `kid`, verifies ES256 (P-256) or RS256, and has nothing private. A key for
  // another purpose, by `use` or `alg`, is passed over. A key that `before` has, too, keeps its
  // credential. Errors: kInvalidArgument, the message names the key and what is wrong with it, or
  // says that no key is left; nothing is left of such a set.
  [[nodiscard]] static Result<std::shared_ptr<const KeySet>> Parse(std::string_view text,
                                                                   const KeySet* before = nullptr);
  virtual ~KeySet() = default;

  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  // A compact JWS (RFC 7515). The key, which `kid` names, decides the algorithm; `crit` is refused,
  // and every other header is as good as none. Errors: kRefused, "the token …". Takes some 100 µs.
  // Not thread-safe.
  [[nodiscard]] virtual Result<SignedClaims> Verify(std::string_view token) const = 0;
  // Ends the keys that `after` does not have, and all that they granted.
  virtual void EndAllBut(const KeySet& after) const = 0;
};

}  // namespace fanfold
