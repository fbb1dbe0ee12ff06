#include "common/sqlite/connection.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>

#include "tests/support/temp_folder.h"

namespace fanfold::sqlite {
namespace {

TEST(SqliteConnection, DeletingALongRowDoesNotWriteItsPagesAgain) {
  constexpr std::int64_t kRowPages = 256;
  constexpr std::int64_t kBookkeepingPagesMax = 8;
  const fanfold::testing::TempFolder folder;
  Connection connection(folder.path() + "/tables.db", ConnectionOptions{});
  connection.Execute("CREATE TABLE outbox (first_offset INTEGER PRIMARY KEY, outcomes BLOB)");
  const std::string outcomes(kRowPages * 4096, 'o');

  connection.Execute("INSERT INTO outbox VALUES (1, ?1)", Blob{outcomes});
  const std::int64_t inserted = connection.wal_pages();
  connection.Execute("DELETE FROM outbox");

  EXPECT_GE(inserted, kRowPages);
  EXPECT_LE(connection.wal_pages() - inserted, kBookkeepingPagesMax);
}

// The count stands under one lock of all connections.
TEST(SqliteConnection, NobodyWaitsForACountOfAllocations) {
  const fanfold::testing::TempFolder folder;
  const Connection connection(folder.path() + "/tables.db", ConnectionOptions{});
  EXPECT_EQ(sqlite3_memory_used(), 0);
}

}  // namespace
}  // namespace fanfold::sqlite
