// The rule that the table of profiles stands on.
#pragma once

#include <optional>

#include "common/profile/profile_event.h"

namespace fanfold {

// The row of a user. A deletion keeps it, without the document: a lost version would let an old
// event bring the account back.
struct ProfileRow {
  std::optional<Profile> profile;  // nothing where he has told none, and where he is deleted
  bool deleted = false;
  Version version;
  friend bool operator==(const ProfileRow&, const ProfileRow&) = default;
};

// Moves a row by the event that has this version: every generation. An event at or below the row's
// version changes nothing, so any part of the topic may be replayed.
[[nodiscard]] ProfileRow Apply(ProfileRow row, const ProfileEvent& event, Version version);

}  // namespace fanfold
