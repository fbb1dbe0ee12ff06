// A line of a file of profiles to import. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "common/profile/profile.h"
#include "common/stream/ids.h"
#include "operations/log/import_line.h"

namespace fanfold::operations {

// The longest line that is read: its texts may be all escapes.
inline constexpr std::size_t kProfileLineBytesMax = 49'152;

struct ProfileLine {
  UserId user;
  Profile profile;
  std::optional<std::int64_t> at_ms;  // absent: the time of append
  friend bool operator==(const ProfileLine&, const ProfileLine&) = default;
};

// {"user"[,"name","avatar_url","bio","verified","at"]}: the whole profile, as PUT takes it. The id
// a string or an integer. Another member is a bad line.
[[nodiscard]] std::expected<ProfileLine, BadLine> ParseProfileLine(std::string_view line,
                                                                   TimeUnit unit = TimeUnit::kMs);

}  // namespace fanfold::operations
