#include "common/sqlite/migrations.h"

#include <optional>
#include <set>
#include <string>

#include "common/sql/schema_identity.h"
#include "common/sql/slot_map_rows.h"
#include "common/sql/sql_splitter.h"
#include "common/sqlite/migration_texts.h"
#include "common/sqlite/schema_identity.h"

namespace fanfold::sqlite {
namespace {

std::set<std::string> AppliedMigrations(Connection& connection) {
  std::set<std::string> applied;
  Statement select = connection.Prepare("SELECT name FROM schema_migrations");
  while (select.Next()) applied.insert(select.Text(0));
  return applied;
}

void RunMigrations(Connection& connection, std::int64_t now_ms) {
  connection.Execute(
      "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT NOT NULL PRIMARY KEY, applied_ms "
      "INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID");
  for (const EmbeddedText& migration :
       MissingMigrations(MigrationTexts(), AppliedMigrations(connection))) {
    for (const std::string& statement : SplitStatements(migration.text)) {
      connection.Execute(statement);
    }
    connection.Execute("INSERT INTO schema_migrations (name, applied_ms) VALUES (?1, ?2)",
                       migration.name, now_ms);
  }
}

std::optional<Shape> ReadSeed(Connection& connection) {
  Statement select = connection.Prepare("SELECT partitions, shards FROM catalog WHERE id = 1");
  if (!select.Next()) return std::nullopt;
  return Shape{select.I32(0), select.I32(1)};
}

}  // namespace

void Migrate(Connection& connection, Shard shard, const Shape& seed,
             const std::optional<DeploymentId>& known, std::int64_t now_ms) {
  Transaction transaction(connection, Access::kWrites);
  RunMigrations(connection, now_ms);
  if (WantsCatalog(shard, ReadSeed(connection), seed)) {
    connection.Execute(
        "INSERT INTO catalog (id, partitions, shards, updated_ms) VALUES (1, ?1, ?2, ?3)",
        seed.partitions, seed.shards, now_ms);
  }
  if (shard == Shard(0)) {
    // Rows that are there stay: releases before had none.
    connection.Execute("INSERT OR IGNORE INTO slot_maps (slot_map, slot, shard) VALUES " +
                       FirstSlotMapRows(seed.shards));
  }
  if (const auto missing = IdentityToWrite(ReadIdentity(connection), shard, seed, known)) {
    connection.Execute(
        "INSERT INTO schema_identity (id, deployment, shard, partitions, shards, created_ms) "
        "VALUES (1, ?1, ?2, ?3, ?4, ?5)",
        missing->deployment.text(), missing->shard.value, missing->shape.partitions,
        missing->shape.shards, now_ms);
  }
  transaction.Commit();
}

}  // namespace fanfold::sqlite
