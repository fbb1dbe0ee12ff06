#include "common/base/shutdown.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>

namespace fanfold {
namespace {

// In a process of its own: the code with which it ends.
[[noreturn]] void EndAfterHangUp(bool is_ignored) {
  (void)std::signal(SIGHUP, is_ignored ? SIG_IGN : SIG_DFL);
  ShutdownSignal stop;
  (void)std::raise(SIGHUP);
  std::exit(stop.WaitFor(100) ? 3 : 4);
}

TEST(ShutdownSignalDeathTest, AClosedTerminalIsToldAsAnyStop) {
  EXPECT_EXIT(EndAfterHangUp(false), ::testing::ExitedWithCode(3), "");
}

TEST(ShutdownSignalDeathTest, WhoeverWasStartedToOutliveItDoes) {
  EXPECT_EXIT(EndAfterHangUp(true), ::testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace fanfold
