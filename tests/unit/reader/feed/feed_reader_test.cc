#include "reader/feed/feed_reader.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "tests/unit/reader/feed/post_deployment.h"

namespace fanfold::reader {
namespace {

// The deployment's tables, of which each statement is counted.
class Tables final : public RunSource {
 public:
  explicit Tables(PostDeployment& world) : world_(world) {}

  std::function<void()> before = [] {};  // each statement
  std::function<void()> after = [] {};
  Status answers;
  int statements = 0;
  std::size_t asked = 0;  // posts, of all
  bool rewound = false;

  Result<FetchedRuns> Fetch(Shard shard, Generation generation, std::span<const PostStretch> gaps,
                            std::size_t posts) override {
    ++statements;
    asked += posts * gaps.size();
    EXPECT_EQ(generation, kRead);
    EXPECT_LE(posts, FeedReader::kPostsMax);
    for (const PostStretch& gap : gaps) EXPECT_EQ(world_.placement.ShardOf(gap.author), shard);
    before();
    if (!answers) return Forward(answers);
    FetchedRuns fetched{world_.View(shard), world_.Fetch(shard, gaps, posts)};
    for (PostLanes::Lane& lane : fetched.view.lanes) lane.rewound = rewound;
    after();
    return fetched;
  }

 private:
  PostDeployment& world_;
};

class FeedReaderTest : public ::testing::Test {
 protected:
  FeedReaderTest() {
    for (std::uint64_t author = 1; author <= 9; ++author) {
      authors_.emplace_back(author);
      for (std::uint64_t post = 1; post <= 100; ++post) {
        world_.Append(Posted(author, static_cast<std::int64_t>(post), post));
      }
    }
    world_.FoldAll();
    world_.ReadAll();
  }

  static constexpr std::int64_t kHourMs = 3'600'000;

  FeedReader NewReader(std::int64_t wait_ms = kHourMs) {
    return {world_.live, tables_, world_.placement, kRead, wait_ms};
  }
  static Result<FeedPage> Ask(FeedReader& reader, const std::vector<UserId>& authors,
                              const FeedQuery& query) {
    return reader.Ask(authors, [&](auto runs) { return MergeFeed(runs, query); });
  }
  // Answered as the feed where the reader stands.
  void ExpectAtReader(const FeedQuery& query) {
    FeedReader reader = NewReader();
    const Result<FeedPage> page = Ask(reader, authors_, query);
    ASSERT_TRUE(page);
    EXPECT_FALSE(reader.as_tables_are());
    EXPECT_EQ(page->keys, PageOf(world_.FeedAtReader(authors_), query).keys);
  }

