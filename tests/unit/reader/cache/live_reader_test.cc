#include "reader/cache/live_reader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/reader/cache/world.h"

namespace fanfold::reader {
namespace {

using testing::Followers;
using testing::SortedList;
using testing::World;

using enum Direction;
constexpr ReadGenerations kRead;

// Every question about random users, compared with the model at the reader's position.
class Comparison {
 public:
  Comparison(World& world, std::mt19937_64& random, std::uint64_t users)
      : random_(random),
        users_(users),
        reader_(world.live, world.fetcher, world.deployment(), &world),
        lists_{world.AtReader(kFollowing), world.AtReader(kFans)} {}

  [[nodiscard]] bool as_tables_are() const { return reader_.as_tables_are(); }

  // What differs, empty when nothing does.
  std::string AskEverything() {
    const UserId user = Any();
    for (const Direction list : {kFollowing, kFans}) {
      if (!PageIsRight(list, user, {})) return "page of " + Name(list, user);
      if (!PageIsRight(list, user, {Cursor{Any(), AnySince()}, 0})) {
        return "page after, of " + Name(list, user);
      }
      if (!AmongIsRight(list, user)) return "among " + Name(list, user);
    }
    if (!FriendsAreRight(user)) return "friends of " + ToString(user);
    if (!CountsAreRight(user)) return "counts of " + ToString(user);
    if (!RelationsAreRight(user)) return "relations of " + ToString(user);
    return "";
  }

 private:
  UserId Any() { return UserId(1 + random_() % users_); }
  std::int64_t AnySince() { return static_cast<std::int64_t>(random_() % 50); }
  static std::string Name(Direction list, UserId user) {
    return std::string(ToString(ProjectionOf(list))) + " of " + ToString(user);
  }
  const std::map<UserId, std::int64_t>& Of(Direction list, UserId user) {
    return lists_[list == kFollowing ? 0 : 1][user];
  }

  bool PageIsRight(Direction list, UserId user, const PageStart& start) {
    const std::size_t limit = 1 + random_() % 8;
    std::vector<ListedUser> expected = SortedList(Of(list, user));
    if (start.after) {
      std::erase_if(expected, [&](const auto& row) { return !ListedBefore(*start.after, row); });
    }
    expected.resize(std::min(expected.size(), limit));
    const auto page = reader_.Page(list, Generation(1), user, start, limit);
    return page && *page == expected;
  }

  bool AmongIsRight(Direction list, UserId user) {
    const std::vector<UserId> others = {Any(), Any(), Any()};
    std::map<UserId, std::int64_t> expected;
    for (const UserId other : others) {
      const auto found = Of(list, user).find(other);
      if (found != Of(list, user).end()) expected.insert(*found);
    }
    const auto among = reader_.Among(list, Generation(1), user, others);
    return among && *among == SortedList(expected);
  }

  std::map<UserId, std::int64_t> FriendsOf(UserId user) {
    std::map<UserId, std::int64_t> friends;
    for (const auto& [other, since] : Of(kFollowing, user)) {
      const auto fan = Of(kFans, user).find(other);
      if (fan != Of(kFans, user).end()) friends[other] = std::max(since, fan->second);
    }
    return friends;
  }

  bool FriendsAreRight(UserId user) {
    std::vector<ListedUser> expected = SortedList(FriendsOf(user));
    expected.erase(expected.begin(),
                   expected.begin() + std::min<std::ptrdiff_t>(1, std::ssize(expected)));
    const auto page = reader_.FriendsPage(kRead, user, {{}, 1}, 100);
    return page && *page == expected;
  }

  bool CountsAreRight(UserId user) {
    const std::vector<UserId> users = {user, Any()};
    const auto counts = reader_.Counts(kRead, users);
    if (!counts || counts->size() != 2) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      const UserCounts expected{users[i], std::ssize(Of(kFollowing, users[i])),
                                std::ssize(Of(kFans, users[i])), std::ssize(FriendsOf(users[i]))};
      if ((*counts)[i] != expected) return false;
    }
    return true;
  }

  bool RelationsAreRight(UserId user) {
    const std::vector<UserId> targets = {Any(), Any(), user};
    const auto seen = reader_.Relations(kRead, user, targets);
    if (!seen || seen->size() != 3) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      const Directions expected{Of(kFollowing, user).contains(targets[i]),
                                Of(kFans, user).contains(targets[i])};
      if ((*seen)[i] != expected) return false;
    }
    return true;
  }

  std::mt19937_64& random_;
  const std::uint64_t users_;
  LiveReader reader_;
  Followers lists_[2];
};

