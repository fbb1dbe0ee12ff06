#include "common/mysql/lock_names.h"

#include <gtest/gtest.h>

namespace fanfold::mysql {
namespace {

// Told by MariaDB 10.11: CONCAT('fanfold:', MD5('fanfold_0')), and SHA1() alike.
TEST(LockNames, AreThoseThatEarlierBuildsLetTheServerMake) {
  EXPECT_EQ(MigrationLockName("fanfold_0"), "fanfold:6e169042b9d289a89b876926bd763ac7");
  EXPECT_EQ(GenerationsLockName("fanfold_0", projections::kFollowing),
            "fanfold.ffff87865b64afbb66e5bad9224612c1b8f07842");
  EXPECT_EQ(GenerationsLockName("fanfold_0", projections::kFans),
            "fanfold.ae35bf0f422378519d2dee948b19f8983c6a1705");
}

}  // namespace
}  // namespace fanfold::mysql
