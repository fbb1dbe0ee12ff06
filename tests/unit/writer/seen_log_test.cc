#include "writer/seen_log.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/memory_log.h"

namespace fanfold::writer {
namespace {

constexpr Partition kZero(0);

class SeenLogTest : public ::testing::TestWithParam<Topic> {
 protected:
  void Put(std::size_t records, const std::string& value = "ours") {
    for (std::size_t i = 0; i < records; ++i) log_.Put(GetParam(), kZero, "1", value);
  }
  void Replace(std::size_t records, const std::string& value) {
    log_.Records(GetParam(), kZero).clear();
    Put(records, value);
  }
  ErrorCode Look() {
    const Status same = seen_.Look();
    return same ? ErrorCode() : same.error().code;
  }

  testing::MemoryLog log_{2};
  SeenLog seen_{log_, 2};
};

TEST_P(SeenLogTest, GrowsAndIsTheSame) {
  EXPECT_EQ(Look(), ErrorCode()) << "it is empty";
  for (int look = 0; look < 3; ++look) {
    Put(2);
    EXPECT_EQ(Look(), ErrorCode());
  }
}

TEST_P(SeenLogTest, AnotherInItsPlaceIsRefused) {
  for (const std::size_t records : {0U, 3U, 5U, 9U}) {
    SCOPED_TRACE(records);
    SeenLog seen(log_, 2);
    Replace(3, "ours");
    ASSERT_TRUE(seen.Look());
    Put(2);
    ASSERT_TRUE(seen.Look());
    Replace(records, "theirs");
    const Status same = seen.Look();
    ASSERT_FALSE(same);
    EXPECT_EQ(same.error().code, ErrorCode::kRefused);
    EXPECT_NE(same.error().message.find("0 no longer has the record at 4"), std::string::npos);
  }
}

TEST_P(SeenLogTest, ItsLastRecordIsMissed) {
  Put(3);
  ASSERT_EQ(Look(), ErrorCode());
  Put(2);
  ASSERT_EQ(Look(), ErrorCode());
  log_.Records(GetParam(), kZero).pop_back();
  EXPECT_EQ(Look(), ErrorCode::kRefused);
}

TEST_P(SeenLogTest, ALogThatIsAwayIsAskedForAgain) {
  Put(3);
  ASSERT_EQ(Look(), ErrorCode());
  log_.BeAway(true);
  EXPECT_EQ(Look(), ErrorCode());
  log_.BeAway(false);
  Replace(1, "theirs");
  EXPECT_EQ(Look(), ErrorCode::kRefused);
}

// What it knew is what tells the other one.
TEST_P(SeenLogTest, WhatDoesNotAnswerIsNotForgotten) {
  constexpr int kPollsOfALook = MarkReader::kWaitMs / 100;
  Put(3);
  ASSERT_EQ(Look(), ErrorCode());
  Replace(9, "theirs");
  log_.BeSilent(kPollsOfALook);
  EXPECT_EQ(Look(), ErrorCode());
  EXPECT_EQ(Look(), ErrorCode::kRefused);
}

INSTANTIATE_TEST_SUITE_P(Topics, SeenLogTest,
                         ::testing::Values(topics::kRelationOutcomes, topics::kPostOutcomes));

}  // namespace
}  // namespace fanfold::writer