// Moves the log, the lanes and the reader's position on, each by a little and at random.
class Weather {
 public:
  // Lanes stay at or behind the reader, or may run ahead of it.
  Weather(World& world, std::uint64_t seed, std::uint64_t users, bool lanes_run_ahead)
      : world_(world), random_(seed), users_(users), lanes_run_ahead_(lanes_run_ahead) {}

  // Sends some lane back to fold part of its topic again.
  void Rewind() {
    const Partition partition(static_cast<std::int32_t>(random_() % World::kPartitions));
    const Shard shard(static_cast<std::int32_t>(random_() % World::kShards));
    const Direction list = random_() % 2 == 0 ? kFollowing : kFans;
    if (!ProjectionOf(list).HasLane(partition, shard, world_.deployment().placement)) return;
    const auto at = static_cast<std::uint64_t>(world_.LaneAt(list, partition, shard));
    world_.RewindLane(list, partition, shard, static_cast<std::int64_t>(random_() % (at + 1)));
  }

  void Blow() {
    for (int i = 0; i < 4; ++i) {
      const UserId subject(1 + random_() % users_);
      const UserId object(1 + random_() % users_);
      if (subject != object) {
        world_.Decide(subject, object, random_() % 3 != 0,
                      static_cast<std::int64_t>(random_() % 50));
      }
    }
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      const Partition partition(p);
      Toward(world_.End(partition), world_.ReaderAt(partition),
             [&](std::int64_t to) { world_.MoveReader(partition, to); });
      std::int64_t slowest = world_.ReaderAt(partition);
      for (std::int32_t s = 0; s < World::kShards; ++s) {
        for (const Direction list : {kFollowing, kFans}) {
          const bool has =
              ProjectionOf(list).HasLane(partition, Shard(s), world_.deployment().placement);
          if (!has) continue;
          const std::int64_t lane = world_.LaneAt(list, partition, Shard(s));
          Toward(lanes_run_ahead_ ? world_.End(partition) : world_.ReaderAt(partition), lane,
                 [&](std::int64_t to) { world_.MoveLane(list, partition, Shard(s), to); });
          slowest = std::min(slowest, world_.LaneAt(list, partition, Shard(s)));
        }
      }
      if (random_() % 2 == 0) world_.live.Trim(partition, Offset(slowest));
    }
    if (random_() % 8 == 0) Drop();
  }

  std::mt19937_64& random() { return random_; }

  // The reader sees all that there is.
  void Clear() {
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      world_.MoveReader(Partition(p), world_.End(Partition(p)));
    }
  }

 private:
  template <class Move>
  void Toward(std::int64_t end, std::int64_t at, const Move& move) {
    if (at < end && random_() % 3 != 0) {
      move(at + 1 + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end - at)));
    }
  }
  void Drop() {
    world_.live.DropShard(Shard(static_cast<std::int32_t>(random_() % World::kShards)));
  }

  World& world_;
  std::mt19937_64 random_;
  const std::uint64_t users_;
  const bool lanes_run_ahead_;
};

TEST(LiveReader, EveryAnswerIsTheModelsAtRWhereverTheTablesStand) {
  constexpr std::uint64_t kUsers = 12;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    World world;
    Weather weather(world, seed, kUsers, /*lanes_run_ahead=*/false);
    for (int step = 0; step < 150; ++step) {
      weather.Blow();
      Comparison comparison(world, weather.random(), kUsers);
      ASSERT_EQ(comparison.AskEverything(), "") << "seed " << seed << ", step " << step;
      ASSERT_FALSE(comparison.as_tables_are());
    }
  }
}

TEST(LiveReader, WhatWasReadAheadOfRIsRightOnceRIsThere) {
  constexpr std::uint64_t kUsers = 12;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    World world;
    Weather weather(world, seed, kUsers, /*lanes_run_ahead=*/true);
    for (int step = 0; step < 100; ++step) {
      weather.Blow();
      // Whatever these answer, nothing of it may be held that is wrong later.
      for (int i = 0; i < 3; ++i) {
        Comparison early(world, weather.random(), kUsers);
        (void)early.AskEverything();
      }
      if (step % 3 != 0) continue;
      weather.Clear();
      Comparison comparison(world, weather.random(), kUsers);
      ASSERT_EQ(comparison.AskEverything(), "") << "seed " << seed << ", step " << step;
    }
  }
}

