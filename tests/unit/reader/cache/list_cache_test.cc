#include "reader/cache/list_cache.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace fanfold::reader {
namespace {

constexpr std::size_t kRoomy = std::size_t{64} << 20;

std::unique_ptr<HeldList> ListOf(std::vector<ListedUser> rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  return std::make_unique<HeldList>(ListRows{std::move(rows), true, EdgeCount(count)});
}

std::unique_ptr<HeldList> Long(std::uint64_t rows) {
  std::vector<ListedUser> listed;
  for (std::uint64_t i = rows; i > 0; --i) listed.push_back({UserId(i), 1000});
  return ListOf(std::move(listed));
}

bool Holds(ListCache& cache, std::uint64_t user, Direction list = Direction::kFans) {
  return cache.With(UserId(user), [&](const HeldLists& held) {
    return (list == Direction::kFans ? held.fans : held.following) != nullptr;
  });
}

TEST(ListCache, HoldsEachDirectionByItself) {
  Metrics metrics;
  ListCache cache(kRoomy, metrics);
  EXPECT_TRUE(cache.Install(Direction::kFans, UserId(1), ListOf({{UserId(2), 5}})));
  EXPECT_TRUE(Holds(cache, 1));
  EXPECT_FALSE(Holds(cache, 1, Direction::kFollowing));
  EXPECT_FALSE(Holds(cache, 2));
  cache.Drop(Direction::kFans, UserId(1));
  EXPECT_FALSE(Holds(cache, 1));
}

TEST(ListCache, AMoveReachesBothListsOfTheEdge) {
  Metrics metrics;
  ListCache cache(kRoomy, metrics);
  cache.Install(Direction::kFollowing, UserId(1), ListOf({}));
  cache.Install(Direction::kFans, UserId(2), ListOf({}));
  cache.Install(Direction::kFans, UserId(1), ListOf({}));
  cache.Move({UserId(1), UserId(2), 7, {}, true});
  cache.With(UserId(1), [](const HeldLists& held) {
    EXPECT_TRUE(held.following->Contains(UserId(2)));
    EXPECT_FALSE(held.fans->Contains(UserId(2)));
  });
  cache.With(UserId(2), [](const HeldLists& held) {
    EXPECT_EQ(held.fans->SinceOf(UserId(1)), 7);
    EXPECT_EQ(held.fans->count(), EdgeCount(1));
  });
}

TEST(ListCache, StaysWithinItsBytesWhateverIsInstalled) {
  Metrics metrics;
  constexpr std::size_t kSmall = std::size_t{2} << 20;
  ListCache cache(kSmall, metrics);
  for (std::uint64_t user = 1; user <= 20'000; ++user) {
    cache.Install(Direction::kFans, UserId(user), Long(user % 100));
    ASSERT_LE(cache.bytes(), kSmall);
  }
  EXPECT_GT(cache.bytes(), kSmall / 2) << "and uses them";
  cache.DropIf([](UserId) { return true; });
  EXPECT_EQ(cache.bytes(), 0u) << "what went in was counted out";
}

TEST(ListCache, ListsThatGrowPushOthersOut) {
  Metrics metrics;
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  ListCache cache(kSmall, metrics);
  for (std::uint64_t user = 1; user <= 4'000; ++user) {
    cache.Install(Direction::kFans, UserId(user), ListOf({}));
  }
  for (std::uint64_t fan = 1; fan <= 100; ++fan) {
    for (std::uint64_t user = 1; user <= 4'000; ++user) {
      cache.Move({UserId(10'000 + fan), UserId(user), static_cast<std::int64_t>(fan), {}, true});
    }
    ASSERT_LE(cache.bytes(), kSmall);
  }
}

TEST(ListCache, TheLeastRecentlyAskedForLeaveFirst) {
  Metrics metrics;
  ListCache cache(std::size_t{1} << 20, metrics);
  cache.Install(Direction::kFans, UserId(1), Long(10));
  for (std::uint64_t user = 2; user <= 20'000; ++user) {
    cache.Install(Direction::kFans, UserId(user), Long(10));
    ASSERT_TRUE(Holds(cache, 1)) << "asked for each time; " << user;
  }
  EXPECT_FALSE(Holds(cache, 2));
}

TEST(ListCache, AUserLargerThanAStripeIsNotHeldAndLeavesTheOthers) {
  Metrics metrics;
  ListCache cache(ListCache::kStripes * std::size_t{4'096}, metrics);
  EXPECT_FALSE(cache.Install(Direction::kFans, UserId(1), Long(10'000)));
  EXPECT_FALSE(Holds(cache, 1));
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(ListCache, ListsThatFitAloneAndNotTogetherLeaveTheOneThatIsHeld) {
  Metrics metrics;
  const std::size_t bytes = Long(300)->bytes();
  ListCache cache(ListCache::kStripes * (ListCache::kUserBytes + bytes + bytes / 2), metrics);
  EXPECT_TRUE(cache.Install(Direction::kFollowing, UserId(1), Long(300)));
  EXPECT_FALSE(cache.Install(Direction::kFans, UserId(1), Long(300)));
  EXPECT_TRUE(Holds(cache, 1, Direction::kFollowing));
  EXPECT_TRUE(cache.Install(Direction::kFollowing, UserId(1), Long(310))) << "in its place";
}

TEST(ListCache, DropsWhomItIsTold) {
  Metrics metrics;
  ListCache cache(kRoomy, metrics);
  for (std::uint64_t user = 1; user <= 100; ++user) {
    cache.Install(Direction::kFans, UserId(user), ListOf({}));
  }
  cache.DropIf([](UserId user) { return user.value % 2 == 0; });
  for (std::uint64_t user = 1; user <= 100; ++user) EXPECT_EQ(Holds(cache, user), user % 2 == 1);
}

}  // namespace
}  // namespace fanfold::reader
