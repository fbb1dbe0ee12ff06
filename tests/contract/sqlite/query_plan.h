// How SQLite says that it answers a statement.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <sqlite3.h>
#include <string>

#include "common/sqlite/connection.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

// Lines such as "SEARCH e USING PRIMARY KEY (user_id=?)".
inline std::string PlanOf(sqlite::Connection& connection, const std::string& sql) {
  return Must(connection.Run([&] {
    std::string plan;
    sqlite::Statement explain = connection.Prepare("EXPLAIN QUERY PLAN " + sql);
    while (explain.Next()) plan += explain.Text(3) + '\n';
    return plan;
  }));
}

// Steps that SQLite's machine takes to answer: some ten a row that it looks at.
inline std::int64_t StepsOf(const std::string& path, const std::string& sql,
                            std::span<const sqlite::Value> values) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
  int index = 0;
  for (const sqlite::Value& value : values) {
    ++index;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, index, *number);
    } else {
      sqlite3_bind_text(statement, index, std::get<std::string>(value).c_str(), -1,
                        SQLITE_TRANSIENT);
    }
  }
  while (sqlite3_step(statement) == SQLITE_ROW) {
  }
  const int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return steps;
}

}  // namespace fanfold::testing
