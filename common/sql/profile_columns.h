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

// Moves of AccountPhase, where {0} is the column `deleted` of what is written and {1} of the row
// that is there.
inline constexpr std::string_view kMovesAccount =
    "({0} = 2 OR CASE {1} WHEN 2 THEN {0} = 3 ELSE {0} <> 3 OR {1} = 1 END)";

// The text that tables keep of an erasure's ends, and whether it stays.
[[nodiscard]] std::string EndsToKeep(const Erasure& erasure);

// Something has reached the account that this deletion ended: what it reaches is found out anew.
// `drawn` is the database's expression for a number of 52 bits; `user` and `version` are what its
// text has for the deletion's.
[[nodiscard]] std::string ReachedText(std::string_view drawn, std::string_view user,
                                      std::string_view version);

// Read the tables' values; throw Failure for values that nothing here writes.
[[nodiscard]] StreamEnds KeptEnds(const std::string& text);
[[nodiscard]] bool KeptStays(std::string_view ends);
[[nodiscard]] EraseStage KeptStage(std::int32_t number);
[[nodiscard]] AccountPhase KeptAccount(std::int32_t number);

// Requires: its columns are kProfileColumns.
template <class Row>
[[nodiscard]] ProfileRow ReadProfileRow(const Row& row) {
  const auto text = [&](auto column) {
    return row.IsNull(column) ? std::nullopt : std::optional(std::string(row.Text(column)));
  };
  const AccountPhase account = KeptAccount(row.I32(1));
  ProfileRow read;
  read.deleted = account == AccountPhase::kDeleted || account == AccountPhase::kEnded;
  read.stays = account == AccountPhase::kEnded;
  read.version = Version(row.I64(6));
  if (account == AccountPhase::kTold) {
    read.profile = Profile{text(2), text(3), text(4), row.I64(5) != 0};
  }
  return read;
}

inline constexpr std::string_view kErasing = "accounts that are being erased";
inline constexpr const char* kErasureColumns =
    "user_id, version, asked_ms, ends, stage, behind, appended";

// Picks a user's first open erasure and the last one, of erasures `e`: a user may be deleted often.
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
           row.IsNull(6) ? StreamEnds() : KeptEnds(row.Text(6))},
          !row.IsNull(3) && KeptStays(row.Text(3))};
}

// The statement of ErasureStore::Ended: all erasures of the users that `among` lists, in order.
[[nodiscard]] std::string EndedText(std::string_view among);

// Takes rows by user and version. Leaves the last deletion that stays of each user who was not
// restored since.
template <class Rows>
[[nodiscard]] std::vector<Erasure> ReadEnded(Rows& rows) {
  std::vector<Erasure> ended;
  while (rows.Next()) {
    Erasure erasure = ReadErasure(rows);
    const bool is_restore = erasure.progress.stage == EraseStage::kRestored;
    if (!erasure.stays && !is_restore) continue;
    if (!ended.empty() && ended.back().key.user == erasure.key.user) ended.pop_back();
    if (erasure.stays) ended.push_back(std::move(erasure));
  }
  return ended;
}

// The rows that a repair writes, as their records say them.
[[nodiscard]] std::vector<ProfileWrite> MendedBy(const RepairPlan& plan);

}  // namespace fanfold
