#include "common/config/reload.h"

#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "common/base/logging.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace fanfold {
namespace {

using testing::WaitUntil;

TEST(ConfigReload, TheLogLevelIsTakenWhenItIsAskedFor) {
  const testing::TempFolder folder;
  const std::string file = folder.path() + "/fanfold.toml";
  const auto write = [&](const std::string& level) {
    std::ofstream(file) << "mode = \"folder\"\nlog_level = \"" << level << "\"\n";
  };
  SetLogLevel(LogLevel::kError);
  write("debug");
  const ConfigReload reload({.file = file});
  ::kill(::getpid(), SIGUSR1);
  EXPECT_TRUE(WaitUntil([] { return LowestLogged() == LogLevel::kDebug; }));
  write("loud");
  ::kill(::getpid(), SIGUSR1);
  write("error");
  EXPECT_TRUE(WaitUntil([] {
    ::kill(::getpid(), SIGUSR1);
    return LowestLogged() == LogLevel::kError;
  }));
}

}  // namespace
}  // namespace fanfold
