#include "common/mysql/generation_tables.h"

#include <fmt/format.h>

#include "common/mysql/index_names.h"
#include "common/sql/generation_rules.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {

std::vector<GenerationRow> GenerationRows(Connection& connection, std::string_view locking) {
  std::vector<GenerationRow> generations;
  Rows rows = connection.Query(fmt::format(
      "SELECT {} FROM generations ORDER BY projection, generation{}", kGenerationColumns, locking));
  while (rows.Next()) generations.push_back(ReadGenerationRow(rows));
  SortAsListed(generations);
  return generations;
}

std::vector<std::string> MakeTables(Projection projection, Generation generation) {
  const TableNames tables = TablesOf(projection, generation);
  return {fmt::format("CREATE TABLE IF NOT EXISTS {} (user_id BIGINT UNSIGNED NOT NULL, "
                      "{} BIGINT UNSIGNED NOT NULL, active TINYINT NOT NULL, "
                      "since_ms BIGINT NOT NULL, version BIGINT NOT NULL, "
                      "PRIMARY KEY (user_id, {})) ENGINE = InnoDB",
                      tables.edges, tables.other, tables.other),
          fmt::format("CREATE TABLE IF NOT EXISTS {} (user_id BIGINT UNSIGNED NOT NULL, "
                      "n BIGINT NOT NULL, PRIMARY KEY (user_id)) ENGINE = InnoDB",
                      tables.counts)};
}

std::vector<std::string> CountRows(Projection projection, Generation generation) {
  const TableNames tables = TablesOf(projection, generation);
  return {fmt::format("DELETE FROM {}", tables.counts),
          fmt::format("INSERT INTO {} (user_id, n) SELECT user_id, SUM(active) FROM {} FORCE INDEX "
                      "({}) GROUP BY user_id",
                      tables.counts, tables.edges, kPrimaryIndex)};
}

std::string MakePageIndex(Projection projection, Generation generation) {
  const TableNames tables = TablesOf(projection, generation);
  return fmt::format("ALTER TABLE {} ADD INDEX {} (user_id, active, since_ms, {})", tables.edges,
                     kPageIndex, tables.other);
}

std::string ForgetParkedTwice(Projection projection, Generation generation) {
  return fmt::format(
      "DELETE p FROM parked p JOIN parked o ON o.projection = p.projection AND o.`partition` = "
      "p.`partition` AND o.record_offset = p.record_offset AND o.generation <> p.generation WHERE "
      "p.projection = '{}' AND p.generation = {}",
      ToString(projection), generation.value);
}

std::vector<std::string> DropTables(Projection projection, Generation generation) {
  const TableNames tables = TablesOf(projection, generation);
  return {fmt::format("DROP TABLE IF EXISTS {}", tables.edges),
          fmt::format("DROP TABLE IF EXISTS {}", tables.counts)};
}

}  // namespace fanfold::mysql
