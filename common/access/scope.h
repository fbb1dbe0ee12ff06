// The scopes that a token may have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/registry.h"
#include "common/base/result.h"

namespace fanfold {

struct ScopeEntry {
  std::string_view name;
};

// Each is asked for by a route of schemas/openapi.yaml; a test compares.
inline constexpr ScopeEntry kScopes[] = {
    {"relations:read"}, {"relations:write"}, {"profiles:read"}, {"profiles:write"},
    {"posts:read"},     {"posts:write"},     {"feed:read"},     {"feed:write"},
    {"changes:read"},   {"accounts:delete"}, {"users:restore"}, {"metrics:read"},
    {"operate"},
};

class Scope : public Registered<Scope, kScopes> {};

class Scopes {
 public:
  constexpr Scopes() noexcept = default;
  [[nodiscard]] static constexpr Scopes All() noexcept {
    Scopes all;
    for (const Scope scope : Scope::All()) all.Add(scope);
    return all;
  }
  constexpr void Add(Scope scope) noexcept { bits_ |= BitOf(scope); }
  [[nodiscard]] constexpr bool Has(Scope scope) const noexcept {
    return (bits_ & BitOf(scope)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr bool operator==(Scopes, Scopes) noexcept = default;

 private:
  static_assert(Scope::kCount <= 32);
  [[nodiscard]] static constexpr std::uint32_t BitOf(Scope scope) noexcept {
    return std::uint32_t{1} << scope.index();
  }

  std::uint32_t bits_ = 0;
};

// Their names, joined with spaces, in the registry's order.
[[nodiscard]] std::string ToString(Scopes scopes);

// Names joined with spaces or commas. Errors: kInvalidArgument, none is named, or one that is not
// known; the message names it and those there are.
[[nodiscard]] Result<Scopes> ParseScopes(std::string_view text);

// Is it among the names, joined with spaces?
[[nodiscard]] bool HasName(std::string_view text, std::string_view name);

// The known ones of scopes that others issue, joined with spaces (RFC 6749, 3.3). Unknown names
// are somebody else's, and ignored.
[[nodiscard]] Scopes KnownScopes(std::string_view text);

}  // namespace fanfold
