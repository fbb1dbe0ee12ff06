// Questions to the rows of profiles of one shard. Adapters: MySQL, SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/as.h"
#include "common/ports/profile_erasure.h"
#include "common/ports/projection_reader.h"
#include "common/profile/profile_row.h"

namespace fanfold {

namespace projections {
inline constexpr Projection kProfiles = Projection::Find("profiles").value();
}  // namespace projections

// Where a lane of profiles stands.
struct ProfileLane {
  Partition partition;
  Offset position;       // every event of the partition below it is in the rows
  bool rewound = false;  // it folds again what the rows hold: some are newer than its position
};

// All of one read view.
struct ProfileView {
  std::vector<ProfileRow> rows;    // of the users in the order asked; version 0: there is none
  std::vector<ProfileLane> lanes;  // of the generation here, by partition; none: nothing was folded
  std::uint64_t repair_mark = 0;   // of the shard's latest repair; 0: none yet
  // The first open erasure of each of these users, and the last one; without their ends.
  std::vector<Erasure> erasures;
};

// Thread-compatible. Errors and blocking bound: those of ProjectionReader.
class ProfileReader : public RowReader {
 public:
  static constexpr std::size_t kUsersMax = ListReader::kTargetsMax;

  // One statement. Users are of this shard, unique, at most kUsersMax.
  [[nodiscard]] virtual Result<ProfileView> Read(Generation generation,
                                                 std::span<const UserId> users) = 0;

  // Erasures that are not done, by key behind `after`, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<Erasure>> OpenErasures(
      const std::optional<ErasureKey>& after, std::size_t limit) = 0;
};

// Asked through the reader's connection, which outlives it. Never null.
[[nodiscard]] inline std::unique_ptr<ProfileReader> OpenProfiles(ProjectionReader& reader) {
  return As<ProfileReader>(reader.OpenRows(projections::kProfiles));
}

}  // namespace fanfold
