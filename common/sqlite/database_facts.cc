#include "common/sqlite/database_facts.h"

#include <utility>

#include "common/sql/declared_indexes.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/migration_texts.h"

namespace fanfold {
namespace sqlite {
namespace {

// Primary keys, then the indexes that were created by name.
constexpr const char* kIndexes =
    "SELECT m.name, 'PRIMARY', c.name, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c "
    "WHERE m.type = 'table' AND c.pk > 0 UNION ALL "
    "SELECT m.name, l.name, c.name, c.seqno FROM sqlite_master m JOIN pragma_index_list(m.name) l "
    "JOIN pragma_index_info(l.name) c WHERE m.type = 'table' AND l.origin = 'c' ORDER BY 1, 2, 4";

DatabaseFacts FactsOf(Connection& connection, const ReadGenerations& read) {
  DatabaseFacts facts;
  facts.indexes_wanted = DeclaredIndexes(MigrationTexts(), read);
  for (const EmbeddedText& known : MigrationTexts()) {
    facts.migrations_known.emplace_back(known.name);
  }
  Statement version = connection.Prepare("SELECT sqlite_version()");
  if (version.Next()) facts.server = "SQLite " + version.Text(0);
  Statement had = connection.Prepare("SELECT name FROM schema_migrations ORDER BY name");
  while (had.Next()) facts.migrations_had.push_back(had.Text(0));
  Statement indexes = connection.Prepare(kIndexes);
  while (indexes.Next()) {
    TableIndex index{indexes.Text(0), indexes.Text(1), {}};
    const bool goes_on = !facts.indexes.empty() && facts.indexes.back().table == index.table &&
                         facts.indexes.back().name == index.name;
    if (!goes_on) facts.indexes.push_back(std::move(index));
    facts.indexes.back().columns.push_back(indexes.Text(2));
  }
  return facts;
}

}  // namespace
}  // namespace sqlite

Result<DatabaseFacts> ReadSqliteFacts(const std::string& path, const ReadGenerations& read) {
  return ResultOf([&] {
    sqlite::Connection connection(path, {.durable = false, .writes = false});
    return sqlite::FactsOf(connection, read);
  });
}

}  // namespace fanfold
