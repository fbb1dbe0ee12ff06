#include "common/mysql/add_index.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/migrations.h"

namespace fanfold {

using std::chrono::steady_clock;

std::string MysqlIndexStatement(const TableIndex& index) {
  const std::string name =
      index.name == kPrimaryName ? "PRIMARY KEY" : "INDEX `" + index.name + "`";
  return fmt::format("ALTER TABLE `{}` ADD {} (`{}`)", index.table, name,
                     fmt::join(index.columns, "`, `"));
}

namespace {

void SetTableWait(mysql::Connection& connection, std::chrono::seconds wait) {
  connection.Execute(fmt::format("SET SESSION lock_wait_timeout = {}", wait.count()));
}

// Until it could be had at once, which the statement asks for that changes nothing.
void AwaitTable(mysql::Connection& connection, const std::string& table) {
  SetTableWait(connection, kTableWait);
  const auto deadline = steady_clock::now() + kTableWaitAtEnd;
  while (true) {
    try {
      connection.Execute(fmt::format("ALTER TABLE `{}` COMMENT = ''", table));
      return;
    } catch (const Failure& failure) {
      if (failure.error().code != ErrorCode::kConflict || steady_clock::now() > deadline) throw;
    }
    std::this_thread::sleep_for(kTablePause);
  }
}

void AddWithin(mysql::Connection& connection, const TableIndex& index, std::chrono::seconds wait) {
  SetTableWait(connection, wait);
  connection.Execute(MysqlIndexStatement(index));
}

// Its end was held up. Whoever holds the table is waited for first, so that nobody stands behind a
// wait for its beginning.
void AddOnceMore(mysql::Connection& connection, const TableIndex& index) {
  try {
    AwaitTable(connection, index.table);
    AddWithin(connection, index, kTableWaitAtEnd);
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::kConflict) throw;
    throw Failure(ErrorCode::kUnavailable,
                  fmt::format("`{}` was held for longer than {} s at a time: {}", index.table,
                              kTableWaitAtEnd.count(), failure.error().message));
  }
}

}  // namespace

Status AddMysqlIndex(const std::string& dsn, const TableIndex& index, const SchemaCheck& check,
                     std::chrono::seconds long_build) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), {kMigrationTimeoutMs}, check);
  return connection.Run([&] {
    const auto began = steady_clock::now();
    try {
      AddWithin(connection, index, kTableWait);
    } catch (const Failure& failure) {
      const bool at_the_end = steady_clock::now() - began > long_build;
      if (failure.error().code != ErrorCode::kConflict || !at_the_end) throw;
      AddOnceMore(connection, index);
    }
  });
}

}  // namespace fanfold
