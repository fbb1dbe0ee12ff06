#include "common/mysql/add_index.h"

#include <chrono>
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

namespace {

// A wait that was in vain after so long was for the end of the statement, with the index built.
constexpr int kBuildS = 10;

void AddWithin(mysql::Connection& connection, const TableIndex& index, int wait_s) {
  connection.Execute(fmt::format("SET SESSION lock_wait_timeout = {}", wait_s));
  connection.Execute(MysqlIndexStatement(index));
}

}  // namespace

Status AddMysqlIndex(const std::string& dsn, const TableIndex& index, const SchemaCheck& check) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), {kMigrationTimeoutMs}, check);
  return connection.Run([&] {
    const auto began = std::chrono::steady_clock::now();
    try {
      AddWithin(connection, index, kTableWaitS);
    } catch (const Failure& failure) {
      const auto took = std::chrono::steady_clock::now() - began;
      const bool at_the_end = took > std::chrono::seconds(kBuildS);
      if (failure.error().code != ErrorCode::kConflict || !at_the_end) throw;
      AddWithin(connection, index, kTableWaitAtEndS);
    }
  });
}

}  // namespace fanfold
