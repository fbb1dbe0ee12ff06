// The rule that the table of profiles stands on.
#pragma once

#include <cstdint>
#include <optional>

#include "common/profile/profile_event.h"

namespace fanfold {

// The account after the last event that moved the row. Kept in the tables by number.
enum class AccountPhase : std::uint8_t {
  kTold = 0,     // there is a profile
  kDeleted = 1,  // until the next profile
  kEnded = 2,    // until a user_restored
  kRestored = 3,
};

// Does an event that says `says` move a row that stands at `before`? Nothing but another end or a
// restore moves an ended one; a restore moves none that lives.
[[nodiscard]] constexpr bool Moves(AccountPhase before, AccountPhase says) noexcept {
  if (says == AccountPhase::kEnded) return true;
  if (before == AccountPhase::kEnded) return says == AccountPhase::kRestored;
  return says != AccountPhase::kRestored || before == AccountPhase::kDeleted;
}

// Does the later of two events leave the same row whether the earlier one is folded or not,
// whatever stood there before?
[[nodiscard]] constexpr bool Overrules(AccountPhase later, AccountPhase earlier) noexcept {
  const auto depends_alike = [](AccountPhase state) {
    return state == AccountPhase::kTold || state == AccountPhase::kDeleted;
  };
  return later == AccountPhase::kEnded || (depends_alike(later) && depends_alike(earlier));
}

// The row of a user. A deletion keeps it, without the document: a lost version would let an old
// event bring the account back.
struct ProfileRow {
  std::optional<Profile> profile;  // that the user has told since the account began
  bool deleted = false;
  Version version;
  bool stays = false;  // deleted until it is restored
  friend bool operator==(const ProfileRow&, const ProfileRow&) = default;
};

[[nodiscard]] AccountPhase AccountOf(const ProfileRow& row) noexcept;

// The row that the event leaves where it moves one.
[[nodiscard]] ProfileRow RowSaidBy(const ProfileEvent& event, Version version);

// Moves a row by the event that has this version: every generation. An event at or below the row's
// version changes nothing, so any part of the topic may be replayed.
[[nodiscard]] ProfileRow Apply(ProfileRow row, const ProfileEvent& event, Version version);

}  // namespace fanfold