TEST(LiveReader, NoAnswerAtRIsWrongWhileLanesFoldAgain) {
  constexpr std::uint64_t kUsers = 12;
  int at_reader = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    World world;
    Weather weather(world, seed, kUsers, /*lanes_run_ahead=*/false);
    for (int step = 0; step < 150; ++step) {
      weather.Blow();
      if (step % 4 == 0) weather.Rewind();
      Comparison comparison(world, weather.random(), kUsers);
      const std::string wrong = comparison.AskEverything();
      if (comparison.as_tables_are()) continue;
      ++at_reader;
      ASSERT_EQ(wrong, "") << "seed " << seed << ", step " << step;
    }
  }
  EXPECT_GT(at_reader, 1000);
}

class LiveReaderTest : public ::testing::Test {
 protected:
  void Follow(std::uint64_t subject, std::uint64_t object, std::int64_t at_ms = 5) {
    world_.Decide(UserId(subject), UserId(object), true, at_ms);
  }
  void MoveEverything() {
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      const Partition partition(p);
      world_.MoveReader(partition, world_.End(partition));
      for (std::int32_t s = 0; s < World::kShards; ++s) {
        for (const Direction list : {kFollowing, kFans}) {
          if (!ProjectionOf(list).HasLane(partition, Shard(s), world_.deployment().placement))
            continue;
          world_.MoveLane(list, partition, Shard(s), world_.End(partition));
        }
      }
    }
  }
  LiveReader Reader() { return {world_.live, world_.fetcher, world_.deployment(), &world_}; }
  LiveReader MemoryOnly() { return {world_.live, world_.fetcher, world_.deployment(), nullptr}; }
  Shard ShardOf(std::uint64_t user) const {
    return world_.deployment().placement.ShardOf(UserId(user));
  }

  World world_;
};

TEST_F(LiveReaderTest, WhatIsInMemoryAsksNoTable) {
  Follow(1, 2);
  MoveEverything();
  LiveReader first = Reader();
  ASSERT_TRUE(first.Page(kFans, Generation(1), UserId(2), {}, 10));
  const int asked = world_.views_asked;
  LiveReader second = MemoryOnly();
  const auto page = second.Page(kFans, Generation(1), UserId(2), {}, 10);
  EXPECT_TRUE(page && page->size() == 1u);
  EXPECT_EQ(world_.views_asked, asked);
}

TEST_F(LiveReaderTest, WhatIsNotInMemoryIsAMissWithoutTables) {
  LiveReader reader = MemoryOnly();
  const auto page = reader.Page(kFans, Generation(1), UserId(2), {}, 10);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kNotFound);
}

TEST(LiveReader, ListsThatFitTheCacheAloneAndNotTogetherAreAnswered) {
  World world({.lists_bytes = ListCache::kStripes * 450, .recent_moves_bytes = 1 << 20});
  const Partition partition = world.deployment().placement.PartitionOf(UserId(1));
  const Shard shard = world.deployment().placement.ShardOf(UserId(1));
  for (std::uint64_t other = 2; other < 16; ++other) {
    world.Decide(UserId(1), UserId(other), true, 5);
    world.Decide(UserId(other), UserId(1), true, 5);
  }
  for (std::int32_t p = 0; p < World::kPartitions; ++p) {
    world.MoveReader(Partition(p), world.End(Partition(p)));
    world.MoveLane(kFans, Partition(p), shard, world.End(Partition(p)));
  }
  world.MoveLane(kFollowing, partition, shard, world.End(partition));
  LiveReader each(world.live, world.fetcher, world.deployment(), &world);
  for (const Direction list : {kFollowing, kFans}) {
    ASSERT_TRUE(each.Page(list, Generation(1), UserId(1), {}, 20));
    LiveReader memory(world.live, world.fetcher, world.deployment(), nullptr);
    ASSERT_TRUE(memory.Page(list, Generation(1), UserId(1), {}, 20)) << "fits alone";
    world.live.DropShard(shard);
  }
  LiveReader both(world.live, world.fetcher, world.deployment(), &world);
  const auto seen = both.Relations(kRead, UserId(1), std::vector{UserId(2)});
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->front(), (Directions{true, true}));
}

TEST_F(LiveReaderTest, NobodyIsHeldToo) {
  LiveReader first = Reader();
  ASSERT_TRUE(first.Relations(kRead, UserId(7), std::vector{UserId(8)}));
  LiveReader second = MemoryOnly();
  const auto seen = second.Relations(kRead, UserId(7), std::vector{UserId(8)});
  EXPECT_TRUE(seen && *seen == std::vector{Directions{}});
}

