#include "reader/feed/author_table.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

constexpr std::size_t kBoundless = std::numeric_limits<std::size_t>::max();

std::vector<PostPlace> Ascending(std::uint64_t first, std::size_t posts,
                                 std::uint64_t id_base = 0) {
  std::vector<PostPlace> keys;
  for (std::uint64_t i = first; i < first + posts; ++i) {
    keys.push_back(Post(static_cast<std::int64_t>(i), id_base + i));
  }
  return keys;
}

PostRun Newest(std::uint64_t first, std::size_t posts, std::uint64_t id_base = 0) {
  const std::vector<PostPlace> keys = Ascending(first, posts, id_base);
  return {keys.front(), kAboveAll, keys};
}

PostRun Deeper(std::uint64_t first, std::size_t posts) {
  const std::vector<PostPlace> keys = Ascending(first, posts);
  return {keys.front(), Next(keys.back()), keys};
}

AuthorRuns RunsOf(const AuthorTable& table, std::uint64_t author) {
  const UserId user(author);
  return table.Find(std::span(&user, 1)).front();
}

PostMove PostedAt(std::uint64_t author, const PostPlace& post) {
  return {UserId(author), post, true};
}
PostMove DeletedAt(std::uint64_t author, const PostPlace& post) {
  return {UserId(author), post, false};
}

TEST(AuthorTable, FindsInTheOrderAskedForWhoeverIsHeld) {
  AuthorTable table(kBoundless);
  std::vector<UserId> users;
  for (std::uint64_t user = 1; user <= 5'000; ++user) {
    users.emplace_back(user * 7);
    if (user % 3 != 0) table.Install(users.back(), Newest(user, 2));
  }
  std::ranges::shuffle(users, std::mt19937_64(1));
  const std::vector<AuthorRuns> found = table.Find(users);
  ASSERT_EQ(found.size(), users.size());
  for (std::size_t i = 0; i < users.size(); ++i) {
    const std::uint64_t user = users[i].value / 7;
    EXPECT_EQ(found[i].author, users[i]);
    ASSERT_EQ(found[i].newest != nullptr, user % 3 != 0) << user;
    if (found[i].newest != nullptr) {
      EXPECT_EQ(found[i].newest->At(0).post, PostId(user));
    }
  }
}

TEST(AuthorTable, AnAuthorWithNoPostsIsHeldAndGetsHisFirst) {
  AuthorTable table(kBoundless);
  table.Install(UserId(1), PostRun(kBelowAll, kAboveAll, {}));
  table.Move(PostedAt(1, Post(5)));
  table.Move(PostedAt(2, Post(5)));
  EXPECT_EQ(RunsOf(table, 1).newest->size(), 1U);
  EXPECT_EQ(RunsOf(table, 2).newest, nullptr);
}

TEST(AuthorTable, NewestAreCutWhenTheyHaveGrownTooMany) {
  AuthorTable table(kBoundless);
  table.Install(UserId(1), Newest(1, kNewestHeld));
  for (std::uint64_t i = kNewestHeld + 1; i <= kNewestMax; ++i) {
    table.Move(PostedAt(1, Post(static_cast<std::int64_t>(i), i)));
  }
  EXPECT_EQ(RunsOf(table, 1).newest->size(), kNewestMax);
  table.Move(PostedAt(1, Post(1'000, 1'000)));
  const PostRun& newest = *RunsOf(table, 1).newest;
  EXPECT_EQ(newest.size(), kNewestHeld);
  EXPECT_EQ(newest.low(), newest.At(0));
  table.Install(UserId(2), Newest(1, 500));
  EXPECT_EQ(RunsOf(table, 2).newest->size(), kNewestHeld);
}

TEST(AuthorTable, EmptiedNewestAreToBeFetchedAgain) {
  AuthorTable table(kBoundless);
  table.Install(UserId(1), Newest(10, 2));
  table.Install(UserId(1), Deeper(5, 3));
  table.Move(DeletedAt(1, Post(10, 10)));
  EXPECT_NE(RunsOf(table, 1).newest, nullptr);
  table.Move(DeletedAt(1, Post(11, 11)));
  EXPECT_EQ(RunsOf(table, 1).newest, nullptr);
  EXPECT_EQ(RunsOf(table, 1).others[0], nullptr);
  EXPECT_EQ(table.authors(), 0U);
  const std::vector<PostPlace> nothing;
  table.Install(UserId(1), PostRun(Post(5), kAboveAll, nothing));
  EXPECT_EQ(table.authors(), 0U) << "a spent run is held no more than it stays";
}

