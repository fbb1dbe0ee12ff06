// All sides of the tables, on SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/deployment_id.h"
#include "common/base/result.h"
#include "common/ports/generation_operations.h"
#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"
#include "common/sql/migration_plan.h"

namespace fanfold {

struct SqliteTablesOptions {
  // The longest a call may take; a store waits for the calls of the others of its tables besides.
  std::int64_t statement_timeout_ms = 10'000;
  // The deployment that the tables must be of; nothing: any. Without it new tables begin a new one.
  std::optional<DeploymentId> deployment = {};
};

// The tables of one shard, as this process has them open: a file, or a MemoryDatabase. Its stores
// share one connection, since SQLite lets one write at a time and a page that another connection
// has changed must be read again; readers have one each and wait for nobody.
class SqliteTables;

// Opens `path`, makes it when it is missing, runs the numbered migrations that it has not had yet,
// puts the catalog on shard 0, and writes which shard of which deployment it is. `clock` gives
// updated_ms and outlives the tables. Errors: kRefused when the file says that it is another's, or
// its catalog says other partitions or shards, or it is shard 0's and `shard` is another, or it has
// had migrations that this build does not know, or it cannot be written or is damaged;
// kUnavailable, kConflict: try again.
[[nodiscard]] Result<std::shared_ptr<SqliteTables>> OpenSqliteTables(
    const std::string& path, Shard shard, const Shape& seed, const Clock& clock,
    const SqliteTablesOptions& options = {});

// The result may be used on a thread of its own.
[[nodiscard]] std::unique_ptr<LaneStore> NewSqliteLaneStore(std::shared_ptr<SqliteTables> tables);
// Errors: kUnavailable, kRefused.
[[nodiscard]] Result<std::unique_ptr<ProjectionReader>> NewSqliteProjectionReader(
    const std::shared_ptr<SqliteTables>& tables);
[[nodiscard]] std::unique_ptr<GenerationOperations> NewSqliteGenerationOperations(
    std::shared_ptr<SqliteTables> tables);
[[nodiscard]] std::unique_ptr<TableOperations> NewSqliteTableOperations(
    std::shared_ptr<SqliteTables> tables);
// Errors: kUnavailable, kRefused.
[[nodiscard]] Result<std::unique_ptr<TableSnapshot>> NewSqliteTableSnapshot(
    const std::shared_ptr<SqliteTables>& tables);

}  // namespace fanfold
