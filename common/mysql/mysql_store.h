// All sides of the tables, on MySQL 8 or MariaDB 10.11.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/ports/generation_operations.h"
#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/schema_identity.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"

namespace fanfold {

struct MysqlOptions {
  // The longest a call may take, connecting included. At least kStatementTimeoutMinMs.
  std::int64_t statement_timeout_ms = 10'000;
  // Lets the server ask for files of this process, with which rows that are the newest are loaded
  // faster, where it takes them (local_infile). It could ask for any: for operators' commands
  // alone.
  bool sends_files = false;
  // Asked by each session that is opened, before anything else, and by each look at lanes and
  // catalog; its error is the call's. Empty: any schema will do.
  SchemaCheck check = {};
};
inline constexpr std::int64_t kStatementTimeoutMinMs = 5'000;

// All connect at the first call, and again at the next call after the connection was lost.
// Errors: kInvalidArgument, what is wrong with the DSN or the options.
[[nodiscard]] Result<std::unique_ptr<LaneStore>> NewMysqlLaneStore(const std::string& dsn,
                                                                   const MysqlOptions& options);
[[nodiscard]] Result<std::unique_ptr<ProjectionReader>> NewMysqlProjectionReader(
    const std::string& dsn, const MysqlOptions& options);
[[nodiscard]] Result<std::unique_ptr<TableOperations>> NewMysqlTableOperations(
    const std::string& dsn, const MysqlOptions& options);
// Without a bound of the time a call takes: tables are counted and indexed whole.
[[nodiscard]] Result<std::unique_ptr<GenerationOperations>> NewMysqlGenerationOperations(
    const std::string& dsn, const SchemaCheck& check = {});
// Does not connect again: what it has read would be of another moment.
[[nodiscard]] Result<std::unique_ptr<TableSnapshot>> NewMysqlTableSnapshot(
    const std::string& dsn, const MysqlOptions& options);

}  // namespace fanfold
