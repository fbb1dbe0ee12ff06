#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <pwd.h>

#include "cli/command_line/audit_line.h"
#include "cli/command_line/command_line.h"

namespace {

std::atomic<int> asked = 0;

}  // namespace

// Stands before the system's in this program.
extern "C" passwd* getpwuid(uid_t user) {
  static passwd entry;
  static std::array<char, 16384> texts;
  ++asked;
  passwd* found = nullptr;
  getpwuid_r(user, &entry, texts.data(), texts.size(), &found);
  return found;
}

namespace fanfold {
namespace {

// A directory server that is slow is not waited for at each verb of a page.
TEST(CallingUser, IsAskedForOnce) {
  EXPECT_FALSE(CallingUser().empty());
  const int before = asked;
  EXPECT_GE(before, 1);
  const std::array words = {"fanfold", "lane", "list"};
  EXPECT_TRUE(ParseCommandLine(static_cast<int>(words.size()), words.data()));
  EXPECT_FALSE(CallingUser().empty());
  EXPECT_EQ(asked, before);
}

}  // namespace
}  // namespace fanfold
