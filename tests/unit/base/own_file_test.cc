#include "common/base/own_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 65534;
constexpr std::size_t kBytesMax = 100;

class OwnFileTest : public ::testing::Test {
 protected:
  OwnFileTest() { std::ofstream(secret_) << "secret"; }

  // Whether it is opened.
  static bool Opens(const std::string& path, int flags) {
    const int file = OpenOwn(path, flags);
    if (file >= 0) close(file);
    return file >= 0;
  }
  static bool OpensAsNamed(const std::string& path) {
    const int file = OpenAsNamed(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) close(file);
    return file >= 0;
  }
  [[nodiscard]] static struct stat Of(const std::string& path) {
    struct stat is{};
    EXPECT_EQ(stat(path.c_str(), &is), 0) << path;
    return is;
  }

  const testing::TempFolder elsewhere_;
  const testing::TempFolder folder_;
  const std::string secret_ = elsewhere_.path() + "/secret";
  const std::string path_ = folder_.path() + "/own";
};

TEST_F(OwnFileTest, IsMadeForItsOwnerAlone) {
  EXPECT_FALSE(Opens(path_, O_RDWR));
  ASSERT_TRUE(Opens(path_, O_RDWR | O_CREAT));
  EXPECT_EQ(Of(path_).st_mode & 0777, 0600U);
  std::ofstream(path_) << "own";
  EXPECT_EQ(ReadOwnUpTo(path_, kBytesMax), "own");
}

TEST_F(OwnFileTest, IsNoLink) {
  fs::create_symlink(secret_, path_);
  EXPECT_FALSE(Opens(path_, O_RDWR | O_CREAT));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_FALSE(ReadOwnUpTo(path_, kBytesMax));
  fs::remove(path_);
  fs::create_hard_link(secret_, path_);
  EXPECT_FALSE(Opens(path_, O_RDWR | O_CREAT));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_FALSE(ReadOwnUpTo(path_, kBytesMax));
}

TEST_F(OwnFileTest, APipeKeepsNobody) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(ReadOwnUpTo(path_, kBytesMax));
  EXPECT_FALSE(Opens(path_, O_RDWR | O_CREAT));
}

TEST_F(OwnFileTest, RootsInAnothersFolderIsTheirsOnceItIsMade) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone makes files for others";
  std::ofstream(path_) << "root's";
  ASSERT_EQ(chown(folder_.path().c_str(), kOther, kOther), 0);
  ASSERT_TRUE(Opens(path_, O_RDWR));
  EXPECT_EQ(Of(path_).st_uid, 0U) << "who reads gives nothing away";
  ASSERT_TRUE(Opens(path_, O_RDWR | O_CREAT));
  EXPECT_EQ(Of(path_).st_uid, kOther);
}

TEST_F(OwnFileTest, AsNamedIsALinkWhereNoOtherMadeIt) {
  fs::create_symlink(secret_, path_);
  EXPECT_FALSE(IsInOthersFolder(path_));
  EXPECT_TRUE(OpensAsNamed(path_));
  if (geteuid() != 0) GTEST_SKIP() << "root alone gives folders away";
  std::ofstream(secret_) << "secret";
  ASSERT_EQ(chown(folder_.path().c_str(), kOther, kOther), 0);
  EXPECT_TRUE(IsInOthersFolder(path_));
  EXPECT_FALSE(OpensAsNamed(path_));
  EXPECT_EQ(Of(secret_).st_size, 6) << "it is not emptied";
  EXPECT_TRUE(OpensAsNamed(folder_.path() + "/new"));
}

}  // namespace
}  // namespace fanfold
