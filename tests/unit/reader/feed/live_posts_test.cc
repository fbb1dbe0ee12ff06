#include "reader/feed/live_posts.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/reader/feed/post_deployment.h"

namespace fanfold::reader {
namespace {

std::vector<UserId> AuthorsOf(std::span<const FetchedRun> fetched) {
  std::vector<UserId> authors;
  for (const FetchedRun& one : fetched) authors.push_back(one.author);
  return authors;
}

class LivePostsTest : public ::testing::Test {
 protected:
  // The author whose runs are fetched.
  static constexpr UserId kAuthor{1};

  [[nodiscard]] Shard ShardOf(UserId author) const { return world_.placement.ShardOf(author); }
  std::vector<FetchedRun> FetchNewest(UserId author = kAuthor) {
    const PostStretch gap = NewestOf(author);
    return world_.Fetch(ShardOf(author), std::span(&gap, 1), kNewestHeld);
  }
  ViewState Install(const LivePosts::Ticket& ticket, const PostLanes& view,
                    std::span<const FetchedRun> fetched) {
    return world_.live.Install(ticket, ShardOf(kAuthor), view, fetched, filled_);
  }
  // The posts of the author as an answer sees them; nothing where it must fetch.
  std::optional<std::size_t> Known(FilledPosts& filled, UserId author = kAuthor) {
    std::optional<std::size_t> posts;
    const bool stands = world_.live.WhileStanding(kRead, std::span(&author, 1), filled,
                                                  [&](std::span<const AuthorRuns> runs) {
                                                    if (runs[0].newest != nullptr)
                                                      posts = runs[0].newest->size();
                                                  });
    EXPECT_TRUE(stands);
    return posts;
  }
  std::optional<std::size_t> Held(UserId author = kAuthor) {
    FilledPosts none;
    return Known(none, author);
  }

  PostDeployment world_;
  FilledPosts filled_;
};

TEST_F(LivePostsTest, WhatIsFetchedIsBroughtToTheReader) {
  world_.Append(Posted(1, 5, 50));
  world_.Append(Posted(1, 6, 60));
  world_.Append(kAuthor, std::nullopt);
  world_.Append(Deleted(1, 50));
  world_.Append(Posted(1, 7, 70));
  world_.Fold(static_cast<std::size_t>(world_.placement.PartitionOf(kAuthor).value), 2);
  world_.ReadAll();
  const auto ticket = world_.live.NewTicket(kRead);
  EXPECT_EQ(Install(ticket, world_.View(ShardOf(kAuthor)), FetchNewest()), ViewState::kAtReader);
  EXPECT_EQ(Held(), 2U);
  world_.Append(Posted(1, 8, 80));
  world_.ReadAll();
  EXPECT_EQ(Held(), 3U);
}

TEST_F(LivePostsTest, AViewAheadOfTheReaderIsWaitedFor) {
  world_.Append(Posted(1, 5, 50));
  world_.FoldAll();
  const auto ticket = world_.live.NewTicket(kRead);
  const PostLanes view = world_.View(ShardOf(kAuthor));
  const std::vector<FetchedRun> fetched = FetchNewest();
  EXPECT_EQ(Install(ticket, view, fetched), ViewState::kAhead);
  EXPECT_EQ(Held(), std::nullopt);
  std::thread reader([&] { world_.ReadAll(); });
  EXPECT_TRUE(world_.live.WaitForReader(view, AuthorsOf(fetched), 3'600'000));
  reader.join();
  EXPECT_EQ(Install(ticket, view, fetched), ViewState::kAtReader);
  EXPECT_EQ(Held(), 1U);
}

TEST_F(LivePostsTest, WhereTheReaderStandsNobodyWaitsAgainUntilHeMoves) {
  world_.Append(Posted(1, 5, 50));
  world_.Append(Posted(1, 6, 60));
  world_.FoldAll();
  const PostLanes view = world_.View(ShardOf(kAuthor));
  const std::vector<FetchedRun> fetched = FetchNewest();
  EXPECT_FALSE(world_.live.WaitForReader(view, AuthorsOf(fetched), LivePosts::kStoodMs));
  EXPECT_FALSE(world_.live.WaitForReader(view, AuthorsOf(fetched), 3'600'000))
      << "it would take an hour";
  world_.Read(static_cast<std::size_t>(world_.placement.PartitionOf(kAuthor).value), 1);
  EXPECT_FALSE(world_.live.WaitForReader(view, AuthorsOf(fetched), 1));
  world_.ReadAll();
  EXPECT_TRUE(world_.live.WaitForReader(view, AuthorsOf(fetched), 0));
}

TEST_F(LivePostsTest, AViewFromBeforeTheRecentOutcomesIsNotHeld) {
  world_.Append(Posted(1, 5, 50));
  const PostLanes old = world_.View(ShardOf(kAuthor));
  const std::vector<FetchedRun> fetched = FetchNewest();
  world_.FoldAll();
  world_.ReadAll();
  for (std::size_t p = 0; p < PostDeployment::kPartitions; ++p) world_.Trim(p);
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), old, fetched), ViewState::kBelowFloor);
  EXPECT_EQ(Held(), std::nullopt);
}

