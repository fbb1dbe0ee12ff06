// The tables of one shard as they stood at one moment, to be read whole. Adapters: MySQL, SQLite;
// each passes tests/contract/table_snapshot_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/ports/row_image.h"

namespace fanfold {

struct UserCount {
  UserId user;
  EdgeCount count;
  friend bool operator==(const UserCount&, const UserCount&) = default;
};

// A sum over a piece of a user's rows.
struct RowTally {
  std::size_t rows = 0;
  std::int64_t active = 0;
  UserId last_other;  // of the last row counted
  friend bool operator==(const RowTally&, const RowTally&) = default;
};

// The first call takes the moment. Thread-compatible: one instance is one connection, whose
// transaction keeps the database from forgetting what has changed since: read on, then let it go.
// Calls block for at most statement_timeout_ms of the adapter. Errors: kUnavailable: the moment is
// lost, begin with a new snapshot; kRefused: tables missing.
class TableSnapshot {
 public:
  static constexpr std::size_t kRowsMax = 10'000;  // asked for at once
  // Counted at once: a tenth of a second of MariaDB 10.11's, where a call has ten.
  static constexpr std::size_t kTallyRowsMax = 100'000;

  virtual ~TableSnapshot() = default;

  // Every lane of the shard.
  [[nodiscard]] virtual Result<std::vector<LaneStatus>> Lanes() = 0;
  // By partition and first.
  [[nodiscard]] virtual Result<std::vector<OutboxRow>> Outbox(Projection projection,
                                                              Generation generation) = 0;
  // By key, behind `after`, of users up to `last`, those that are not counted too: at most `limit`.
  // No other rows are read.
  [[nodiscard]] virtual Result<std::vector<RowImage>> Rows(Projection projection,
                                                           Generation generation,
                                                           const std::optional<RowKey>& after,
                                                           UserId last, std::size_t limit) = 0;
  // By user, behind `after`, up to `last`: at most `limit`. No other rows are read. None where the
  // projection has no counts.
  [[nodiscard]] virtual Result<std::vector<UserCount>> Counts(Projection projection,
                                                              Generation generation,
                                                              const std::optional<UserId>& after,
                                                              UserId last, std::size_t limit) = 0;
  // Counts this user's rows by key, behind the one of `after`, those that are not active too: at
  // most `limit`. No other rows are read. Requires: the projection has counts.
  [[nodiscard]] virtual Result<RowTally> Tally(Projection projection, Generation generation,
                                               UserId user, UserId after, std::size_t limit) = 0;
  // The mark of the last repair of the shard; 0: there was none.
  [[nodiscard]] virtual Result<std::uint64_t> LastRepair() = 0;
};

}  // namespace fanfold
