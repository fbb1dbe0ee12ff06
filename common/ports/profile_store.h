// The rows of profiles: one a user, which each event says whole. Adapters: MySQL, SQLite; each
// passes tests/contract/profile_store_contract.h.
#pragma once

#include <cstddef>
#include <vector>

#include "common/base/check.h"
#include "common/ports/lane_store.h"
#include "common/ports/row_kinds.h"
#include "common/profile/profile_row.h"

namespace fanfold {

struct ProfileWrite {
  UserId user;
  ProfileRow row;
};

struct ProfileWrites : RowWrites {
  std::vector<ProfileWrite>
      profiles;  // sorted by user, unique; of a row that is there the newer counts

  [[nodiscard]] std::size_t rows() const noexcept override { return profiles.size(); }
};

// Requires: of a projection of profiles.
[[nodiscard]] inline const ProfileWrites& ProfilesOf(const RowWrites& rows) {
  const auto* writes = dynamic_cast<const ProfileWrites*>(&rows);
  FANFOLD_CHECK(writes != nullptr, "these rows are no profiles");
  return *writes;
}

}  // namespace fanfold