TEST_F(LivePostsTest, RowsOfNoOnePositionAreNotHeld) {
  world_.Append(Posted(1, 5, 50));
  world_.FoldAll();
  world_.ReadAll();
  PostLanes view = world_.View(ShardOf(kAuthor));
  for (PostLanes::Lane& lane : view.lanes) lane.rewound = true;
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), view, FetchNewest()), ViewState::kRewound);
}

struct Drop {
  const char* name;
  void (*drop)(LivePosts& live, Shard shard);
};
void PrintTo(const Drop& drop, std::ostream* out) { *out << drop.name; }

class LivePostsDrops : public LivePostsTest, public ::testing::WithParamInterface<Drop> {};

// Held, filled in by an answer under way, or fetched by it: it is asked for again.
TEST_P(LivePostsDrops, WhatWasReadBeforeIsOfNoUseAnyMore) {
  world_.Append(Posted(1, 5, 50));
  world_.FoldAll();
  world_.ReadAll();
  const auto ticket = world_.live.NewTicket(kRead);
  const PostLanes view = world_.View(ShardOf(kAuthor));
  const std::vector<FetchedRun> fetched = FetchNewest();
  ASSERT_EQ(Install(ticket, view, fetched), ViewState::kAtReader);
  ASSERT_EQ(Known(filled_), 1U);
  GetParam().drop(world_.live, ShardOf(kAuthor));
  EXPECT_EQ(Held(), std::nullopt);
  EXPECT_EQ(Known(filled_), std::nullopt);
  EXPECT_EQ(Install(ticket, view, fetched), ViewState::kStale);
  EXPECT_EQ(Held(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    All, LivePostsDrops,
    ::testing::Values(Drop{"Shard", [](LivePosts& live, Shard shard) { live.DropShard(shard); }},
                      Drop{"Restored", [](LivePosts& live, Shard shard) { live.Restored(shard); }},
                      Drop{"Repaired",
                           [](LivePosts& live, Shard shard) {
                             live.Repaired(shard, {1, kOfPosts, kRead, UserId(1)});
                           }},
                      Drop{"AnotherGenerationAndBack",
                           [](LivePosts& live, Shard) {
                             ReadGenerations read;
                             read[kOfPosts] = Generation(2);
                             live.SetRead(read);
                             live.SetRead({});
                           }}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(LivePostsTest, ARepairOfOtherRowsLeavesWhatIsHeldAndMakesOldViewsStale) {
  world_.Append(Posted(1, 5, 50));
  world_.FoldAll();
  world_.ReadAll();
  PostLanes view = world_.View(ShardOf(kAuthor));
  ASSERT_EQ(Install(world_.live.NewTicket(kRead), view, FetchNewest()), ViewState::kAtReader);
  world_.live.Repaired(ShardOf(kAuthor), {7, kOther, kRead, kAuthor});
  EXPECT_EQ(Held(), 1U);
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), view, FetchNewest()), ViewState::kStale);
  world_.live.Restored(ShardOf(kAuthor));
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), view, FetchNewest()), ViewState::kAtReader)
      << "older tables need not have had the repair";
  world_.live.Repaired(ShardOf(kAuthor), {7, kOther, kRead, kAuthor});
  view.repair_mark = 7;
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), view, FetchNewest()), ViewState::kAtReader);
}

TEST_F(LivePostsTest, WithoutAPositionNothingIsAnswered) {
  const UserId author = kAuthor;
  const auto answers = [&](Generation generation) {
    return world_.live.WhileStanding(generation, std::span(&author, 1), filled_,
                                     [](std::span<const AuthorRuns>) {});
  };
  EXPECT_TRUE(answers(kRead));
  EXPECT_FALSE(answers(Generation(2)));
  EXPECT_EQ(Install(world_.live.NewTicket(Generation(2)), {}, FetchNewest()), ViewState::kStale);
  world_.live.Stop();
  EXPECT_FALSE(answers(kRead));
  EXPECT_EQ(Install(world_.live.NewTicket(kRead), world_.View(ShardOf(kAuthor)), FetchNewest()),
            ViewState::kBelowFloor);
  world_.StartAgain();
  EXPECT_TRUE(answers(kRead));
}

TEST_F(LivePostsTest, WhatAnAnswerFilledInMovesWithTheReader) {
  LivePosts bare(kOfPosts, kShape.shards, {0, kRoomy}, world_.metrics_);
  bare.Start(world_.placement, std::vector<Offset>(PostDeployment::kPartitions));
  const std::vector<FetchedRun> fetched = FetchNewest();
  ASSERT_EQ(bare.Install(bare.NewTicket(kRead), ShardOf(kAuthor), {}, fetched, filled_),
            ViewState::kAtReader);
  const Position at{world_.placement.PartitionOf(kAuthor), Offset(0)};
  bare.Advance(std::vector<ToldPost>{{at, Posted(1, 5, 50)}});
  const UserId author = kAuthor;
  std::size_t posts = 0;
  const auto look = [&](std::span<const AuthorRuns> runs) { posts = runs[0].newest->size(); };
  EXPECT_TRUE(bare.WhileStanding(kRead, std::span(&author, 1), filled_, look));
  EXPECT_EQ(posts, 1U);
}

