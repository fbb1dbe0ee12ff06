#include "common/base/private_memory.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace fanfold {
namespace {

TEST(PrivateMemory, LeavesNoCoreAndIsNobodysToReadFromThenOn) {
  KeepMemoryPrivate();
  rlimit after{1, 1};
  EXPECT_EQ(getrlimit(RLIMIT_CORE, &after), 0);
  EXPECT_EQ(after.rlim_cur, 0U);
  EXPECT_EQ(prctl(PR_GET_DUMPABLE), 0);
  (void)prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace
}  // namespace fanfold
