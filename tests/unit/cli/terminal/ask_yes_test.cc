#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string_view>
#include <unistd.h>

#include "common/base/check.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::Captured;

// Somebody sits at stdin, and has typed that.
class TerminalAsStdin {
 public:
  explicit TerminalAsStdin(std::string_view typed) : before_(dup(STDIN_FILENO)) {
    EXPECT_EQ(grantpt(keys_), 0);
    EXPECT_EQ(unlockpt(keys_), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(ptsname_r(keys_, name.data(), name.size()), 0);
    const int terminal = open(name.data(), O_RDWR | O_NOCTTY);
    FANFOLD_CHECK(terminal >= 0 && before_ >= 0, name.data());
    EXPECT_EQ(dup2(terminal, STDIN_FILENO), STDIN_FILENO);
    close(terminal);
    EXPECT_EQ(write(keys_, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  }
  ~TerminalAsStdin() {
    dup2(before_, STDIN_FILENO);
    close(before_);
    close(keys_);
  }
  TerminalAsStdin(const TerminalAsStdin&) = delete;
  TerminalAsStdin& operator=(const TerminalAsStdin&) = delete;

 private:
  const int before_;
  const int keys_ = posix_openpt(O_RDWR | O_NOCTTY);
};

bool Asked(bool may_ask, const Captured& err) {
  Console console({.err = err.file(), .may_ask = may_ask});
  return AskYes(console, "Run this?", "not run without --yes");
}

TEST(AskYes, AsksWhoeverSitsThere) {
  const TerminalAsStdin terminal("yes\nno\n");
  const Captured err;
  EXPECT_TRUE(Asked(true, err));
  EXPECT_FALSE(Asked(true, err));
  EXPECT_EQ(err.text(), "Run this? [y/N]\nRun this? [y/N]\n");
}

// The terminal of a process that runs verbs of pages is not theirs.
TEST(AskYes, LeavesATerminalAloneThatIsNotItsOwn) {
  const TerminalAsStdin terminal("yes\n");
  const Captured err;
  EXPECT_FALSE(Asked(false, err));
  EXPECT_EQ(err.text(), "not run without --yes\n");
}

}  // namespace
}  // namespace fanfold
