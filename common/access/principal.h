// Who asks, and what they may.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "common/access/scope.h"
#include "common/stream/ids.h"

namespace fanfold {

// A static token, or a key that tokens are signed with, as long as it is known. Thread-safe.
struct Credential {
  std::atomic<bool> ended = false;  // it was taken away: so is all that was granted by it
};
using CredentialPtr = std::shared_ptr<Credential>;

// Never changes.
struct Principal {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  std::string name;  // for logs: "token ID", "ISSUER SUBJECT"; "anyone" where nobody is asked
  Scopes scopes;
  std::optional<UserId> user = {};  // set: the principal acts for this user alone
  std::int64_t expires_ms = kNever;
  CredentialPtr by = nullptr;  // null: nobody can take it away

  [[nodiscard]] bool MayEnd() const noexcept { return by != nullptr || expires_ms != kNever; }
  [[nodiscard]] bool IsOver(std::int64_t now_ms) const noexcept {
    return now_ms >= expires_ms || (by != nullptr && by->ended.load(std::memory_order_relaxed));
  }
};
// Null: the request has not said who asks.
using PrincipalPtr = std::shared_ptr<const Principal>;

}  // namespace fanfold
