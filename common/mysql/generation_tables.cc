#include "common/mysql/generation_tables.h"

#include <fmt/format.h>

#include "common/sql/generation_rules.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {

std::vector<GenerationRow> GenerationRows(Connection& connection, std::string_view locking) {
  std::vector<GenerationRow> generations;
  Rows rows = connection.Query(
      fmt::format("SELECT {} FROM generations WHERE {} ORDER BY projection, generation{}",
                  kGenerationColumns, OfKnownProjections(), locking));
  while (rows.Next()) generations.push_back(ReadGenerationRow(rows));
  SortAsListed(generations);
  return generations;
}

std::string ForgetParkedTwice(Projection projection, Generation generation) {
  return fmt::format(
      "DELETE p FROM parked p JOIN parked o ON o.projection = p.projection AND o.`partition` = "
      "p.`partition` AND o.record_offset = p.record_offset AND o.generation <> p.generation WHERE "
      "p.projection = '{}' AND p.generation = {}",
      ToString(projection), generation.value);
}

std::vector<std::string> DropTables(Projection projection, Generation generation) {
  std::vector<std::string> statements;
  for (const std::string_view stem : projection.tables()) {
    statements.push_back(fmt::format("DROP TABLE IF EXISTS {}", TableOf(stem, generation)));
  }
  return statements;
}

}  // namespace fanfold::mysql
