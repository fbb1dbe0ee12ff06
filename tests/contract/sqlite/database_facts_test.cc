#include "common/sqlite/database_facts.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "common/sqlite/connection.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {
namespace {

bool Has(const DatabaseFacts& facts, const TableIndex& index) {
  return std::ranges::find(facts.indexes, index) != facts.indexes.end();
}

TEST(DatabaseFacts, FreshTablesHaveEveryIndexThatIsDeclared) {
  const SqliteTablesFile tables;
  const DatabaseFacts facts = Must(ReadSqliteFacts(tables.path(), kReadG1));
  EXPECT_FALSE(facts.indexes_wanted.empty());
  for (const TableIndex& wanted : facts.indexes_wanted) {
    EXPECT_TRUE(Has(facts, wanted)) << wanted.table << '.' << wanted.name;
  }
  EXPECT_TRUE(Has(facts, {"fans_g1", "fans_g1_page", {"user_id", "active", "since_ms", "fan_id"}}));
  EXPECT_EQ(facts.migrations_had, facts.migrations_known);
  EXPECT_TRUE(facts.server.starts_with("SQLite 3."));
}

TEST(DatabaseFacts, WhatWasDroppedIsNotFound) {
  const SqliteTablesFile tables;
  sqlite::Connection connection(tables.path(), {});
  ASSERT_TRUE(connection.Run([&] {
    connection.Execute("DROP INDEX fans_g1_page");
    connection.Execute("DROP TABLE following_count_g1");
  }));
  const DatabaseFacts facts = Must(ReadSqliteFacts(tables.path(), kReadG1));
  EXPECT_FALSE(
      Has(facts, {"fans_g1", "fans_g1_page", {"user_id", "active", "since_ms", "fan_id"}}));
  EXPECT_FALSE(Has(facts, {"following_count_g1", "PRIMARY", {"user_id"}}));
}

TEST(DatabaseFacts, FileThatIsNotThereIsAnErrorAndStaysAway) {
  const TempFolder folder;
  EXPECT_FALSE(ReadSqliteFacts(folder.path() + "/tables.db", kReadG1));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/tables.db"));
}

}  // namespace
}  // namespace fanfold::testing