TEST(AuthorTable, OfTwoNewestTheOneThatGoesFurtherDownStays) {
  AuthorTable table(kBoundless);
  table.Install(UserId(1), Newest(10, 5));
  table.Install(UserId(1), Newest(12, 3));
  EXPECT_EQ(RunsOf(table, 1).newest->size(), 5U);
  table.Install(UserId(1), Newest(8, 7));
  EXPECT_EQ(RunsOf(table, 1).newest->size(), 7U);
}

TEST(AuthorTable, DeeperPostsAreJoinedWithWhatTheyTouch) {
  AuthorTable table(kBoundless);
  table.Install(UserId(1), Deeper(100, 10));
  EXPECT_EQ(RunsOf(table, 1).others[0], nullptr) << "not without the newest";
  table.Install(UserId(1), Newest(200, 10));
  table.Install(UserId(1), Deeper(100, 10));
  EXPECT_EQ(RunsOf(table, 1).others[0]->size(), 10U);
  const std::vector<PostPlace> below = Ascending(90, 10);
  table.Install(UserId(1), PostRun(below.front(), Post(100, 100), below));
  EXPECT_EQ(RunsOf(table, 1).others[0]->size(), 20U);
  table.Install(UserId(1), Deeper(50, 10));
  EXPECT_EQ(RunsOf(table, 1).others[0]->size(), 10U) << "apart: it takes the other's place";
  table.Install(UserId(1), PostRun(Post(203, 203), Post(206, 206), Ascending(203, 3)));
  EXPECT_EQ(RunsOf(table, 1).others[0]->size(), 10U) << "the newest tell it";
}

