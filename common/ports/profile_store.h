// The rows of profiles: one a user, which each event says whole. Adapters: MySQL, SQLite; each
// passes tests/contract/profile_store_contract.h.
#pragma once

#include <cstddef>
#include <vector>

#include "common/ports/as.h"
#include "common/ports/profile_erasure.h"
#include "common/profile/profile_row.h"

namespace fanfold {

struct ProfileWrite {
  UserId user;
  ProfileRow row;
};

struct ProfileWrites : RowWrites {
  // By user, then version; each moves what stands there as Moves and its version say.
  std::vector<ProfileWrite> profiles;
  // Begun, and restores, where there is no row of the event yet.
  std::vector<Erasure> erasures;

  // An erasure goes with its user's row.
  [[nodiscard]] std::size_t rows() const noexcept override { return profiles.size(); }
};

// Requires: of a projection of profiles.
[[nodiscard]] inline const ProfileWrites& ProfilesOf(const RowWrites& rows) {
  return As<ProfileWrites>(rows);
}

}  // namespace fanfold
