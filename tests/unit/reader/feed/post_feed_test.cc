#include "reader/feed/post_feed.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "common/post/post_outcome.h"
#include "tests/unit/reader/feed/post_deployment.h"

namespace fanfold::reader {
namespace {

constexpr UserId kAuthor{1};

class PostFeedTest : public ::testing::Test {
 protected:
  PostFeedTest() {
    feed_.Start(world_.placement, std::vector<Offset>(PostDeployment::kPartitions));
    const PostStretch gap = NewestOf(kAuthor);
    const Shard shard = world_.placement.ShardOf(kAuthor);
    FilledPosts filled;
    EXPECT_EQ(world_.live.Install(world_.live.NewTicket(kRead), shard, {},
                                  world_.Fetch(shard, std::span(&gap, 1), kNewestHeld), filled),
              ViewState::kAtReader);
  }

  LogRecord Record(std::int64_t event, PostOutcomeKind kind, std::uint64_t post,
                   std::int64_t score) {
    PostOutcome outcome;
    outcome.kind = kind;
    outcome.position = {partition_, Offset(event)};
    if (kind == PostOutcomeKind::kParked) {
      outcome.parked = ParkReason::kMalformed;
    } else {
      outcome.author = kAuthor;
      outcome.post_id = PostId(post);
      outcome.at_ms = 1;
      outcome.score = score;
    }
    return RecordOf(EncodePostOutcome(outcome));
  }
  LogRecord RecordOf(std::string value) {
    LogRecord record;
    record.partition = partition_;
    record.offset = Offset(records_++);
    record.key = "1";
    record.value = values_.emplace_back(std::move(value));
    return record;
  }
  Status Take(const std::vector<LogRecord>& records) { return feed_.Take(records); }

  [[nodiscard]] std::vector<PostPlace> Posts() {
    FilledPosts none;
    std::vector<PostPlace> posts;
    EXPECT_TRUE(world_.live.WhileStanding(kRead, std::span(&kAuthor, 1), none,
                                          [&](std::span<const AuthorRuns> runs) {
                                            const PostRun& newest = *runs[0].newest;
                                            for (std::size_t i = 0; i < newest.size(); ++i)
                                              posts.push_back(newest.At(i));
                                          }));
    return posts;
  }

  PostDeployment world_;
  PostContents contents_{kRoomy, world_.metrics_};
  PostFeed feed_{kOfPosts, world_.live, contents_, world_.metrics_};
  const Partition partition_ = world_.placement.PartitionOf(kAuthor);
  std::int64_t records_ = 0;
  std::deque<std::string> values_;
};

using Kind = PostOutcomeKind;

TEST_F(PostFeedTest, PostsComeAndGoWithTheirOutcomesAndTheOthersMoveThePositionAlone) {
  ASSERT_TRUE(Take({Record(0, Kind::kPosted, 7, 100), Record(1, Kind::kUnchanged, 7, 100),
                    Record(2, Kind::kParked, 0, 0), Record(3, Kind::kPosted, 8, 90)}));
  EXPECT_EQ(Posts(), (std::vector<PostPlace>{{90, PostId(8)}, {100, PostId(7)}}));
  EXPECT_EQ(feed_.position().Next(partition_), Offset(4));
  ASSERT_TRUE(Take({Record(4, Kind::kPostDeleted, 7, 100)}));
  EXPECT_EQ(Posts(), (std::vector<PostPlace>{{90, PostId(8)}}));
}

TEST_F(PostFeedTest, WhatADeletedPostSaidIsForgotten) {
  const FeedKey key(kAuthor, {100, PostId(7)});
  contents_.Put(contents_.NewTicket(), key, std::make_shared<const PostContent>());
  ASSERT_TRUE(Take({Record(0, Kind::kPosted, 7, 100)}));
  EXPECT_NE(contents_.Find(std::span(&key, 1)).front(), nullptr);
  ASSERT_TRUE(Take({Record(1, Kind::kPostDeleted, 7, 100)}));
  EXPECT_EQ(contents_.Find(std::span(&key, 1)).front(), nullptr);
}

TEST_F(PostFeedTest, ARepeatIsDropped) {
  ASSERT_TRUE(Take({Record(0, Kind::kPosted, 7, 100), Record(1, Kind::kPostDeleted, 7, 100),
                    Record(0, Kind::kPosted, 7, 100)}));
  EXPECT_TRUE(Posts().empty());
  EXPECT_EQ(feed_.position().Next(partition_), Offset(2));
}

TEST_F(PostFeedTest, AGapLosesThePlace) {
  const Status taken = Take({Record(0, Kind::kPosted, 7, 100), Record(2, Kind::kPosted, 8, 100)});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kOutOfRange);
}

TEST_F(PostFeedTest, WhatCannotBeReadIsPassedOver) {
  ASSERT_TRUE(Take({RecordOf("{}"), Record(0, Kind::kPosted, 7, 100), RecordOf("{}")}));
  EXPECT_EQ(feed_.position().Next(partition_), Offset(1));
}

TEST_F(PostFeedTest, WhatCannotBeReadInThePlaceOfTheNextLosesThePlaceAtTheGap) {
  ASSERT_TRUE(Take({RecordOf("{}")}));
  const Status taken = Take({Record(1, Kind::kPosted, 7, 100)});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace fanfold::reader
