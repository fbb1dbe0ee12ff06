#include "common/mysql/migrations.h"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

#include "common/base/logging.h"
#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/lock_names.h"
#include "common/mysql/migration_texts.h"
#include "common/mysql/schema_identity.h"
#include "common/mysql/sql_text.h"
#include "common/sql/migration_plan.h"
#include "common/sql/schema_identity.h"
#include "common/sql/slot_map_rows.h"
#include "common/sql/sql_splitter.h"

namespace fanfold {
namespace mysql {
namespace {

constexpr std::string_view kCreateHistory =
    "CREATE TABLE IF NOT EXISTS schema_migrations (name VARCHAR(64) CHARACTER SET ascii COLLATE "
    "ascii_bin NOT NULL PRIMARY KEY, applied_ms BIGINT NOT NULL DEFAULT 0) ENGINE = InnoDB";

// Held by one session of the server; the server lets go of it when the session ends.
class MigrationLock {
 public:
  MigrationLock(Connection& connection, const std::string& schema)
      : connection_(connection), name_(MigrationLockName(schema)) {
    Rows rows =
        connection_.Query(fmt::format("SELECT GET_LOCK('{}', {})", name_, kMigrationLockWaitS));
    if (!rows.Next() || rows.I64(0) != 1) {
      throw Failure(ErrorCode::kUnavailable,
                    fmt::format("somebody else has been migrating '{}' for {} s", schema,
                                kMigrationLockWaitS));
    }
  }
  ~MigrationLock() {
    try {
      (void)connection_.Query(fmt::format("SELECT RELEASE_LOCK('{}')", name_));
    } catch (const std::exception& error) {
      // Its session is gone, and the lock with it.
      Log(LogLevel::kDebug, "a lock was not released in order", {{"error", error.what()}});
    }
  }
  MigrationLock(const MigrationLock&) = delete;
  MigrationLock& operator=(const MigrationLock&) = delete;

 private:
  Connection& connection_;
  std::string name_;
};

std::set<std::string> AppliedMigrations(Connection& connection) {
  std::set<std::string> applied;
  Rows rows = connection.Query("SELECT name FROM schema_migrations");
  while (rows.Next()) applied.insert(rows.Text(0));
  return applied;
}

void RunMigrations(Connection& connection) {
  connection.Execute(kCreateHistory);
  for (const EmbeddedText& migration :
       MissingMigrations(MigrationTexts(), AppliedMigrations(connection))) {
    for (const std::string& statement : SplitStatements(migration.text)) {
      connection.Execute(statement);
    }
    connection.Execute(
        fmt::format("INSERT INTO schema_migrations (name, applied_ms) VALUES ('{}', {})",
                    migration.name, kNowMs));
  }
}

std::optional<Shape> ReadSeed(Connection& connection) {
  Rows rows = connection.Query("SELECT partitions, shards FROM catalog WHERE id = 1");
  if (!rows.Next()) return std::nullopt;
  return Shape{rows.I32(0), rows.I32(1)};
}

DeploymentId SeedIdentity(Connection& connection, Shard shard, const Shape& seed,
                          const std::optional<DeploymentId>& known) {
  const std::optional<SchemaIdentity> there = ReadIdentity(connection);
  const std::optional<SchemaIdentity> missing = IdentityToWrite(there, shard, seed, known);
  if (!missing) return there->deployment;
  connection.Execute(fmt::format(
      "INSERT INTO schema_identity (id, deployment, shard, partitions, shards, created_ms) VALUES "
      "(1, '{}', {}, {}, {}, {})",
      missing->deployment.text(), missing->shard.value, missing->shape.partitions,
      missing->shape.shards, kNowMs));
  return missing->deployment;
}

void SeedCatalog(Connection& connection, Shard shard, const Shape& seed) {
  const bool wants_catalog = WantsCatalog(shard, ReadSeed(connection), seed);
  if (shard != Shard(0)) return;
  // Rows that are there stay: releases before had none.
  connection.Execute("INSERT IGNORE INTO slot_maps (slot_map, slot, shard) VALUES " +
                     FirstSlotMapRows(seed.shards));
  if (!wants_catalog) return;
  connection.Execute(
      fmt::format("INSERT INTO catalog (id, partitions, shards, updated_ms) VALUES (1, {}, {}, {})",
                  seed.partitions, seed.shards, kNowMs));
}

}  // namespace
}  // namespace mysql

Result<DeploymentId> Migrate(const std::string& dsn, Shard shard, const Shape& seed,
                             const std::optional<DeploymentId>& known) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  const std::string schema = std::exchange(parsed->schema, "");
  mysql::Connection connection(std::move(*parsed), {kMigrationTimeoutMs});
  return connection.Run([&] {
    const mysql::MigrationLock lock(connection, schema);
    connection.Execute(fmt::format(
        "CREATE DATABASE IF NOT EXISTS `{}` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", schema));
    connection.Execute(fmt::format("USE `{}`", schema));
    mysql::RunMigrations(connection);
    mysql::SeedCatalog(connection, shard, seed);
    return mysql::SeedIdentity(connection, shard, seed, known);
  });
}

}  // namespace fanfold
