#include "common/mysql/database_facts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/migration_texts.h"
#include "common/mysql/options.h"
#include "common/mysql/sql_text.h"
#include "common/sql/declared_indexes.h"

namespace fanfold {
namespace mysql {
namespace {

constexpr std::string_view kSettings =
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', "
    "'innodb_doublewrite', 'log_bin', 'sync_binlog')";
// In a schema without a history there is nothing to read, and no error.
constexpr std::string_view kHasHistory =
    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND "
    "table_name = 'schema_migrations'";
constexpr std::string_view kIndexes =
    "SELECT t.table_name, s.index_name, s.column_name FROM information_schema.tables t LEFT JOIN "
    "information_schema.statistics s ON s.table_schema = DATABASE() AND s.table_name = "
    "t.table_name WHERE t.table_schema = DATABASE() ORDER BY t.table_name, s.index_name, "
    "s.seq_in_index";

void ReadServer(Connection& connection, DatabaseFacts& facts) {
  Rows rows = connection.Query(fmt::format("SELECT VERSION(), {}", kNowMs));
  if (!rows.Next()) return;
  const std::string version = rows.Text(0);
  const bool is_mariadb = version.find("MariaDB") != std::string::npos;
  facts.server = is_mariadb ? version : "MySQL " + version;
  facts.now_ms = rows.I64(1);
}

void ReadMigrations(Connection& connection, DatabaseFacts& facts) {
  for (const EmbeddedText& known : MigrationTexts()) {
    facts.migrations_known.emplace_back(known.name);
  }
  Rows history = connection.Query(kHasHistory);
  if (!history.Next() || history.I64(0) == 0) return;
  Rows rows = connection.Query("SELECT name FROM schema_migrations ORDER BY name");
  while (rows.Next()) facts.migrations_had.push_back(rows.Text(0));
}

void ReadIndexes(Connection& connection, DatabaseFacts& facts) {
  Rows rows = connection.Query(kIndexes);
  while (rows.Next()) {
    if (rows.IsNull(1)) {
      facts.indexes.push_back({rows.Text(0), "", {}});
      continue;
    }
    TableIndex index{rows.Text(0), rows.Text(1), {}};
    const bool goes_on = !facts.indexes.empty() && facts.indexes.back().table == index.table &&
                         facts.indexes.back().name == index.name;
    if (!goes_on) facts.indexes.push_back(std::move(index));
    facts.indexes.back().columns.push_back(rows.Text(2));
  }
}

}  // namespace
}  // namespace mysql

Result<DatabaseFacts> ReadMysqlFacts(const std::string& dsn, const MysqlOptions& options,
                                     const ReadGenerations& read) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), mysql::LimitsOf(options));
  return connection.Run([&] {
    DatabaseFacts facts;
    facts.indexes_wanted = DeclaredIndexes(mysql::MigrationTexts(), read);
    mysql::ReadServer(connection, facts);
    mysql::ReadMigrations(connection, facts);
    mysql::ReadIndexes(connection, facts);
    mysql::Rows rows = connection.Query(mysql::kSettings);
    while (rows.Next()) facts.settings[rows.Text(0)] = rows.Text(1);
    return facts;
  });
}

}  // namespace fanfold
