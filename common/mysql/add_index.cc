#include "common/mysql/add_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/migrations.h"

namespace fanfold {

std::string MysqlIndexStatement(const TableIndex& index) {
  const std::string name =
      index.name == kPrimaryName ? "PRIMARY KEY" : "INDEX `" + index.name + "`";
  return fmt::format("ALTER TABLE `{}` ADD {} (`{}`)", index.table, name,
                     fmt::join(index.columns, "`, `"));
}

Status AddMysqlIndex(const std::string& dsn, const TableIndex& index, const SchemaCheck& check) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), {kMigrationTimeoutMs}, check);
  return connection.Run([&] {
    connection.Execute(fmt::format("SET SESSION lock_wait_timeout = {}", kTableWaitS));
    connection.Execute(MysqlIndexStatement(index));
  });
}

}  // namespace fanfold