  PostDeployment world_;
  Tables tables_{world_};
  std::vector<UserId> authors_;
};

TEST_F(FeedReaderTest, FetchesOnceAShardAndThenAnswersFromMemory) {
  ExpectAtReader({.limit = 20});
  EXPECT_EQ(tables_.statements, kShape.shards);
  ExpectAtReader({.limit = 200});
  ExpectAtReader({.limit = 20});
  world_.Append(Posted(3, 1'000, 1'000));
  world_.ReadAll();
  const int before = tables_.statements;
  ExpectAtReader({.limit = 20});
  EXPECT_EQ(tables_.statements, before);
}

// All 900 posts are read page by page; who had the page before has most of the next one.
TEST_F(FeedReaderTest, DeepPagesTakeFewStatements) {
  FeedQuery query{.limit = 20};
  std::vector<FeedKey> walked;
  for (;;) {
    FeedReader reader = NewReader();
    const Result<FeedPage> page = Ask(reader, authors_, query);
    ASSERT_TRUE(page);
    walked.insert(walked.end(), page->keys.begin(), page->keys.end());
    if (!page->has_older) break;
    query.cursor = page->keys.back();
  }
  EXPECT_EQ(walked, world_.FeedAtReader(authors_));
  EXPECT_LE(tables_.statements, 60);
}

// Of many authors one post each: what the page is made of is then asked of few.
TEST_F(FeedReaderTest, OfManyAuthorsTheNewestComeFirst) {
  constexpr std::uint64_t kMany = 300;
  authors_.clear();
  for (std::uint64_t author = 10; author < 10 + kMany; ++author) {
    authors_.emplace_back(author);
    for (std::uint64_t post = 1; post <= 40; ++post) {
      world_.Append(
          Posted(author, static_cast<std::int64_t>(author * 7 + post * 300) % 9'973, post));
    }
  }
  world_.FoldAll();
  world_.ReadAll();
  constexpr std::size_t kPage = 21;  // one more than is told
  ExpectAtReader({.cursor = FeedKey(UserId(50), {5'000, PostId(3)}), .limit = kPage - 1});
  EXPECT_LE(tables_.statements, 3 * kShape.shards);
  EXPECT_LE(tables_.asked, 2 * kMany + kPage * kNewestHeld) << "the newest, and those below";
  tables_.asked = tables_.statements = 0;
  ExpectAtReader({.limit = kPage - 1});
  EXPECT_LE(tables_.statements, kShape.shards);
  EXPECT_LE(tables_.asked, kPage * kNewestHeld);
  FeedReader reader = NewReader();
  const FeedKey since(UserId(50), {9'000, PostId(3)});
  const auto unread = reader.Ask(authors_, [&](auto runs) { return CountUnread(runs, since); });
  ASSERT_TRUE(unread);
  const std::vector<FeedKey> feed = world_.FeedAtReader(authors_);
  EXPECT_EQ(unread->count,
            std::min(kUnreadMax, static_cast<std::size_t>(std::ranges::count_if(
                                     feed, [&](const FeedKey& key) { return key > since; }))));
}

TEST_F(FeedReaderTest, WaitsForTheReaderWhereTheTablesAreAhead) {
  for (std::uint64_t author = 1; author <= 9; ++author) world_.Append(Posted(author, 500, 500));
  world_.FoldAll();
  std::thread follower([&] { world_.ReadAll(); });
  FeedReader reader = NewReader();
  const Result<FeedPage> page = Ask(reader, authors_, {.limit = 9});
  follower.join();
  ASSERT_TRUE(page);
  EXPECT_FALSE(reader.as_tables_are());
  EXPECT_EQ(page->keys, PageOf(world_.FeedAtReader(authors_), {.limit = 9}).keys);
}

TEST_F(FeedReaderTest, WhereTheReaderDoesNotComeTheTablesAnswer) {
  world_.Append(Posted(1, 500, 500));
  world_.FoldAll();
  FeedReader reader = NewReader(/*wait_ms=*/1);
  const Result<FeedPage> page = Ask(reader, authors_, {.limit = 1});
  ASSERT_TRUE(page);
  EXPECT_TRUE(reader.as_tables_are());
  EXPECT_EQ(page->keys.front().score, 500);
}

TEST_F(FeedReaderTest, WithoutAPositionTheTablesAnswerAllPages) {
  world_.live.Stop();
  FeedQuery query{.limit = 150};
  std::vector<FeedKey> walked;
  for (;;) {
    FeedReader reader = NewReader();
    const Result<FeedPage> page = Ask(reader, authors_, query);
    ASSERT_TRUE(page);
    EXPECT_TRUE(reader.as_tables_are());
    walked.insert(walked.end(), page->keys.begin(), page->keys.end());
    if (!page->has_older) break;
    query.cursor = page->keys.back();
  }
  EXPECT_EQ(walked, world_.FeedAtReader(authors_));
}

TEST_F(FeedReaderTest, RowsOfNoOnePositionAreAnsweredAsTheyAre) {
  tables_.rewound = true;
  FeedReader reader = NewReader();
  EXPECT_TRUE(Ask(reader, authors_, {.limit = 20}));
  EXPECT_TRUE(reader.as_tables_are());
}

TEST_F(FeedReaderTest, WhatIsMendedMeanwhileIsReadAgain) {
  tables_.after = [&] {
    if (tables_.statements != 1) return;
    world_.live.Repaired(world_.placement.ShardOf(UserId(1)),
                         {++world_.repair_mark, kOfPosts, kRead, UserId(1)});
  };
  ExpectAtReader({.limit = 20});
}

TEST_F(FeedReaderTest, AReplicaThatLacksARepairAnswersAsItIs) {
  for (const Shard shard : {Shard(0), Shard(1)}) {
    world_.live.Repaired(shard, {1, kOther, kRead, UserId(1)});
  }
  FeedReader reader = NewReader();
  EXPECT_TRUE(Ask(reader, authors_, {.limit = 20}));
  EXPECT_TRUE(reader.as_tables_are());
  EXPECT_LE(tables_.statements, 6);
}

TEST_F(FeedReaderTest, TablesThatMoveBetweenStatementsAreReadAnew) {
  world_.live.Stop();
  // The second statement of a shard finds another position, and a post that the first one missed.
  const auto post_more = [&] {
    world_.Append(Posted(1, 50, 600U + static_cast<std::uint64_t>(tables_.statements)));
    world_.FoldAll();
  };
  tables_.before = [&] {
    if (tables_.statements == kShape.shards + 1) post_more();
  };
  const FeedQuery query{.limit = 200 * 9};
  FeedReader reader = NewReader();
  const Result<FeedPage> page = Ask(reader, authors_, query);
  ASSERT_TRUE(page);
  world_.ReadAll();
  EXPECT_EQ(page->keys, world_.FeedAtReader(authors_));

  // Below what one statement tells: each start takes two.
  for (std::uint64_t post = 0; post < 2 * FeedReader::kPostsMax; ++post) {
    world_.Append(Posted(1, 1'000, 10'000 + post));
  }
  tables_.before = post_more;
  tables_.statements = 0;
  FeedReader hopeless = NewReader();
  const Result<FeedPage> none =
      Ask(hopeless, authors_, {.cursor = FeedKey(UserId(1), {60, PostId(1)})});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
  EXPECT_LE(tables_.statements, 4 * FeedReader::kStartsMax);
}

TEST_F(FeedReaderTest, ASourceThatFailsFailsTheAnswer) {
  tables_.answers = Fail(ErrorCode::kTimeout, "slow");
  FeedReader reader = NewReader();
  const Result<FeedPage> page = Ask(reader, authors_, {.limit = 20});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kTimeout);
  world_.live.Stop();
  FeedReader of_tables = NewReader();
  EXPECT_EQ(Ask(of_tables, authors_, {.limit = 20}).error().code, ErrorCode::kTimeout);
}

class RandomAnswers : public RandomPosts {
 public:
  using RandomPosts::RandomPosts;

  void Check() {
    const FeedQuery query = SomeQuery();
    FeedReader reader(world_.live, tables_, world_.placement, kRead, /*wait_ms=*/0);
    const auto step = [&] {
      while (!reader.as_tables_are() && Below(4) == 0) StepOn();
    };
    tables_.before = step;
    tables_.after = step;
    const Result<FeedPage> page =
        reader.Ask(authors_, [&](auto runs) { return MergeFeed(runs, query); });
    ASSERT_TRUE(page);
    const FeedPage naive = PageOf(
        reader.as_tables_are() ? world_.FeedOfTables(authors_) : world_.FeedAtReader(authors_),
        query);
    ASSERT_EQ(page->keys, naive.keys);
    ASSERT_EQ(page->has_newer, naive.has_newer);
    ASSERT_EQ(page->has_older, naive.has_older);
    (reader.as_tables_are() ? as_tables_are : at_reader) += 1;
  }
  int as_tables_are = 0;
  int at_reader = 0;

 private:
  Tables tables_{world_};
};

TEST(FeedReaderHistory, EveryAnswerIsTheFeedWhereTheReaderOrTheTablesStand) {
  int as_tables_are = 0;
  int at_reader = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    constexpr std::size_t kBytes[] = {0, 900, kRoomy};
    constexpr std::size_t kRecent[] = {700, kRoomy};
    RandomAnswers answers(seed, {kBytes[seed % 3], kRecent[seed % 2]});
    for (int step = 0; step < 250; ++step) {
      answers.StepOn();
      ASSERT_NO_FATAL_FAILURE(answers.Check());
    }
    as_tables_are += answers.as_tables_are;
    at_reader += answers.at_reader;
  }
  EXPECT_GT(as_tables_are, 1'000);
  EXPECT_GT(at_reader, 1'000);
}

}  // namespace
}  // namespace fanfold::reader
