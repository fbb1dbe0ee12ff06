#include "common/access/token_file.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

Status AddOne(const std::string& path) {
  return ChangeTokenFile(path, [](std::vector<StaticToken>& tokens) -> Status {
    tokens.push_back(MakeStaticToken(Scopes::All(), 0, {}, "").token);
    return {};
  });
}

mode_t ModeOf(const std::string& path) {
  struct stat of{};
  EXPECT_EQ(stat(path.c_str(), &of), 0);
  return of.st_mode & 0777;
}

class TokenFile : public ::testing::Test {
 protected:
  const testing::TempFolder folder_;
  const std::string path_ = folder_.path() + "/tokens.json";
};

TEST_F(TokenFile, BeginsEmptyAndIsForItsGroup) {
  EXPECT_EQ(ReadTokenFile(path_).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(AddOne(path_));
  EXPECT_EQ(ReadTokenFile(path_)->size(), 1U);
  EXPECT_EQ(ModeOf(path_), 0640U);
}

TEST_F(TokenFile, IsForItsGroupWhateverTheUmask) {
  const mode_t before = umask(077);
  EXPECT_TRUE(AddOne(path_));
  umask(before);
  EXPECT_EQ(ModeOf(path_), 0640U);
}

// Root would change what it leads to.
TEST_F(TokenFile, ALinkIsNoLock) {
  const std::string other = path_ + ".other";
  std::ofstream(other) << "somebody's";
  ASSERT_EQ(chmod(other.c_str(), 0644), 0);
  fs::create_symlink(other, path_ + ".lock");
  EXPECT_FALSE(AddOne(path_));
  EXPECT_EQ(ModeOf(other), 0644U);
}

// Whoever can open it can hold it.
TEST_F(TokenFile, LocksForItsOwnerAloneAlsoWhereItDidNot) {
  ASSERT_TRUE(AddOne(path_));
  EXPECT_EQ(ModeOf(path_ + ".lock"), 0600U);
  ASSERT_EQ(chmod((path_ + ".lock").c_str(), 0640), 0);
  ASSERT_TRUE(AddOne(path_));
  EXPECT_EQ(ModeOf(path_ + ".lock"), 0600U);
}

TEST_F(TokenFile, ThatAnotherKeepsLockedSaysSo) {
  ASSERT_TRUE(AddOne(path_));
  const int held = open((path_ + ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_SH | LOCK_NB), 0);
  const Status refused =
      ChangeTokenFile(path_, [](std::vector<StaticToken>&) -> Status { return {}; }, 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(refused.error().message.find("`fuser " + path_ + ".lock`"), std::string::npos);
  close(held);
  EXPECT_TRUE(AddOne(path_));
}

TEST_F(TokenFile, ThatALinkLeadsToIsChanged) {
  ASSERT_TRUE(AddOne(path_));
  const std::string link = folder_.path() + "/link";
  fs::create_symlink("tokens.json", link);
  ASSERT_TRUE(AddOne(link));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ReadTokenFile(path_)->size(), 2U);
}

TEST_F(TokenFile, ALinkInAnothersFolderIsNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "root alone gives folders away";
  constexpr uid_t kOther = 65534;
  const testing::TempFolder others;
  fs::create_symlink(path_, others.path() + "/link");
  ASSERT_EQ(chown(others.path().c_str(), kOther, kOther), 0);
  EXPECT_EQ(AddOne(others.path() + "/link").error().code, ErrorCode::kRefused);
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(AddOne(others.path() + "/tokens.json"));
}

TEST_F(TokenFile, IsNotWrittenSoThatNobodyCouldReadIt) {
  const auto add = [this](std::optional<std::int64_t> expires_ms, std::size_t note_bytes) {
    return ChangeTokenFile(path_, [&](std::vector<StaticToken>& tokens) -> Status {
      // Six times as long in JSON.
      tokens.push_back(
          MakeStaticToken(Scopes::All(), 0, expires_ms, std::string(note_bytes, '\1')).token);
      return {};
    });
  };
  EXPECT_FALSE(add(-1, 0));
  EXPECT_FALSE(add({}, kTokenFileBytesMax / 6));
  EXPECT_TRUE(add({}, 10));
  EXPECT_TRUE(ReadTokenFile(path_));
}

TEST_F(TokenFile, IsNoDeviceAndNoFolder) {
  for (const std::string& other : {std::string("/dev/null"), folder_.path()}) {
    const Status changed = AddOne(other);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(fs::exists(other + ".lock")) << other;
  }
}

TEST_F(TokenFile, KeepsItsMode) {
  ASSERT_TRUE(AddOne(path_));
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  ASSERT_TRUE(AddOne(path_));
  EXPECT_EQ(ModeOf(path_), 0600U);
}

TEST_F(TokenFile, AChangeThatFailsChangesNothing) {
  ASSERT_TRUE(AddOne(path_));
  const Status changed = ChangeTokenFile(path_, [](std::vector<StaticToken>& tokens) -> Status {
    tokens.clear();
    return Fail(ErrorCode::kRefused, "no");
  });
  EXPECT_FALSE(changed);
  EXPECT_EQ(ReadTokenFile(path_)->size(), 1U);
}

TEST_F(TokenFile, ABrokenOneIsLeftAlone) {
  std::ofstream(path_) << "{";
  EXPECT_FALSE(AddOne(path_));
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "{");
}

TEST_F(TokenFile, WhatOthersMakeAtOnceIsAllThere) {
  constexpr int kEach = 20;
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 4; ++maker) {
    makers.emplace_back([this] {
      for (int i = 0; i < kEach; ++i) EXPECT_TRUE(AddOne(path_));
    });
  }
  for (std::thread& maker : makers) maker.join();
  EXPECT_EQ(ReadTokenFile(path_)->size(), 4U * kEach);
}

}  // namespace
}  // namespace fanfold
