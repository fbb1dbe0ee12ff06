// Profiles in bulk. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "common/profile/profile.h"
#include "common/stream/ids.h"
#include "writer/command.h"

namespace fanfold::writer {

// A user's whole profile that is not yet in the log.
struct ProfileCommand {
  UserId user;
  Profile profile;
  std::optional<std::int64_t> at_ms = std::nullopt;  // absent: the time of the append
  friend bool operator==(const ProfileCommand&, const ProfileCommand&) = default;
};
using ParsedProfile = std::expected<ProfileCommand, Refusal>;

// A thousand of the longest profiles, plain.
inline constexpr std::size_t kProfileBatchBytesMax = std::size_t{8} << 20;

// {"events":[{"type":"profile_set","user"[,"name","avatar_url","bio","verified","at"]},…]}: one
// command or refusal per event, in order. Errors: as ParseBatch's.
[[nodiscard]] std::expected<std::vector<ParsedProfile>, Refusal> ParseProfileBatch(
    std::string_view body);

// Nothing when somebody who acts for `user` alone may ask for it: a profile of theirs, as of now,
// without a badge.
[[nodiscard]] std::optional<Refusal> RefuseToUser(const ProfileCommand& command, UserId user);

}  // namespace fanfold::writer
