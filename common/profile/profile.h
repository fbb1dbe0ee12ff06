#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fanfold {

// A user's profile, as they tell it; texts are UTF-8.
struct Profile {
  std::optional<std::string> name = {};
  std::optional<std::string> avatar_url = {};
  std::optional<std::string> bio = {};
  bool verified = false;
  friend bool operator==(const Profile&, const Profile&) = default;
};

// A text of a profile: its member of the JSON, and its limit.
struct ProfileText {
  std::string_view name;
  std::size_t bytes_max = 0;
  std::optional<std::string> Profile::* text = nullptr;
};

inline constexpr std::array kProfileTexts = {
    ProfileText{"name", 256, &Profile::name},
    ProfileText{"avatar_url", 2'048, &Profile::avatar_url},
    ProfileText{"bio", 4'096, &Profile::bio},
};

// {"name":…,"avatar_url":…,"bio":…,"verified":…}: a text that is not there is null.
void AppendProfile(std::string& out, const Profile& profile);

// Parses a profile, which has no other members; texts may be absent or null, `verified` absent.
// Errors: kInvalidArgument, in words for the profile's writer.
[[nodiscard]] Result<Profile> ParseProfile(std::string_view json);

}  // namespace fanfold
