// The operator's side of the tables, one shard: what is changed beside the lanes. Each call is one
// transaction that bumps the epoch of the lanes it changes, so that their owners drop what they
// have in work, and what they remember, and start again from the tables. Adapters: MySQL, SQLite;
// each passes tests/contract/table_operations_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/ports/projection_reader.h"
#include "common/ports/row_image.h"

namespace fanfold {

// The rows and counts to be mended in one projection of one generation.
struct RepairScope {
  Projection projection;
  Generation generation{1};
  std::vector<Partition> partitions;  // of the events of these rows and users: lanes to be fenced
  std::vector<RowKey> rows;           // sorted, unique
  std::vector<UserId> users;          // sorted, unique: their counts become what their rows say
  std::string reason;                 // kept with the record of the repair
};

struct CountedUser {
  std::optional<EdgeCount> count;  // as its row says it
  EdgeCount active;                // the user's active rows
};

// A repair's starting point, all of one moment before it (repair_base.h): lanes cannot wait until
// the rows of a user of millions are counted. From there on the user's count tells what lanes have
// done. A row that somebody deletes by hand meanwhile is left to the next repair.
struct RepairBase {
  std::uint64_t mark = 0;          // of the shard's last repair
  std::vector<RowState> rows;      // of the scope's, in its order
  std::vector<CountedUser> users;  // of the scope's, in its order
};

// The lanes and outbox, which stand still while a repair folds.
struct RepairView {
  std::vector<LaneStatus> lanes;  // of the projection and generation
  std::vector<OutboxRow> outbox;  // of the scope's partitions, by partition and first
};

// A row as it has to be; one that says nothing must not be there.
struct RowToBe {
  RowState state;
  std::string record;  // the value of the record that says so, for kinds whose state is not all
};

// The rows as the topics say them where the lanes of the view stand, in the scope's order. An error
// ends the repair, nothing is changed.
using FoldAgain = std::function<Result<std::vector<RowToBe>>(const RepairView& view)>;

// The rows and counts that were wrong, and are mended.
struct RepairDone {
  std::uint64_t mark = 0;  // of the records in `repairs`; 0: nothing had to be changed
  std::vector<RowKey> rows;
  std::vector<UserId> counts;
};

// Thread-compatible: one instance is one connection. Calls block for at most statement_timeout_ms
// of the adapter. Errors besides those named: kUnavailable, kConflict: nothing happened; kUnknown:
// look. No method throws.
class TableOperations {
 public:
  static constexpr std::size_t kRepairRowsMax = 1000;
  static constexpr std::size_t kRepairUsersMax = 1000;

  virtual ~TableOperations() = default;

  // A paused lane folds nothing until it is resumed, whoever owns it. A lane that is paused already
  // keeps its reason. Errors: kNotFound; kRefused, it is halted.
  [[nodiscard]] virtual Status Pause(const LaneId& lane, const std::string& reason) = 0;

  // Lets a paused or halted lane go on where it stands. A running lane stays as it is. Errors:
  // kNotFound.
  [[nodiscard]] virtual Status Resume(const LaneId& lane) = 0;

  // The lane folds again from the event at `to` on; rows that are newer stay, and so does how far
  // it had come. Its state stays. Errors: kNotFound; kInvalidArgument, it has not come that far.
  [[nodiscard]] virtual Status Rewind(const LaneId& lane, Offset to) = 0;

  // Forgets a parked record; its bytes stay in the topic. Errors: kNotFound.
  [[nodiscard]] virtual Status DropParked(Projection projection, Partition partition,
                                          Offset offset) = 0;

  // Makes these rows what `fold` says and these counts what the rows say, while every lane of the
  // shard stands still, and leaves a record of each change. `fold` must not block for long.
  // Requires: `base` is of the scope. Errors: kConflict, among others: one of the rows is another
  // since `base`, or one of the users was repaired: take a new one.
  [[nodiscard]] virtual Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                                                  const FoldAgain& fold) = 0;
};

}  // namespace fanfold