TEST_F(LiveReaderTest, AViewAheadOfRIsAnsweredAndNotHeld) {
  Follow(1, 2);
  world_.MoveLane(kFollowing, world_.deployment().placement.PartitionOf(UserId(1)), ShardOf(1), 1);
  LiveReader reader = Reader();
  const auto page = reader.Page(kFollowing, Generation(1), UserId(1), {}, 10);
  EXPECT_TRUE(page && page->size() == 1u) << "newer than the reader's position is fine";
  EXPECT_FALSE(reader.as_tables_are());
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFollowing, Generation(1), UserId(1), {}, 10));
}

TEST_F(LiveReaderTest, AViewBelowTheRecentMovesFloorIsAnsweredAsItIsAndNotHeld) {
  Follow(1, 2);
  const Partition partition = world_.deployment().placement.PartitionOf(UserId(1));
  world_.MoveReader(partition, 1);
  world_.live.Trim(partition, Offset(1));  // as if every table had it
  LiveReader reader = Reader();
  const auto page = reader.Page(kFollowing, Generation(1), UserId(1), {}, 10);
  EXPECT_TRUE(page && page->empty());
  EXPECT_TRUE(reader.as_tables_are());
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFollowing, Generation(1), UserId(1), {}, 10));
}

TEST_F(LiveReaderTest, AViewOfARewoundLaneIsAnsweredAsItIsAndNotHeldUntilTheLaneIsBack) {
  Follow(1, 2);
  const Partition partition = world_.deployment().placement.PartitionOf(UserId(1));
  world_.MoveReader(partition, 1);
  for (const Direction list : {kFollowing, kFans}) {
    const UserId user(list == kFollowing ? 1 : 2);
    const Shard shard = world_.deployment().placement.ShardOf(user);
    world_.MoveLane(list, partition, shard, 1);
    world_.RewindLane(list, partition, shard, 0);
    LiveReader rewound = Reader();
    const auto page = rewound.Page(list, Generation(1), user, {}, 10);
    EXPECT_TRUE(page && page->size() == 1u) << "the row is there once";
    EXPECT_TRUE(rewound.as_tables_are());
    LiveReader memory = MemoryOnly();
    EXPECT_FALSE(memory.Page(list, Generation(1), user, {}, 10));
    world_.MoveLane(list, partition, shard, 1);
    LiveReader back = Reader();
    const auto counts = back.Counts(kRead, std::vector{user});
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->front().following + counts->front().fans, 1);
    EXPECT_FALSE(back.as_tables_are());
    EXPECT_TRUE(memory.Page(list, Generation(1), user, {}, 10));
  }
}

TEST_F(LiveReaderTest, AViewWithoutTheLatestRepairIsNotHeld) {
  MoveEverything();
  const RepairRow repair{3, projections::kFans, Generation(1), UserId(2)};
  world_.live.Repaired(ShardOf(2), repair);
  LiveReader stale = Reader();
  ASSERT_TRUE(stale.Page(kFans, Generation(1), UserId(2), {}, 10));
  EXPECT_TRUE(stale.as_tables_are());
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFans, Generation(1), UserId(2), {}, 10));
  world_.TablesOf(ShardOf(2)).repairs = {repair};
  LiveReader fresh = Reader();
  ASSERT_TRUE(fresh.Page(kFans, Generation(1), UserId(2), {}, 10));
  EXPECT_FALSE(fresh.as_tables_are());
  EXPECT_TRUE(memory.Page(kFans, Generation(1), UserId(2), {}, 10));
}

TEST_F(LiveReaderTest, ARepairDropsTheListItNames) {
  MoveEverything();
  LiveReader reader = Reader();
  ASSERT_TRUE(reader.Relations(kRead, UserId(2), std::vector{UserId(1)}));
  world_.live.Repaired(ShardOf(2), {1, projections::kFans, Generation(1), UserId(2)});
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFans, Generation(1), UserId(2), {}, 10));
  EXPECT_TRUE(memory.Page(kFollowing, Generation(1), UserId(2), {}, 10));
}

TEST_F(LiveReaderTest, OtherGenerationsDropEverything) {
  MoveEverything();
  LiveReader reader = Reader();
  ASSERT_TRUE(reader.Page(kFans, Generation(1), UserId(2), {}, 10));
  world_.live.SetRead({Generation(1), Generation(2)});
  EXPECT_FALSE(world_.live.Holds(kRead));
  world_.live.SetRead(kRead);
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFans, Generation(1), UserId(2), {}, 10));
}

