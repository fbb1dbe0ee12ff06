#include "common/profile/profile_row.h"

namespace fanfold {

ProfileRow Apply(ProfileRow row, const ProfileEvent& event, Version version) {
  if (version <= row.version) return row;
  const auto* set = std::get_if<ProfileSet>(&event.what);
  if (set == nullptr) return {.profile = std::nullopt, .deleted = true, .version = version};
  return {.profile = set->profile, .deleted = false, .version = version};
}

}  // namespace fanfold
