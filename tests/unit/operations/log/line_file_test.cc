#include "operations/log/line_file.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace fanfold::operations {
namespace {

// It holds what the log's folder does.
TEST(LineFile, IsItsOwnersAlone) {
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/log.jsonl";
  ASSERT_TRUE(LineFile::Open(path));
  constexpr auto kOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  EXPECT_EQ(std::filesystem::status(path).permissions(), kOwner);
}

// Root would empty what it leads to.
TEST(LineFile, IsNoLinkInAnothersFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone gives folders away";
  constexpr uid_t kOther = 65534;
  const testing::TempFolder folder;
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink(folder.path() + "/else", link);
  ASSERT_EQ(chown(folder.path().c_str(), kOther, kOther), 0);
  EXPECT_FALSE(LineFile::Open(link));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/else"));
  EXPECT_TRUE(LineFile::Open(folder.path() + "/new"));
}

}  // namespace
}  // namespace fanfold::operations
