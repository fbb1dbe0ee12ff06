#include "common/mysql/database_facts.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>

#include "common/mysql/add_index.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {
namespace {

const TableIndex kPage{"fans_g1", "page", {"user_id", "active", "since_ms", "fan_id"}};

bool Has(const DatabaseFacts& facts, const TableIndex& index) {
  return std::ranges::find(facts.indexes, index) != facts.indexes.end();
}

TEST(DatabaseFacts, FreshTablesHaveEveryIndexThatIsDeclared) {
  const MysqlTables tables;
  const DatabaseFacts facts = Must(ReadMysqlFacts(tables.dsn(), {}, kReadG1));
  EXPECT_FALSE(facts.indexes_wanted.empty());
  for (const TableIndex& wanted : facts.indexes_wanted) {
    EXPECT_TRUE(Has(facts, wanted)) << wanted.table << '.' << wanted.name;
  }
  EXPECT_TRUE(Has(facts, kPage));
  EXPECT_EQ(facts.migrations_had, facts.migrations_known);
  EXPECT_FALSE(facts.migrations_had.empty());
  EXPECT_TRUE(facts.server.find("MariaDB") != std::string::npos ||
              facts.server.starts_with("MySQL"));
  EXPECT_GT(facts.now_ms.value_or(0), 1'700'000'000'000);
  EXPECT_EQ(facts.settings.count("innodb_flush_log_at_trx_commit"), 1U);
}

TEST(DatabaseFacts, WhatWasDroppedIsNotFound) {
  const MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute("ALTER TABLE fans_g1 DROP INDEX page");
    connection->Execute("DROP TABLE following_count_g1, schema_migrations");
  }));
  const DatabaseFacts facts = Must(ReadMysqlFacts(tables.dsn(), {}, kReadG1));
  EXPECT_FALSE(Has(facts, kPage));
  EXPECT_FALSE(Has(facts, {"following_count_g1", "PRIMARY", {"user_id"}}));
  EXPECT_TRUE(facts.migrations_had.empty());
}

TEST(DatabaseFacts, IndexThatWasDroppedCanBeMadeAgain) {
  const MysqlTables tables;
  const DatabaseFacts before = Must(ReadMysqlFacts(tables.dsn(), {}, kReadG1));
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run(
      [&] { connection->Execute("ALTER TABLE fans_g1 DROP INDEX page, DROP PRIMARY KEY"); }));
  for (const char* name : {"page", kPrimaryName}) {
    const auto index = std::ranges::find_if(before.indexes_wanted, [&](const TableIndex& wanted) {
      return wanted.table == "fans_g1" && wanted.name == name;
    });
    const Status made = AddMysqlIndex(tables.dsn(), *index, {});
    EXPECT_TRUE(made) << made.error().message;
  }
  EXPECT_EQ(Must(ReadMysqlFacts(tables.dsn(), {}, kReadG1)).indexes, before.indexes);
}

// In a transaction that is left open.
void DropAndHold(mysql::Connection& holder) {
  holder.Execute("ALTER TABLE fans_g1 DROP INDEX page");
  holder.Execute("START TRANSACTION");
  (void)holder.Query("SELECT 1 FROM fans_g1");
}

// Else whoever comes after the statement stands behind it until the holder is done.
TEST(DatabaseFacts, AnIndexIsNotWaitedForWhereATransactionHoldsItsTable) {
  const MysqlTables tables;
  auto holder = tables.Connect();
  ASSERT_TRUE(holder->Run([&] { DropAndHold(*holder); }));
  EXPECT_EQ(CodeName(AddMysqlIndex(tables.dsn(), kPage, {})), "conflict");
  ASSERT_TRUE(holder->Run([&] { holder->Execute("ROLLBACK"); }));
  EXPECT_TRUE(AddMysqlIndex(tables.dsn(), kPage, {}));
}

// Its end was held up, and it is built once more: not before the holder is done, and nobody stands
// behind the wait for that.
TEST(DatabaseFacts, AnIndexThatTookLongWaitsForItsEndAlone) {
  const MysqlTables tables;
  auto holder = tables.Connect();
  ASSERT_TRUE(holder->Run([&] { DropAndHold(*holder); }));
  const auto now = std::chrono::steady_clock::now;
  const auto began = now();
  auto made = std::async(std::launch::async, [&] {
    return AddMysqlIndex(tables.dsn(), kPage, {}, std::chrono::seconds(0));
  });
  auto reader = tables.Connect();
  auto longest = now() - now();
  while (now() - began < 2 * (kTableWait + kTablePause)) {
    const auto asked = now();
    ASSERT_TRUE(reader->Run([&] { (void)reader->Query("SELECT 1 FROM fans_g1 LIMIT 1"); }));
    longest = std::max(longest, now() - asked);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(longest, kTableWait + std::chrono::seconds(1));
  ASSERT_TRUE(holder->Run([&] { holder->Execute("ROLLBACK"); }));
  EXPECT_TRUE(made.get());
}

TEST(DatabaseFacts, ATableWithoutAnIndexIsThere) {
  const MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run(
      [&] { connection->Execute("ALTER TABLE following_count_g1 DROP PRIMARY KEY"); }));
  EXPECT_TRUE(Has(Must(ReadMysqlFacts(tables.dsn(), {}, kReadG1)), {"following_count_g1", "", {}}));
}

TEST(DatabaseFacts, SchemaThatIsNotThereIsAnError) {
  const std::string dsn = TestDsn(UniqueSpace());
  EXPECT_FALSE(ReadMysqlFacts(dsn, {}, kReadG1));
}

}  // namespace
}  // namespace fanfold::testing