TEST_F(LiveReaderTest, AViewTakenBeforeItsShardWasDroppedIsNotHeld) {
  const ViewPosition position{Offset(0), {}, 0};
  const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(1), kRead);
  world_.live.DropShard(ShardOf(1));
  EXPECT_EQ(world_.live.Install({kFans, UserId(1), &position, ticket}, {}), ViewState::kStale);
}

TEST_F(LiveReaderTest, AListWhoseShardIsDroppedWhileItIsFetchedIsNotHeld) {
  MoveEverything();
  world_.on_viewed = [this] { world_.live.DropShard(ShardOf(1)); };
  LiveReader reader = Reader();
  EXPECT_TRUE(reader.Page(kFans, Generation(1), UserId(1), {}, 10));
  EXPECT_TRUE(reader.as_tables_are());
  LiveReader memory = MemoryOnly();
  EXPECT_FALSE(memory.Page(kFans, Generation(1), UserId(1), {}, 10));
}

TEST_F(LiveReaderTest, RestoredTablesAreHeldThoughTheyLackTheLastRepair) {
  MoveEverything();
  world_.live.Repaired(ShardOf(1), {9, projections::kFans, Generation(1), UserId(1)});
  const ViewPosition position{Offset(0), {}, 4};
  const auto install = [&] {
    const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(1), kRead);
    return world_.live.Install({kFans, UserId(1), &position, ticket}, {});
  };
  EXPECT_EQ(install(), ViewState::kStale);
  world_.live.Restored(ShardOf(1));
  EXPECT_NE(install(), ViewState::kStale);
}

TEST_F(LiveReaderTest, AfterRIsLostNothingIsHeldUntilItStartsAgain) {
  MoveEverything();
  LiveReader reader = Reader();
  ASSERT_TRUE(reader.Page(kFans, Generation(1), UserId(2), {}, 10));
  world_.live.Stop();
  EXPECT_FALSE(world_.live.Holds(kRead));
  EXPECT_FALSE(world_.live.Passed({Partition(0), Offset(-1)}));
  LiveReader after = Reader();
  EXPECT_TRUE(after.Page(kFans, Generation(1), UserId(2), {}, 10));
  EXPECT_TRUE(after.as_tables_are());
}

// A user with more fans than are held.
class CelebrityTest : public LiveReaderTest {
 protected:
  static constexpr std::uint64_t kStar = 1;
  static constexpr std::uint64_t kFanCount = kWholeRowsMax + 2'000;