TEST(AuthorTable, DeeperPostsAreBoundedWhicheverWayTheyGrow) {
  constexpr std::size_t kMany = AuthorTable::kDeeperMax - 10;
  AuthorTable table(kBoundless);
  table.Install(UserId(1), Newest(10'000, 10));
  table.Install(UserId(1), Deeper(5'000, kMany));
  const std::vector<PostPlace> below = Ascending(4'900, 100);
  table.Install(UserId(1), PostRun(below.front(), Post(5'000, 5'000), below));
  const PostRun* deeper = RunsOf(table, 1).others[0];
  EXPECT_EQ(deeper->size(), AuthorTable::kDeeperMax);
  EXPECT_EQ(deeper->low(), below.front());
  const std::vector<PostPlace> above = Ascending(4'900 + AuthorTable::kDeeperMax, 100);
  table.Install(UserId(1), PostRun(above.front(), Next(above.back()), above));
  deeper = RunsOf(table, 1).others[0];
  EXPECT_EQ(deeper->size(), AuthorTable::kDeeperMax);
  EXPECT_EQ(deeper->high(), Next(above.back()));
}

TEST(AuthorTable, WhoIsReadStaysLongest) {
  AuthorTable boundless(kBoundless);
  for (std::uint64_t user = 1; user <= 1'000; ++user) {
    boundless.Install(UserId(user), Newest(1, kNewestHeld));
  }
  AuthorTable table(boundless.bytes());
  for (std::uint64_t user = 1; user <= 100'000; ++user) {
    table.Install(UserId(user), Newest(1, kNewestHeld));
    EXPECT_LE(table.bytes(), boundless.bytes());
    if (user % 100 != 0) continue;
    // A read of an author is one of the author's runs.
    const AuthorRuns first = RunsOf(table, 1);
    ASSERT_NE(first.newest, nullptr) << user;
    EXPECT_EQ(PostsDown(first, kAboveAll).Next(), Step::kPost);
  }
  EXPECT_GT(table.authors(), 500U);
  EXPECT_EQ(table.evictions(), 100'000U - table.authors());
}

TEST(AuthorTable, DeeperPostsThatNobodyReadsLeaveBeforeTheirAuthor) {
  AuthorTable boundless(kBoundless);
  AuthorTable table(60'000);
  table.Install(UserId(1), Newest(1'000, kNewestHeld));
  table.Install(UserId(1), Deeper(500, 400));
  for (std::uint64_t user = 2; user <= 2'000; ++user) {
    EXPECT_EQ(PostsDown(RunsOf(table, 1), kAboveAll).Next(), Step::kPost) << user;
    table.Install(UserId(user), Newest(1, kNewestHeld));
  }
  EXPECT_NE(RunsOf(table, 1).newest, nullptr);
  EXPECT_EQ(RunsOf(table, 1).others[0], nullptr);
}

TEST(AuthorTable, WithNoRoomAtAllItHoldsNobody) {
  AuthorTable table(0);
  for (std::uint64_t user = 1; user <= 100; ++user) {
    table.Install(UserId(user), Newest(1, 3));
    table.Install(UserId(user), Deeper(1, 3));
    EXPECT_EQ(table.authors(), 0U);
  }
}

TEST(AuthorTable, DropIfLeavesTheOthers) {
  AuthorTable table(kBoundless);
  const std::size_t empty = table.bytes();
  std::vector<UserId> users;
  for (std::uint64_t user = 1; user <= 3'000; ++user) {
    users.emplace_back(user);
    table.Install(UserId(user), Newest(1, 3));
  }
  table.DropIf([](UserId user) { return user.value % 3 == 0; });
  EXPECT_EQ(table.authors(), 2'000U);
  for (const AuthorRuns& runs : table.Find(users)) {
    EXPECT_EQ(runs.newest == nullptr, runs.author.value % 3 == 0) << runs.author.value;
  }
  table.DropIf([](UserId) { return true; });
  EXPECT_EQ(table.authors(), 0U);
  EXPECT_LE(table.bytes() - empty, 3'000U * 64U) << "the places of authors stay";
}

// With everything that an author takes: a place in the table, the runs, what the allocator adds.
TEST(AuthorTable, APostTakesFewBytes) {
  struct Case {
    std::uint64_t id_base;
    std::size_t bytes_max;
  };
  for (const auto& [id_base, bytes_max] : {Case{0, 16}, Case{std::uint64_t{1} << 62, 24}}) {
    constexpr std::uint64_t kAuthors = 10'000;
    AuthorTable table(kBoundless);
    for (std::uint64_t user = 1; user <= kAuthors; ++user) {
      table.Install(UserId(user), Newest(user, kNewestHeld, id_base));
    }
    EXPECT_LE(table.bytes(), kAuthors * kNewestHeld * bytes_max);
    // As they live: between two cuts of each author's.
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < 40 * kAuthors; ++i) {
      const std::uint64_t score = 1'000'000 + i;
      table.Move(PostedAt(1 + random() % kAuthors,
                          Post(static_cast<std::int64_t>(score), id_base + score)));
    }
    std::size_t posts = 0;
    for (std::uint64_t user = 1; user <= kAuthors; ++user) {
      posts += RunsOf(table, user).newest->size();
    }
    EXPECT_LE(table.bytes(), posts * bytes_max)
        << static_cast<double>(table.bytes()) / static_cast<double>(posts) << " bytes a post";
  }
}

// Whatever is held tells exactly what its author posted between the bounds.
TEST(AuthorTable, RandomStepsLeaveEveryRunTrue) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t end) { return random() % end; };
    FeedWorld world;
    AuthorTable table(seed % 3 == 0 ? kBoundless : 3'000 + below(60'000));
    std::uint64_t last_id = 0;
    constexpr std::uint64_t kAuthors = 40;
    for (int step = 0; step < 2'000; ++step) {
      const UserId author(1 + below(kAuthors));
      const std::set<PostPlace>& posts = world.PostsOf(author);
      const std::uint64_t action = below(10);
      if (action < 5) {
        const PostMove move{author, Post(static_cast<std::int64_t>(below(200)), ++last_id), true};
        world.Move(move);
        table.Move(move);
      } else if (action < 8 && !posts.empty()) {
        auto gone = posts.begin();
        std::advance(gone, below(posts.size()));
        const PostMove move{author, *gone, false};
        world.Move(move);
        table.Move(move);
      } else {
        const PostPlace bound =
            below(2) == 0 ? kAboveAll
                          : Post(static_cast<std::int64_t>(below(220)), below(last_id + 2));
        const PostStretch gap{
            author, below(3) == 0 ? PostStretch::Side::kAtOrAbove : PostStretch::Side::kBelow,
            bound};
        if (gap.side == PostStretch::Side::kAtOrAbove && bound == kAboveAll) continue;
        table.Install(author, world.Fetch(gap, 1 + below(100)));
      }
      for (std::uint64_t user = 1; user <= kAuthors; ++user) {
        const AuthorRuns runs = RunsOf(table, user);
        for (const PostRun* run : {runs.newest, runs.others[0]}) {
          if (run == nullptr) continue;
          const std::set<PostPlace>& there = world.PostsOf(UserId(user));
          const auto low = there.lower_bound(run->low());
          const auto high = there.lower_bound(run->high());
          ASSERT_EQ(run->size(), static_cast<std::size_t>(std::distance(low, high)));
          std::size_t place = 0;
          for (auto at = low; at != high; ++at) ASSERT_EQ(run->At(place++), *at);
          ASSERT_FALSE(run == runs.newest && run->IsSpent());
        }
      }
    }
  }
}

}  // namespace
}  // namespace fanfold::reader
