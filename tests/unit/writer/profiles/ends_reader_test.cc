#include "writer/profiles/ends_reader.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <semaphore>
#include <vector>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

class EndsReaderTest : public ::testing::Test {
 protected:
  // The answers of all who asked, in their order.
  struct Answers {
    std::mutex mutex;
    std::vector<Result<StreamEnds>> told;
    [[nodiscard]] std::size_t size() {
      const std::lock_guard lock(mutex);
      return told.size();
    }
  };

  EndsReader::Told Keep() {
    return [this](const Result<StreamEnds>& ends) {
      const std::lock_guard lock(answers_.mutex);
      answers_.told.push_back(ends);
    };
  }

  // The streams of a reading are asked for at once; none is answered before Release.
  static constexpr int kStreams = kErasedStreams.size();
  void Hold() {
    log_.on_bounds = [this] {
      ++asked_;
      reading_.acquire();
    };
  }
  void Release(std::ptrdiff_t readings) { reading_.release(readings * kStreams); }

  FakeLog log_;
  std::counting_semaphore<> reading_{0};
  std::atomic<int> asked_ = 0;
  Answers answers_;
};

TEST_F(EndsReaderTest, TellsTheEndOfEachPartition) {
  EndsReader reader(log_, log_.partitions);
  reader.Ask(Keep(), nullptr);
  ASSERT_TRUE(Eventually([&] { return answers_.size() == 1; }));
  const Result<StreamEnds>& ends = answers_.told[0];
  ASSERT_TRUE(ends.has_value()) << ends.error().message;
  EXPECT_EQ((*ends)[streams::kRelations],
            (std::vector{Offset(100), Offset(101), Offset(102), Offset(103)}));
  EXPECT_EQ((*ends)[streams::kPosts], (*ends)[streams::kRelations]);
  EXPECT_TRUE((*ends)[streams::kUsers].empty());
}

TEST_F(EndsReaderTest, TellsThatTheyAreNotKnown) {
  log_.SetAway(true);
  EndsReader reader(log_, log_.partitions);
  reader.Ask(Keep(), nullptr);
  ASSERT_TRUE(Eventually([&] { return answers_.size() == 1; }));
  EXPECT_EQ(answers_.told[0].error().code, ErrorCode::kUnavailable);
  EXPECT_NE(answers_.told[0].error().message.find("relation-events"), std::string::npos);
}

// Everything that a caller saw in the log before asking has to lie below the ends it is told.
TEST_F(EndsReaderTest, AReadingThatHadBegunIsNotHisWhoAsksMeanwhile) {
  Hold();
  EndsReader reader(log_, log_.partitions);
  reader.Ask(Keep(), nullptr);
  ASSERT_TRUE(Eventually([&] { return asked_ == kStreams; }));
  reader.Ask(Keep(), nullptr);
  reader.Ask(Keep(), nullptr);
  Release(1);
  ASSERT_TRUE(Eventually([&] { return asked_ == 2 * kStreams; }));
  EXPECT_EQ(answers_.size(), 1U);
  log_.Grow(7);
  Release(1);
  ASSERT_TRUE(Eventually([&] { return answers_.size() == 3; }));
  EXPECT_EQ(asked_, 2 * kStreams) << "one reading for both";
  EXPECT_EQ((*answers_.told[2])[streams::kRelations][0], Offset(107));
}

TEST_F(EndsReaderTest, MoreThanMayWaitAreRefusedAtOnce) {
  Hold();
  EndsReader reader(log_, log_.partitions);
  reader.Ask(Keep(), nullptr);
  ASSERT_TRUE(Eventually([&] { return asked_ == kStreams; }));
  for (std::size_t i = 0; i < EndsReader::kWaitingMax; ++i) reader.Ask(Keep(), nullptr);
  EXPECT_EQ(answers_.size(), 0U);
  reader.Ask(Keep(), nullptr);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_.told[0].error().code, ErrorCode::kOverloaded);
  Release(2);
  ASSERT_TRUE(Eventually([&] { return answers_.size() == EndsReader::kWaitingMax + 2; }));
}

TEST_F(EndsReaderTest, OneConnectionHasAsManyAsMayWaitOfACaller) {
  Hold();
  EndsReader reader(log_, log_.partitions);
  const auto caller = std::make_shared<Caller>();
  for (int i = 0; i < Caller::kWaitsMax; ++i) reader.Ask(Keep(), caller);
  EXPECT_EQ(answers_.size(), 0U);
  reader.Ask(Keep(), caller);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_.told[0].error().code, ErrorCode::kOverloaded);
  reader.Ask(Keep(), std::make_shared<Caller>());
  EXPECT_EQ(answers_.size(), 1U);
  Release(3);
  ASSERT_TRUE(Eventually([&] { return answers_.size() == Caller::kWaitsMax + 2; }));
  ASSERT_TRUE(Eventually([&] { return caller->TakePlace() != nullptr; })) << "places come back";
}

TEST_F(EndsReaderTest, StoppingTellsThoseWhoWait) {
  {
    EndsReader reader(log_, log_.partitions);
    for (int i = 0; i < 3; ++i) reader.Ask(Keep(), nullptr);
  }
  EXPECT_EQ(answers_.size(), 3U);
}

}  // namespace
}  // namespace fanfold::writer
