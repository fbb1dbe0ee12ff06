#include "common/sql/requirements.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/base/check.h"
#include "common/sql/lane_row.h"

namespace fanfold {

void CheckBatch(const LaneBatch& batch) {
  FANFOLD_CHECK(!batch.moves.empty(), "a batch moves at least one lane");
  for (const LaneMove& move : batch.moves) {
    FANFOLD_CHECK(move.lane.projection == batch.projection &&
                      move.lane.generation == batch.generation &&
                      move.to.next_offset >= move.from_next_offset &&
                      move.to.published_offset <= move.to.event_offset,
                  fmt::format("lane {} from {} to {}, event {}, published {}", Describe(move.lane),
                              move.from_next_offset.value, move.to.next_offset.value,
                              move.to.event_offset.value, move.to.published_offset.value));
  }
}

void CheckWrites(const EdgeWrites& writes) {
  FANFOLD_CHECK(writes.edges.size() <= EdgeStore::kEdgesMax,
                fmt::format("{} edges", writes.edges.size()));
}

void CheckLoad(std::span<const EdgeKey> edges, std::span<const UserId> users) {
  FANFOLD_CHECK(std::max(edges.size(), users.size()) <= EdgeStore::kEdgesMax,
                fmt::format("{} edges, {} users", edges.size(), users.size()));
}

void CheckStart(const PageStart& start) {
  FANFOLD_CHECK(start.offset == 0 || !start.after, "a page starts after a cursor or at an offset");
  FANFOLD_CHECK(start.offset >= 0, fmt::format("offset {}", start.offset));
}

void CheckNamed(std::span<const UserId> users) {
  FANFOLD_CHECK(users.size() <= ProjectionReader::kTargetsMax,
                fmt::format("{} users", users.size()));
}

void CheckQuestions(std::span<const ListQuestion> questions) {
  for (const ListQuestion& question : questions) {
    CheckNamed(question.among);
    FANFOLD_CHECK(question.among.empty() || !question.after, "among some, or after an entry");
    FANFOLD_CHECK(question.limit <= ProjectionReader::kViewRowsMax,
                  fmt::format("limit {}", question.limit));
  }
}

void CheckLists(std::span<const WholeLists> asked) {
  FANFOLD_CHECK(asked.size() <= ProjectionReader::kTargetsMax,
                fmt::format("{} users", asked.size()));
}

void CheckRepair(const RepairScope& scope, const RepairBase& base) {
  FANFOLD_CHECK(scope.rows.size() <= TableOperations::kRepairRowsMax &&
                    scope.users.size() <= TableOperations::kRepairUsersMax,
                fmt::format("{} rows, {} users", scope.rows.size(), scope.users.size()));
  const std::size_t counted = scope.projection.has_counts() ? scope.users.size() : 0;
  FANFOLD_CHECK(base.rows.size() == scope.rows.size() && base.users.size() == counted,
                "a repair starts from a base of its scope");
}

}  // namespace fanfold
