// Tokens of services: ID_SECRET. The file holds what tells them, never a secret. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/access/scope.h"
#include "common/base/result.h"

namespace fanfold {

struct StaticToken {
  std::string id;      // 12 of 0-9 and a-f
  std::string sha256;  // of the secret, as hex
  Scopes scopes;
  std::int64_t made_ms = 0;
  std::optional<std::int64_t> expires_ms = {};
  std::string note = {};  // whose it is
  friend bool operator==(const StaticToken&, const StaticToken&) = default;
};

inline constexpr std::size_t kStaticTokensMax = 1'000;
inline constexpr std::size_t kTokenNoteBytesMax = 256;
inline constexpr std::size_t kTokenFileBytesMax = std::size_t{1} << 20;

// {"tokens":[{"id","sha256","scopes","made_ms"[,"expires_ms","note"]},…]}. Errors:
// kInvalidArgument; the message says what is wrong and tells nothing of the file's content.
[[nodiscard]] Result<std::vector<StaticToken>> ParseStaticTokens(std::string_view text);
[[nodiscard]] std::string StaticTokensText(const std::vector<StaticToken>& tokens);

struct MadeToken {
  StaticToken token;
  std::string text;  // ID_SECRET: told once
};
// Draws 256 bits of the system's generator; the id has 48.
[[nodiscard]] MadeToken MakeStaticToken(Scopes scopes, std::int64_t now_ms,
                                        std::optional<std::int64_t> expires_ms, std::string note);

// The ID of a text of the form ID_SECRET; else nothing.
[[nodiscard]] std::optional<std::string_view> StaticTokenIdOf(std::string_view text);
// Is `text`, whose ID is the token's, the token? Takes as long whatever is wrong with it.
[[nodiscard]] bool IsToken(const StaticToken& token, std::string_view text);

}  // namespace fanfold
