#include "common/kafka/topic_admin.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

TEST(TopicAdmin, ThereAreAsManyReplicasAsBrokersOrThree) {
  EXPECT_EQ(ReplicationFor("a:1", 1), kBrokersDefault) << "one is to be seen: they know better";
  EXPECT_EQ(ReplicationFor("bootstrap:1", 2), 2);
  EXPECT_EQ(ReplicationFor("bootstrap:1", 3), 3) << "one name leads to all";
  EXPECT_EQ(ReplicationFor("bootstrap:1", 9), 3);
  EXPECT_EQ(ReplicationFor("a:1,b:1,c:1", 2), 3) << "one of them is away";
  EXPECT_EQ(ReplicationFor("a:1,b:1,c:1,d:1", 4), 3);
}

}  // namespace
}  // namespace fanfold