class AnswersFilledStepByStep : public RandomPosts {
 public:
  using RandomPosts::RandomPosts;

  void Check() {
    const FeedQuery query = SomeQuery();
    FilledPosts filled;
    FeedPage page;
    FeedPage naive;
    for (std::size_t asked = 1 + Below(4);; asked *= 2) {
      ASSERT_TRUE(world_.live.WhileStanding(kRead, authors_, filled,
                                            [&](auto runs) { page = MergeFeed(runs, query); }));
      naive = PageOf(world_.FeedAtReader(authors_), query);
      if (page.gaps.empty()) break;
      for (const Shard shard : {Shard(0), Shard(1)}) Fill(shard, page.gaps, asked, filled);
      while (Below(3) == 0) StepOn();
    }
    ASSERT_EQ(page.keys, naive.keys);
    ASSERT_EQ(page.has_newer, naive.has_newer);
    ASSERT_EQ(page.has_older, naive.has_older);
  }

 private:
  // As a reader does; what cannot be brought is fetched again from tables that went on.
  void Fill(Shard shard, std::span<const PostStretch> gaps, std::size_t asked,
            FilledPosts& filled) {
    for (;;) {
      const auto ticket = world_.live.NewTicket(kRead);
      if (Below(10) == 0) StepOn();
      const PostLanes view = world_.View(shard);
      const std::vector<FetchedRun> fetched = world_.Fetch(shard, gaps, asked);
      if (Below(4) == 0) StepOn();
      ViewState state = world_.live.Install(ticket, shard, view, fetched, filled);
      if (state == ViewState::kAhead) {
        world_.ReadAll();
        ASSERT_TRUE(world_.live.WaitForReader(view, AuthorsOf(fetched), 0));
        state = world_.live.Install(ticket, shard, view, fetched, filled);
        // It passed the view, and the moves that the view lacks may have left meanwhile.
        ASSERT_NE(state, ViewState::kAhead);
      }
      if (state == ViewState::kAtReader) return;
      if (state == ViewState::kBelowFloor) world_.FoldAll();
    }
  }
};

TEST(LivePostsHistory, EveryAnswerIsTheFeedWhereTheReaderStands) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    constexpr std::size_t kBytes[] = {0, 900, kRoomy};
    constexpr std::size_t kRecent[] = {700, kRoomy};
    AnswersFilledStepByStep deployment(seed, {kBytes[seed % 3], kRecent[seed % 2]});
    for (int step = 0; step < 250; ++step) {
      deployment.StepOn();
      ASSERT_NO_FATAL_FAILURE(deployment.Check());
    }
  }
}

// Users who always post together are seen together, whoever looks while the reader moves.
TEST(LivePostsThreads, AnAnswerIsOfOnePosition) {
  constexpr int kPosts = 2'000;
  PostDeployment world;
  std::vector<UserId> authors;
  for (std::uint64_t author = 1; author <= 50; ++author) authors.emplace_back(author);
  for (const UserId author : authors) {
    FilledPosts filled;
    const PostStretch gap = NewestOf(author);
    const Shard shard = world.placement.ShardOf(author);
    ASSERT_EQ(world.live.Install(world.live.NewTicket(kRead), shard, {},
                                 world.Fetch(shard, std::span(&gap, 1), 1), filled),
              ViewState::kAtReader);
  }
  std::vector<std::thread> readers;
  std::atomic<bool> over = false;
  std::atomic<int> torn = 0;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!over) {
        FilledPosts filled;
        FeedPage page;
        const bool stands = world.live.WhileStanding(kRead, authors, filled, [&](auto runs) {
          page = MergeFeed(runs, {.limit = authors.size()});
        });
        if (!stands || !page.gaps.empty()) ++torn;
        if (page.keys.empty()) continue;
        const bool all = page.keys.size() == authors.size();
        if (!all || page.keys.front().score != page.keys.back().score) ++torn;
      }
    });
  }
  std::vector<Offset> next(PostDeployment::kPartitions);
  for (int post = 1; post <= kPosts; ++post) {
    std::vector<ToldPost> told;
    for (const UserId author : authors) {
      const Partition partition = world.placement.PartitionOf(author);
      Offset& offset = next[static_cast<std::size_t>(partition.value)];
      told.push_back(
          {{partition, offset}, Posted(author.value, post, static_cast<std::uint64_t>(post))});
      offset = Next(offset);
    }
    world.live.Advance(told);
  }
  over = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace fanfold::reader
