#include "common/sqlite/folder_lock.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;

TEST(FolderLock, MakesTheFolderAndItsParents) {
  const TempFolder temp;
  const std::string folder = temp.path() + "/var/fanfold";
  const auto lock = FolderLock::Take(folder);
  ASSERT_TRUE(lock.has_value()) << lock.error().message;
  EXPECT_TRUE(std::filesystem::is_directory(folder));
}

// Tables, log and tokens are nobody else's to read; what it stands in may be others', too.
TEST(FolderLock, WhatItMakesIsForItsOwnerAlone) {
  const TempFolder temp;
  const mode_t before = umask(022);
  EXPECT_TRUE(FolderLock::Take(temp.path() + "/var/fanfold"));
  umask(before);
  const auto mode_of = [&](const char* path) {
    struct stat is{};
    EXPECT_EQ(stat((temp.path() + path).c_str(), &is), 0);
    return is.st_mode & 0777;
  };
  EXPECT_EQ(mode_of("/var"), 0755U);
  EXPECT_EQ(mode_of("/var/fanfold"), 0700U);
}

TEST(FolderLock, WhatRootMakesIsTheFoldersOwners) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone makes files for others";
  constexpr uid_t kOther = 65534;
  const TempFolder folder;
  ASSERT_EQ(chown(folder.path().c_str(), kOther, kOther), 0);
  ASSERT_TRUE(FolderLock::Take(folder.path()));
  struct stat is{};
  ASSERT_EQ(stat((folder.path() + "/lock").c_str(), &is), 0);
  EXPECT_EQ(is.st_uid, kOther);
}

// Root would empty what it points to, and give it away.
TEST(FolderLock, ALinkIsNoLock) {
  const TempFolder folder;
  std::filesystem::create_symlink(folder.path() + "/else", folder.path() + "/lock");
  EXPECT_FALSE(FolderLock::Take(folder.path()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/else"));
}

TEST(FolderLock, SecondOwnerIsRefusedWithFolderAndProcess) {
  const TempFolder folder;
  const auto first = FolderLock::Take(folder.path());
  ASSERT_TRUE(first.has_value());
  const auto second = FolderLock::Take(folder.path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kRefused);
  EXPECT_THAT(second.error().message, HasSubstr(folder.path()));
  EXPECT_THAT(second.error().message, HasSubstr(fmt::format("process {}", getpid())));
}

TEST(FolderLock, GoesWithItsObjectWhereverThatWasMoved) {
  const TempFolder folder;
  {
    auto first = FolderLock::Take(folder.path());
    ASSERT_TRUE(first.has_value());
    const FolderLock moved = std::move(*first);
    EXPECT_FALSE(FolderLock::Take(folder.path()).has_value());
  }
  EXPECT_TRUE(FolderLock::Take(folder.path()).has_value());
}

TEST(FolderLock, GoesWithAProcessThatIsKilled) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    [[maybe_unused]] const auto lock = FolderLock::Take(folder.path());
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto refused = FolderLock::Take(folder.path());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("process {}", child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(FolderLock::Take(folder.path()).has_value());
  close(ready[0]);
  close(ready[1]);
}

// Whoever can open it can hold it.
TEST(FolderLock, IsForItsOwnerAloneAlsoWhereItWasNot) {
  const TempFolder folder;
  const std::string path = folder.path() + "/lock";
  std::ofstream(path) << "1\n";
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(FolderLock::Take(folder.path()).has_value());
  struct stat is{};
  ASSERT_EQ(stat(path.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0600U);
}

TEST(FolderLock, ThatAnotherHoldsNamesNoProcessThatIsGone) {
  const TempFolder folder;
  const std::string path = folder.path() + "/lock";
  std::ofstream(path) << "2147483646\n";
  const int held = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_SH | LOCK_NB), 0);
  const auto refused = FolderLock::Take(folder.path());
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("another process: `fuser " + path + "`"));
  close(held);
}

TEST(FolderLock, FolderThatCannotBeMadeIsRefused) {
  const TempFolder temp;
  const std::string file = temp.path() + "/file";
  std::ofstream(file) << "x";
  const auto lock = FolderLock::Take(file + "/fanfold");
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().code, ErrorCode::kRefused);
}

}  // namespace
}  // namespace fanfold
