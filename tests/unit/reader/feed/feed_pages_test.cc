#include "reader/feed/feed_pages.h"

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/reader/feed/post_deployment.h"

namespace fanfold::reader {
namespace {

std::string Says(const FeedKey& key) {
  return fmt::format("{} of {}", key.post.value, key.author.value);
}

class PostTables final : public PostSource {
 public:
  explicit PostTables(PostDeployment& world) : world_(world) {}

  std::function<void()> before_contents = [] {};  // the next statement of contents
  Status answers;
  std::vector<Shard> asked_contents;

  Result<FetchedRuns> Fetch(Shard shard, Generation, std::span<const PostStretch> gaps,
                            std::size_t posts) override {
    return FetchedRuns{world_.View(shard), world_.Fetch(shard, gaps, posts)};
  }
  Result<FetchedContents> Contents(Shard shard, Generation,
                                   std::span<const FeedKey> keys) override {
    asked_contents.push_back(shard);
    std::exchange(before_contents, [] {})();
    if (!answers) return Forward(answers);
    FetchedContents fetched{world_.View(shard), {}};
    for (const FeedKey& key : keys) {
      EXPECT_EQ(world_.placement.ShardOf(key.author), shard);
      fetched.contents.push_back(
          world_.IsInTables(key) ? std::optional(PostContent{key.score, Says(key)}) : std::nullopt);
    }
    return fetched;
  }

 private:
  PostDeployment& world_;
};

class FeedPagesTest : public ::testing::Test {
 protected:
  FeedPagesTest() {
    for (std::uint64_t author = 1; author <= 9; ++author) {
      authors_.emplace_back(author);
      for (std::uint64_t post = 1; post <= 40; ++post) {
        world_.Append(Posted(author, static_cast<std::int64_t>(post), post));
      }
    }
    world_.FoldAll();
    world_.ReadAll();
  }

  static constexpr std::int64_t kHourMs = 3'600'000;

  Result<ToldPage> Ask(std::size_t limit, std::int64_t wait_ms = kHourMs) {
    FeedPages pages(world_.live, contents_, tables_, world_.placement, kRead, wait_ms);
    return pages.Ask(authors_, [&](auto runs) { return MergeFeed(runs, {.limit = limit}); });
  }
  static void ExpectAll(const Result<ToldPage>& told, const std::vector<FeedKey>& feed,
                        std::size_t limit) {
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_EQ(told->page.keys, PageOf(feed, {.limit = limit}).keys);
    ASSERT_EQ(told->contents.size(), told->page.keys.size());
    for (std::size_t i = 0; i < told->contents.size(); ++i) {
      const FeedKey& key = told->page.keys[i];
      ASSERT_NE(told->contents[i], nullptr);
      EXPECT_EQ(*told->contents[i], (PostContent{key.score, Says(key)}));
    }
  }
  void DeleteNewestOf(std::uint64_t author) {
    world_.Append(Deleted(author, 40));
    world_.FoldAll();
  }

  PostDeployment world_;
  PostContents contents_{kRoomy, world_.metrics_};
  PostTables tables_{world_};
  std::vector<UserId> authors_;
};

TEST_F(FeedPagesTest, ContentsAreAskedOnceAShardAndHeld) {
  ExpectAll(Ask(20), world_.FeedAtReader(authors_), 20);
  EXPECT_EQ(tables_.asked_contents, (std::vector<Shard>{Shard(0), Shard(1)}));
  ExpectAll(Ask(20), world_.FeedAtReader(authors_), 20);
  EXPECT_EQ(tables_.asked_contents.size(), 2U);
}

TEST_F(FeedPagesTest, WhereADeletionIsMetThePageIsMadeAgainPastIt) {
  std::thread follower;
  tables_.before_contents = [&] {
    DeleteNewestOf(9);
    follower = std::thread([&] { world_.ReadAll(); });
  };
  const Result<ToldPage> told = Ask(20);
  follower.join();
  ExpectAll(told, world_.FeedAtReader(authors_), 20);
  EXPECT_FALSE(told->as_tables_are);
}

TEST_F(FeedPagesTest, ADeletionThatTheReaderHadPassedMeanwhileIsNoLag) {
  tables_.before_contents = [&] {
    DeleteNewestOf(9);
    world_.Append(Posted(9, 5, 500));
    world_.ReadAll();
  };
  const Result<ToldPage> told = Ask(20);
  ExpectAll(told, world_.FeedAtReader(authors_), 20);
  EXPECT_FALSE(told->as_tables_are);
}

TEST_F(FeedPagesTest, TablesThatDoNotKnowAPostYetAnswerThemselves) {
  ASSERT_TRUE(Ask(20));
  world_.Append(Posted(9, 50, 500));
  world_.ReadAll();
  const Result<ToldPage> told = Ask(20);
  ExpectAll(told, world_.FeedOfTables(authors_), 20);
  EXPECT_TRUE(told->as_tables_are);
}

TEST_F(FeedPagesTest, WhereTheReaderDoesNotComeToADeletionItIsSaid) {
  ASSERT_TRUE(Ask(1));
  DeleteNewestOf(8);
  const Result<ToldPage> told = Ask(20, /*wait_ms=*/1);
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::kUnavailable);
  EXPECT_LE(tables_.asked_contents.size(), 2 * FeedPages::kTriesMax + 2);
}

TEST_F(FeedPagesTest, ASourceThatFailsFailsThePage) {
  tables_.answers = Fail(ErrorCode::kTimeout, "slow");
  const Result<ToldPage> told = Ask(20);
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace fanfold::reader
