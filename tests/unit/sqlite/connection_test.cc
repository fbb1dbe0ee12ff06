#include "common/sqlite/connection.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(SqliteConnection, TextsThatItHasPreparedAreBounded) {
  const fanfold::testing::TempFolder folder;
  Connection connection(folder.path() + "/tables.db", ConnectionOptions{});
  Statement in_use = connection.Prepare("SELECT ?1 UNION ALL SELECT ?1");
  in_use.Bind(7);
  ASSERT_TRUE(in_use.Next());
  for (std::size_t i = 0; i < 2 * Connection::kPreparedMax; ++i) {
    connection.Execute("SELECT " + std::to_string(i));
    ASSERT_LE(connection.prepared(), Connection::kPreparedMax);
  }
  ASSERT_TRUE(in_use.Next()) << "forgotten while it was in use";
  EXPECT_EQ(in_use.I64(0), 7);
}

TEST(SqliteConnection, WhatItMakesIsForItsOwnerAlone) {
  const fanfold::testing::TempFolder folder;
  const std::string path = folder.path() + "/tables.db";
  Connection connection(path, ConnectionOptions{});
  connection.Execute("CREATE TABLE one (id INTEGER)");
  for (const char* name : {"", "-wal", "-shm"}) {
    struct stat is{};
    ASSERT_EQ(stat((path + name).c_str(), &is), 0) << name;
    EXPECT_EQ(is.st_mode & 0777, 0600U) << name;
  }
}

// Root would write into what it leads to.
TEST(SqliteConnection, ALinkInAnothersFolderIsNoDatabase) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone gives folders away";
  constexpr uid_t kOther = 65534;
  const fanfold::testing::TempFolder folder;
  const fanfold::testing::TempFolder others;
  const auto opens = [](const std::string& path) {
    return ResultOf([&] { const Connection connection(path, ConnectionOptions{}); }).has_value();
  };
  ASSERT_TRUE(opens(folder.path() + "/tables.db"));
  const std::string link = others.path() + "/tables.db";
  std::filesystem::create_symlink(folder.path() + "/tables.db", link);
  EXPECT_TRUE(opens(link)) << "who owns the folder made it";
  ASSERT_EQ(chown(others.path().c_str(), kOther, kOther), 0);
  EXPECT_FALSE(opens(link));
  EXPECT_TRUE(opens(others.path() + "/log.db"));
  std::filesystem::create_directory_symlink(others.path(), folder.path() + "/var");
  EXPECT_TRUE(opens(folder.path() + "/var/log.db")) << "the folder may be named by a link";
}

// The count stands under one lock of all connections.
TEST(SqliteConnection, NobodyWaitsForACountOfAllocations) {
  const fanfold::testing::TempFolder folder;
  const Connection connection(folder.path() + "/tables.db", ConnectionOptions{});
  EXPECT_EQ(sqlite3_memory_used(), 0);
}

}  // namespace
}  // namespace fanfold::sqlite