  CelebrityTest() {
    for (std::uint64_t fan = 2; fan < kFanCount + 2; ++fan) {
      Follow(fan, kStar, static_cast<std::int64_t>(fan));
    }
    Follow(kStar, 5);
    Follow(kStar, 900'000);
    MoveEverything();
  }
};

TEST_F(CelebrityTest, PagesComeFromMemoryThenFromTheTable) {
  LiveReader reader = Reader();
  std::optional<Cursor> after;
  std::size_t seen = 0;
  while (true) {
    const auto page = reader.Page(kFans, Generation(1), UserId(kStar), {after, 0}, 1000);
    ASSERT_TRUE(page);
    for (const ListedUser& row : *page) {
      ASSERT_EQ(row.user.value, kFanCount + 1 - seen);
      ++seen;
    }
    if (page->size() < 1000) break;
    after = page->back();
  }
  EXPECT_EQ(seen, kFanCount);
  EXPECT_FALSE(reader.as_tables_are());
}

TEST_F(CelebrityTest, DeepPagesAreBroughtToTheReadersPosition) {
  const Partition partition = world_.deployment().placement.PartitionOf(UserId(10));
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  world_.Decide(UserId(10), UserId(kStar), false, 0);
  world_.MoveReader(partition, world_.End(partition));  // and the tables not yet
  LiveReader reader = Reader();
  const auto page =
      reader.Page(kFans, Generation(1), UserId(kStar), {Cursor{UserId(12), 12}, 0}, 3);
  ASSERT_TRUE(page);
  EXPECT_EQ(*page, (std::vector<ListedUser>{{UserId(11), 11}, {UserId(9), 9}, {UserId(8), 8}}));
  const auto seen = reader.Relations(kRead, UserId(kStar), std::vector{UserId(10), UserId(9)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, (std::vector{Directions{false, false}, Directions{false, true}}));
}

// Whatever has moved since elsewhere in the list, a page asks for few rows more than it shows.
TEST_F(CelebrityTest, DeepPagesAskForWhatTheyShowHoweverManyMovesAreRecent) {
  for (std::uint64_t fan = 500'000; fan < 540'000; ++fan) {
    Follow(fan, kStar, static_cast<std::int64_t>(fan));
  }
  for (std::uint64_t fan = 3'000; fan < 4'000; ++fan) {
    world_.Decide(UserId(fan), UserId(kStar), false, 0);
  }
  for (std::int32_t p = 0; p < World::kPartitions; ++p) {
    world_.MoveReader(Partition(p), world_.End(Partition(p)));
  }
  LiveReader reader = Reader();
  ASSERT_TRUE(reader.Page(kFans, Generation(1), UserId(kStar), {}, 10)) << "the newest are held";
  const auto page_behind = [&](std::uint64_t fan) {
    world_.rows_asked = 0;
    return reader.Page(kFans, Generation(1), UserId(kStar),
                       {Cursor{UserId(fan), static_cast<std::int64_t>(fan)}, 0}, 20);
  };
  const auto rows_from = [](std::uint64_t newest) {
    std::vector<ListedUser> rows;
    for (std::uint64_t fan = newest; fan > newest - 20; --fan) {
      rows.push_back({UserId(fan), static_cast<std::int64_t>(fan)});
    }
    return rows;
  };
  EXPECT_EQ(page_behind(2'500), rows_from(2'499));
  EXPECT_LE(world_.rows_asked, 100u);
  EXPECT_EQ(page_behind(4'000), rows_from(2'999)) << "past the thousand who left";
  EXPECT_LE(world_.rows_asked, 2'000u);
  EXPECT_EQ(page_behind(520'000), rows_from(519'999)) << "of rows that no table has yet";
  EXPECT_LE(world_.rows_asked, 100u);
}

TEST_F(CelebrityTest, OnlyMovesOfTheRowsShownAreCopied) {
  for (std::uint64_t fan = 500'000; fan < 540'000; ++fan) {
    Follow(fan, kStar, static_cast<std::int64_t>(fan));
  }
  for (std::int32_t p = 0; p < World::kPartitions; ++p) {
    world_.MoveReader(Partition(p), world_.End(Partition(p)));
  }
  ViewPosition position;
  const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(kStar), kRead);
  const LiveLists::Source source{kFans, UserId(kStar), &position, ticket};
  const auto moves = [&](std::int64_t below, std::int64_t from) {
    return world_.live
        .Missing(
            source,
            [&](const ListedUser& row) { return row.since_ms < below && row.since_ms >= from; })
        .second.size();
  };
  EXPECT_EQ(moves(2'500, 2'480), 20u);
  EXPECT_EQ(moves(400'000, 300'000), 0u);
}

// However many moves are looked at, those who move the reader need not wait for all of them.
TEST_F(CelebrityTest, RMovesOnWhileMovesAreLookedAt) {
  for (std::uint64_t fan = 500'000; fan < 540'000; ++fan) Follow(fan, kStar);
  for (std::int32_t p = 0; p < World::kPartitions; ++p) {
    world_.MoveReader(Partition(p), world_.End(Partition(p)));
  }
  Follow(6, 7);
  const Partition partition = world_.deployment().placement.PartitionOf(UserId(6));
  const ViewPosition position;
  const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(kStar), kRead);
  std::jthread mover;
  std::atomic<bool> moved = false;
  std::size_t looked_at = 0;
  std::size_t looked_at_before = 0;  // the reader has moved
  const auto shows = [&](const ListedUser&) {
    if (looked_at == 0) {
      mover = std::jthread([&] {
        world_.MoveReader(partition, world_.End(partition));
        moved = true;
      });
    }
    ++looked_at;
    if (!moved) looked_at_before = looked_at;
    std::this_thread::yield();
    return true;
  };
  const auto [state, moves] = world_.live.Missing({kFans, UserId(kStar), &position, ticket}, shows);
  EXPECT_EQ(state, ViewState::kAtReader);
  EXPECT_EQ(moves.size(), kFanCount + 40'000);
  EXPECT_LT(looked_at_before, looked_at);
}

// A list is brought to the reader's position in steps, and held at the position of the last with
// each move counted once.
TEST_F(CelebrityTest, AListThatMovesWhileItIsBroughtToRIsHeldWhereRCameTo) {
  constexpr std::uint64_t kRounds = 40;
  constexpr std::uint64_t kMovesARound = 400;
  ListRows rows{{}, /*whole=*/false, EdgeCount(0)};  // the newest, of when nobody had moved
  for (std::uint64_t user = kHeadRows; user > 0; --user) {
    rows.rows.push_back({UserId(user), 1'000'000});
  }
  const ViewPosition position;
  const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(kStar), kRead);
  const auto move_on = [this](std::atomic<bool>& begun) {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::int32_t p = 0; p < World::kPartitions; ++p) {
        const Partition partition(p);
        const std::int64_t to = std::min(world_.ReaderAt(partition) + 10, world_.End(partition));
        moves = moves || to > world_.ReaderAt(partition);
        world_.MoveReader(partition, to);
      }
      begun = true;
    }
  };
  for (std::uint64_t fans = kMovesARound; fans <= kRounds * kMovesARound; fans += kMovesARound) {
    for (std::uint64_t fan = fans - kMovesARound; fan < fans; ++fan) Follow(500'000 + fan, kStar);
    ViewState state = ViewState::kTooLarge;  // moves on faster than it can be brought
    {
      std::atomic<bool> begun = false;
      const std::jthread mover([&] { move_on(begun); });
      while (!begun) std::this_thread::yield();
      const LiveLists::Source source{kFans, UserId(kStar), &position, ticket};
      while (state == ViewState::kTooLarge) state = world_.live.Install(source, rows);
    }
    ASSERT_EQ(state, ViewState::kAtReader);
    const std::int64_t count = world_.live.cache().With(
        UserId(kStar), [](const HeldLists& held) { return held.fans->count().value; });
    ASSERT_EQ(count, static_cast<std::int64_t>(kFanCount + fans));
  }
}

