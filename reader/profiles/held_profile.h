// A profile as it is told, and how the end of its account stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/profile/profile_row.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

// A question about a user: the profile alone, or how the end of the account stands as well.
enum class Tells : std::uint8_t { kProfile, kAccount };

// How far the ends of what a user leaves have come, behind the end of the account.
enum class Erase : std::uint8_t {
  kUnknown,  // the tables know
  kNone,     // it was never deleted
  kRunning,
  kDone,  // and all that it appended is in what is read here
};
[[nodiscard]] std::string_view JsonOf(Erase erase);

// A profile as it is told.
struct HeldProfile {
  std::string json = "null";
  bool deleted = false;
  AccountPhase account = AccountPhase::kRestored;
  Version version;
  Version last_deletion;  // that was seen; 0: none
  Erase erase = Erase::kUnknown;

  [[nodiscard]] static HeldProfile Of(const ProfileRow& row);
};

// An event's word about a user.
struct ToldProfile {
  UserId user;
  HeldProfile profile;
};

}  // namespace fanfold::reader
