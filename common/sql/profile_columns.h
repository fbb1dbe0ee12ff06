// A row of the table of profiles, whatever the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/ports/profile_kind.h"
#include "common/ports/profile_store.h"
#include "common/sql/repair_plan.h"

namespace fanfold {

inline constexpr const char* kProfileColumns =
    "user_id, deleted, name, avatar_url, bio, verified, version";

// Requires: its columns are kProfileColumns.
template <class Row>
[[nodiscard]] ProfileRow ReadProfileRow(const Row& row) {
  const auto text = [&](auto column) {
    return row.IsNull(column) ? std::nullopt : std::optional(std::string(row.Text(column)));
  };
  ProfileRow read;
  read.deleted = row.I64(1) != 0;
  read.version = Version(row.I64(6));
  if (!read.deleted) read.profile = Profile{text(2), text(3), text(4), row.I64(5) != 0};
  return read;
}

// The rows that a repair writes, as their records say them.
[[nodiscard]] std::vector<ProfileWrite> MendedBy(const RepairPlan& plan);

}  // namespace fanfold