// As AListWhoseShardIsDroppedWhileItIsFetchedIsNotHeld, of rows that are not held anyway.
TEST_F(CelebrityTest, ADeepPageOfAShardThatIsDroppedMeanwhileIsTheTables) {
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  world_.on_viewed = [this] { world_.live.DropShard(ShardOf(kStar)); };
  LiveReader reader = Reader();
  EXPECT_TRUE(reader.Page(kFans, Generation(1), UserId(kStar), {Cursor{UserId(12), 12}, 0}, 3));
  EXPECT_TRUE(reader.as_tables_are());
}

TEST_F(CelebrityTest, ChecksAreTurnedRoundToTheListsOfThoseAskedFor) {
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  ASSERT_TRUE(warm.Page(kFollowing, Generation(1), UserId(5), {}, 10));
  ASSERT_TRUE(warm.Page(kFollowing, Generation(1), UserId(900'000), {}, 10));
  ASSERT_TRUE(warm.Page(kFollowing, Generation(1), UserId(kStar), {}, 10));
  LiveReader memory = MemoryOnly();
  const std::vector<UserId> targets = {UserId(5), UserId(900'000)};
  const auto seen = memory.Relations(kRead, UserId(kStar), targets);
  ASSERT_TRUE(seen) << "5 is too old a fan to be among those held";
  EXPECT_EQ(*seen, (std::vector{Directions{true, true}, Directions{true, false}}));
  const auto friends = memory.FriendsPage(kRead, UserId(kStar), {}, 10);
  ASSERT_TRUE(friends);
  EXPECT_EQ(*friends, (std::vector<ListedUser>{{UserId(5), 5}}));
  const auto counts = memory.Counts(kRead, std::vector{UserId(kStar)});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front(), (UserCounts{UserId(kStar), 2, kFanCount, 1}));
}

// 5 is an old fan: the table is asked whether 5 still is one, while the reader's position moves
// on.
TEST_F(CelebrityTest, CountsAreOfOnePositionThoughTheirPartsAreNot) {
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  ASSERT_TRUE(warm.Page(kFollowing, Generation(1), UserId(kStar), {}, 10));
  const auto move_on = [this](std::uint64_t subject) {
    const Partition partition = world_.deployment().placement.PartitionOf(UserId(subject));
    world_.MoveReader(partition, world_.End(partition));
  };
  const auto counts = [this] {
    const auto counted = Reader().Counts(kRead, std::vector{UserId(kStar)});
    return counted ? counted->front() : UserCounts();
  };
  world_.on_viewed = [&] {
    world_.Decide(UserId(5), UserId(kStar), false, 0);
    move_on(5);
    world_.on_viewed = [] {};
  };
  EXPECT_EQ(counts(), (UserCounts{UserId(kStar), 2, kFanCount - 1, 0}));
  world_.on_viewed = [&] {
    world_.Decide(UserId(kStar), UserId(7), true, 9);
    move_on(kStar);
    world_.on_viewed = [] {};
  };
  EXPECT_EQ(counts(), (UserCounts{UserId(kStar), 3, kFanCount - 1, 1})) << "looked for anew";
}

// 5 has left, which the fans' table shows before the reader comes to it.
class CelebrityAheadOfRTest : public CelebrityTest {
 protected:
  CelebrityAheadOfRTest() {
    LiveReader warm = Reader();
    EXPECT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
    EXPECT_TRUE(warm.Page(kFollowing, Generation(1), UserId(kStar), {}, 10));
    world_.Decide(UserId(5), UserId(kStar), false, 0);
    world_.MoveLane(kFans, left_, ShardOf(kStar), world_.End(left_));
  }
  const Partition left_ = world_.deployment().placement.PartitionOf(UserId(5));
};

TEST_F(CelebrityAheadOfRTest, CountsWaitUntilRIsWhereTheirFriendsAre) {
  std::jthread mover;
  world_.on_viewed = [&] {
    // Whoever does not wait is done by then.
    mover = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      world_.MoveReader(left_, world_.End(left_));
    });
    world_.on_viewed = [] {};
  };
  ListFetcher patient(world_.live, /*ahead_wait_ms=*/60'000);
  LiveReader reader(world_.live, patient, world_.deployment(), &world_);
  const auto counts = reader.Counts(kRead, std::vector{UserId(kStar)});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front(), (UserCounts{UserId(kStar), 2, kFanCount - 1, 0}));
  EXPECT_FALSE(reader.as_tables_are());
}

TEST_F(CelebrityAheadOfRTest, CountsAreTheTablesWhereRDoesNotCome) {
  LiveReader reader = Reader();
  const auto counts = reader.Counts(kRead, std::vector{UserId(kStar)});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front(), (UserCounts{UserId(kStar), 2, kFanCount - 1, 0}));
  EXPECT_TRUE(reader.as_tables_are());
}

// The star's following is ahead of the reader, and somebody installs a view of it from before once
// that is known.
TEST_F(CelebrityTest, CountsAreOfOnePositionThoughTheirListWasAheadOfTheReader) {
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  const Partition partition = world_.deployment().placement.PartitionOf(UserId(kStar));
  const std::vector<ListQuestion> following = {{kFollowing, {}, kWholeRowsMax, {}}};
  const LiveLists::Ticket ticket = world_.live.NewTicket(ShardOf(kStar), kRead);
  const Result<UserView> before =
      (*world_.On(ShardOf(kStar)))->View(kRead, UserId(kStar), partition, following);
  ASSERT_TRUE(before);
  Follow(kStar, 7, 9);
  world_.MoveLane(kFollowing, partition, ShardOf(kStar), world_.End(partition));
  int views = 0;
  world_.on_viewed = [&] {
    constexpr int kOfFans = 3;  // behind two of the star's following
    if (++views != kOfFans) return;
    const LiveLists::Source source{kFollowing, UserId(kStar), &before->position, ticket};
    EXPECT_EQ(world_.live.Install(source, {before->answers[0], true, before->following}),
              ViewState::kAtReader);
  };
  LiveReader reader = Reader();
  const auto counts = reader.Counts(kRead, std::vector{UserId(kStar)});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->front(), (UserCounts{UserId(kStar), 3, kFanCount, 2}));
  EXPECT_TRUE(reader.as_tables_are());
}

