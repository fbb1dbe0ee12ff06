#include "common/kafka/first_appends.h"

#include <gtest/gtest.h>

namespace fanfold::kafka {
namespace {

constexpr Partition kHere{3};
constexpr Partition kThere{4};

std::vector<std::string> Values(const std::vector<FirstAppends::Held>& records) {
  std::vector<std::string> values;
  for (const FirstAppends::Held& record : records) values.push_back(record.value);
  return values;
}

TEST(FirstAppends, OneOfAPartitionGoesAloneUntilItIsAcked) {
  FirstAppends first(true);
  EXPECT_TRUE(first.MaySend(kHere, 0));
  EXPECT_FALSE(first.MaySend(kHere, 0));
  first.Hold({kHere, "k", "second", 1});
  EXPECT_FALSE(first.MaySend(kHere, 0));
  first.Hold({kHere, "k", "third", 2});
  EXPECT_TRUE(first.MaySend(kThere, 0)) << "partitions do not wait for each other";
  EXPECT_EQ(Values(first.Acked(kHere)), (std::vector<std::string>{"second", "third"}));
  EXPECT_TRUE(first.MaySend(kHere, 1));
  EXPECT_TRUE(first.MaySend(kHere, 1));
  EXPECT_FALSE(first.MaySend(kThere, 1));
  EXPECT_TRUE(first.Acked(kHere).empty());
}

TEST(FirstAppends, AfterALongSilenceOneGoesAloneAgain) {
  FirstAppends first(true);
  EXPECT_TRUE(first.MaySend(kHere, 0));
  EXPECT_TRUE(first.Acked(kHere).empty());
  constexpr std::int64_t kStillKnown = FirstAppends::kForgottenMs;
  EXPECT_TRUE(first.MaySend(kHere, kStillKnown));
  EXPECT_TRUE(first.MaySend(kHere, kStillKnown + FirstAppends::kForgottenMs + 1));
  EXPECT_FALSE(first.MaySend(kHere, kStillKnown + FirstAppends::kForgottenMs + 1));
}

TEST(FirstAppends, WhatIsGivenUpIsNotSent) {
  FirstAppends first(true);
  for (const Partition partition : {kHere, kThere}) EXPECT_TRUE(first.MaySend(partition, 0));
  first.Hold({kThere, "k", "v", 8});
  first.Hold({kHere, "k", "v", 7});
  EXPECT_EQ(first.GiveUp(), (std::vector<InFlight::Ticket>{7, 8}));
  EXPECT_TRUE(first.Acked(kHere).empty());
  EXPECT_TRUE(first.GiveUp().empty());
}

TEST(FirstAppends, WhileProducersChangeAllIsHeldAndThenGoesAsOfANewOne) {
  for (const bool alone : {false, true}) {
    FirstAppends first(alone);
    EXPECT_TRUE(first.MaySend(kHere, 0));
    EXPECT_TRUE(first.Acked(kHere).empty());
    first.Pause();
    for (const char* value : {"second", "third"}) {
      EXPECT_FALSE(first.MaySend(kHere, 0));
      first.Hold({kHere, "k", value, 1});
    }
    EXPECT_EQ(Values(first.Restart()), (std::vector<std::string>{"second", "third"}));
    EXPECT_TRUE(first.MaySend(kHere, 0));
    EXPECT_EQ(first.MaySend(kHere, 0), !alone);
  }
}

}  // namespace
}  // namespace fanfold::kafka
