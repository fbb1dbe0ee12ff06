// How profiles, their events and rows read in a test's output.
#pragma once

#include <ostream>
#include <string>

#include "common/profile/profile_event.h"
#include "common/profile/profile_row.h"
#include "tests/unit/stream/unreadable_printing.h"

namespace fanfold {

inline std::ostream& operator<<(std::ostream& out, const Profile& profile) {
  std::string text;
  AppendProfile(text, profile);
  return out << text;
}
inline std::ostream& operator<<(std::ostream& out, const ProfileEvent& event) {
  return out << EncodeProfileEvent(event);
}
inline std::ostream& operator<<(std::ostream& out, const ProfileRow& row) {
  out << (row.deleted ? "deleted" : "alive") << " version " << row.version.value << ' ';
  return row.profile ? out << *row.profile : out << "without document";
}

}  // namespace fanfold
