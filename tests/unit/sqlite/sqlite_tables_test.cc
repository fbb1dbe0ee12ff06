#include "common/sqlite/sqlite_tables.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/faulty_disk.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

TEST(SqliteTables, ACheckpointThatFindsNoRoomIsLoggedOnceAMinute) {
  constexpr std::int64_t kGrownPages = 9000;  // of the write-ahead log: a checkpoint is due
  const testing::TempFolder folder;
  testing::ManualClock clock;
  SqliteTables tables(folder.path() + "/tables.db", clock, {});
  testing::FaultyDisk disk;
  ::testing::internal::CaptureStderr();
  const Status grown = tables.Write([&](sqlite::Connection& connection, std::int64_t) {
    connection.Execute("CREATE TABLE grown (bytes BLOB)");
    connection.Execute("INSERT INTO grown VALUES (?1)", std::int64_t{0});
    connection.Execute("UPDATE grown SET bytes = zeroblob(?1)", kGrownPages * 4096);
    disk.Fill(true);
  });
  EXPECT_TRUE(grown) << grown.error().message;
  const auto write = [&] { return tables.Write([](sqlite::Connection&, std::int64_t) {}); };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(write());
  clock.now_ms += CauseFilter::kAgainMs;
  EXPECT_TRUE(write());
  disk.Fill(false);
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << lines;
  EXPECT_TRUE(lines.contains(R"("msg":"checkpoint failed")")) << lines;
  EXPECT_TRUE(lines.contains(R"("times":11)")) << lines;
}

}  // namespace
}  // namespace fanfold