TEST_F(CelebrityTest, ChecksOfUsersWhoAreHeldInPartAskTheTable) {
  constexpr std::uint64_t kCollector = 700'000;  // follows more than are held, the star first
  Follow(kCollector, kStar, 1);
  for (std::uint64_t object = 2; object < kFanCount; ++object) {
    Follow(kCollector, object, static_cast<std::int64_t>(object));
  }
  MoveEverything();
  LiveReader warm = Reader();
  ASSERT_TRUE(warm.Page(kFollowing, Generation(1), UserId(kCollector), {}, 10));
  ASSERT_TRUE(warm.Page(kFans, Generation(1), UserId(kStar), {}, 10));
  LiveReader reader = Reader();
  const auto seen = reader.Relations(kRead, UserId(kStar), std::vector{UserId(kCollector)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, (std::vector{Directions{false, true}}));
}

TEST_F(CelebrityTest, ChecksOfUsersWhoAreNotHeldAskTheTable) {
  LiveReader reader = Reader();
  const auto seen = reader.Relations(kRead, UserId(kStar), std::vector{UserId(7), UserId(800'000)});
  ASSERT_TRUE(seen);
  EXPECT_EQ(*seen, (std::vector{Directions{false, true}, Directions{false, false}}));
}

}  // namespace
}  // namespace fanfold::reader
