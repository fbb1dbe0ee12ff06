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

// What tables say; throw Failure where they say nothing that was written there.
[[nodiscard]] StreamEnds KeptEnds(const std::string& text);
[[nodiscard]] EraseStage KeptStage(std::int32_t number);

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

inline constexpr std::string_view kErasing = "accounts that are being erased";
inline constexpr const char* kErasureColumns =
    "user_id, version, asked_ms, ends, stage, behind, appended";

// Of the erasures `e` of a user the first that is open, and the last: one may be deleted often.
inline constexpr const char* kFirstOpenOrLast =
    "(e.version = (SELECT MAX(l.version) FROM erasures l WHERE l.user_id = e.user_id) OR "
    "(e.is_open = 1 AND NOT EXISTS (SELECT 1 FROM erasures o WHERE o.is_open = 1 AND o.user_id = "
    "e.user_id AND o.version < e.version)))";

// Requires: its columns are kErasureColumns; `ends` may be null where they are not asked for.
template <class Row>
[[nodiscard]] Erasure ReadErasure(const Row& row) {
  return {{UserId(row.U64(0)), Version(row.I64(1))},
          row.I64(2),
          row.IsNull(3) ? StreamEnds() : KeptEnds(row.Text(3)),
          {KeptStage(row.I32(4)), UserId(row.U64(5)),
           row.IsNull(6) ? StreamEnds() : KeptEnds(row.Text(6))}};
}

// The rows that a repair writes, as their records say them.
[[nodiscard]] std::vector<ProfileWrite> MendedBy(const RepairPlan& plan);

}  // namespace fanfold
