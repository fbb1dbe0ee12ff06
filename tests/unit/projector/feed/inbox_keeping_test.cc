// Inboxes kept by two processes on real tables of two shards, while lanes, looks, failures and
// changes of ownership come in any order: whatever a reader may look at has to be right.
#include <cstdlib>

#include "tests/unit/projector/feed/inbox_world.h"

namespace fanfold::testing {
namespace {

constexpr int kSteps = 400;

// FANFOLD_INBOX_SEEDS=10000 build/release/bin/unit_projector_feed --gtest_filter=InboxKeeping.*
std::uint32_t Seeds() {
  const char* const told = std::getenv("FANFOLD_INBOX_SEEDS");
  return told == nullptr ? 150 : static_cast<std::uint32_t>(std::atoi(told));
}

TEST(InboxKeeping, WhatIsReadIsRightWhateverComesWhen) {
  std::size_t covered = 0;
  for (std::uint32_t seed = 1; seed <= Seeds() && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    InboxWorld world(seed);
    for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) {
      if (step < kSteps / 2 && step % 2 == 0) world.SomeEvent();
      world.SomeStep();
      covered += world.Check(world.User());
    }
    world.HoldNone();
    world.Settle();
    EXPECT_EQ(world.Audit(), 0U);
    for (std::uint64_t owner = 1; owner <= InboxWorld::kUsers; ++owner) {
      world.Check(owner);
      const std::optional<InboxView> view = world.ViewOf(owner);
      if (!view) continue;
      EXPECT_TRUE(view->head.made) << owner;
      EXPECT_LE(view->inbox.all.posted.size(), 200U);
    }
  }
  EXPECT_GT(covered, Seeds() * 20);  // it was not idle
}

TEST(InboxKeeping, AnAuthorOfManyIsPulledUntilHeHasFewerAgain) {
  InboxWorld world(1);
  for (std::uint64_t fan = 2; fan <= 7; ++fan) world.Relate(EventType::kFollow, fan, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  world.Publish(PostEventType::kPost, 1, 1, 5);
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().inbox.all.pulled, std::vector{UserId(1)});
  const auto look_anew = [&world](std::uint64_t owner) {
    world.Look(owner, FeedEventType::kForget);
    world.Settle();
    EXPECT_FALSE(world.ViewOf(owner));
    world.Look(owner);
    world.Settle();
  };
  for (const std::uint64_t fan : {6, 7}) world.Relate(EventType::kUnfollow, fan, 1);
  world.Settle();
  world.Publish(PostEventType::kPost, 1, 9, 4);
  world.Settle();
  look_anew(4);
  EXPECT_EQ(world.ViewOf(4).value().inbox.all.pulled, std::vector{UserId(1)}) << "with 4 of 5";
  for (const std::uint64_t fan : {4, 5}) world.Relate(EventType::kUnfollow, fan, 1);
  world.Look(3);
  world.Settle();
  world.Publish(PostEventType::kPost, 1, 2, 6);
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().inbox.all.pulled, std::vector{UserId(1)})
      << "until it is made anew";
  EXPECT_EQ(world.ViewOf(3).value().inbox.all.pulled, std::vector{UserId(1)});
  look_anew(3);
  EXPECT_TRUE(world.ViewOf(3).value().inbox.all.pulled.empty());
  EXPECT_EQ(world.ViewOf(3).value().inbox.all.posted.size(), 3U);
}

// One shard has the author's post already when the author has too many fans, the other has not.
TEST(InboxKeeping, OfShardsThatStandApartBothAreTold) {
  InboxWorld world(1);
  const std::uint64_t author = world.UserOn(Shard(0));
  for (std::uint64_t fan = 2; fan <= 5; ++fan) world.Relate(EventType::kFollow, fan, author);
  world.Settle();
  for (std::uint64_t fan = 2; fan <= 5; ++fan) world.Look(fan);
  world.Settle();
  world.Refuse(Shard(1));
  world.Publish(PostEventType::kPost, author, 1, 5);
  world.Settle();
  world.Relate(EventType::kFollow, 6, author);
  world.Settle();
  world.Refuse({});
  world.Settle();
  world.Publish(PostEventType::kPost, author, 2, 6);
  world.Publish(PostEventType::kPost, author, 3, 7);
  world.Settle();
  for (std::uint64_t fan = 2; fan <= 5; ++fan) {
    EXPECT_TRUE(world.ViewOf(fan).value().head.made) << fan;
    world.Check(fan);
  }
}

// In the end the owner follows the author by another edge than when the post was delivered. Its
// deletion came between: what was delivered says nothing.
TEST(InboxKeeping, WhatWasDeliveredBeforeFansHaveComeIsForgotten) {
  InboxWorld world(1);
  const std::uint64_t author = world.UserOn(Shard(0));
  const std::uint64_t other = world.UserOn(Shard(1));
  const auto ask = [&world, author](EventType type) {
    world.Relate(type, 2, author);
    world.Settle();
  };
  ask(EventType::kFollow);
  world.Hold(projections::kFans, Shard(1));
  world.Relate(EventType::kFollow, 2, other);
  world.Settle();
  world.Look(2);
  world.Settle();
  world.Publish(PostEventType::kPost, author, 1, 5);
  world.Settle();
  EXPECT_FALSE(world.ViewOf(2).value().head.made);
  ask(EventType::kUnfollow);
  world.Publish(PostEventType::kDeletePost, author, 1, 6);
  world.Settle();
  ask(EventType::kFollow);
  world.Restart(world.keepers()[0]);
  world.HoldNone();
  world.Settle();
  EXPECT_TRUE(world.ViewOf(2).value().head.made);
  EXPECT_EQ(world.Check(2), 2U);
}

TEST(InboxKeeping, WhoDoesNotLookForDaysHasNone) {
  InboxWorld world(1);
  world.Relate(EventType::kFollow, 2, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  EXPECT_TRUE(world.ViewOf(2).value().head.made);
  world.clock().now_ms += 2 * projector::InboxMaker::kDayMs;
  world.Settle();
  EXPECT_FALSE(world.ViewOf(2));
}

TEST(InboxKeeping, ManyPartsBecomeOneThatIsNoLonger) {
  InboxWorld world(1);
  world.Relate(EventType::kFollow, 2, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  for (std::uint64_t post = 1; post <= 300; ++post) {
    world.Publish(PostEventType::kPost, 1, post, static_cast<std::int64_t>(post));
    if (post % 4 == 0) world.Settle();
    if (post % 20 == 0) world.Look(2);
  }
  const InboxView view = world.ViewOf(2).value();
  EXPECT_GE(view.inbox.all.posted.size(), InboxWorld::kLimits.length);
  EXPECT_LE(view.inbox.all.posted.size(),
            InboxWorld::kLimits.length + 4 * (projector::InboxDeliverer::kPartsMax +
                                              projector::InboxDeliverer::kCountEvery));
  EXPECT_GT(view.inbox.floor, kInboxWhole);
  world.Check(2);
}

TEST(InboxKeeping, OneThatCoversTooFewIsMadeAnew) {
  InboxWorld world(1);
  world.Relate(EventType::kFollow, 2, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  const Offset before = world.ViewOf(2).value().head.follows_at;
  for (std::uint64_t other = 100; other < 102 + projector::InboxMaker::kChangedMax; ++other) {
    world.Relate(EventType::kFollow, 2, other);
  }
  world.Settle();
  EXPECT_GT(world.ViewOf(2).value().changed.size(), projector::InboxMaker::kChangedMax);
  world.clock().now_ms += projector::InboxMaker::kDayMs;
  world.Look(2);
  world.Settle();
  EXPECT_TRUE(world.ViewOf(2).value().changed.empty());
  EXPECT_GT(world.ViewOf(2).value().head.follows_at, before);
}

// follows: how many; changes: of them anew since. A day later its owner looks.
bool IsMadeAnew(std::uint64_t follows, std::uint64_t changes) {
  InboxWorld world(1);
  for (std::uint64_t author = 101; author <= 100 + follows - changes; ++author) {
    world.Relate(EventType::kFollow, 2, author);
  }
  world.Settle();
  world.Look(2);
  world.Settle();
  for (std::uint64_t author = 101 + follows - changes; author <= 100 + follows; ++author) {
    world.Relate(EventType::kFollow, 2, author);
  }
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().changed.size(), changes);
  world.clock().now_ms += projector::InboxMaker::kDayMs;
  world.Look(2);
  world.Settle();
  return world.ViewOf(2).value().changed.empty();
}

TEST(InboxKeeping, OneThatCoversLessThanHalfOfWhomItsOwnerFollowsIsMadeAnew) {
  EXPECT_FALSE(IsMadeAnew(10, 1));
  EXPECT_FALSE(IsMadeAnew(10, 5));
  EXPECT_TRUE(IsMadeAnew(10, 6));
  EXPECT_TRUE(IsMadeAnew(3, 2));
}

TEST(InboxKeeping, OneThatHasLostMostOfItsEntriesIsMadeAnew) {
  InboxWorld world(1);
  world.Relate(EventType::kFollow, 2, 1);
  world.Settle();
  for (std::uint64_t post = 1; post <= 100; ++post) {
    world.Publish(PostEventType::kPost, 1, post, static_cast<std::int64_t>(post));
  }
  world.Look(2);
  world.Settle();
  const std::vector<InboxEntry> posted = world.ViewOf(2).value().inbox.all.posted;
  ASSERT_LT(posted.size(), 90U);
  for (const InboxEntry& entry : posted) {
    if (entry != posted.back()) {
      world.Publish(PostEventType::kDeletePost, 1, entry.post.value, 200);
    }
  }
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().inbox.all.posted.size(), 1U);
  world.clock().now_ms += projector::InboxMaker::kDayMs;
  world.Look(2);
  world.Settle();
  EXPECT_GE(world.ViewOf(2).value().inbox.all.posted.size(), InboxWorld::kLimits.length);
}

struct Damage {
  std::string name;
  std::string statement;
  std::size_t found;
};
class DamagedInboxes : public ::testing::TestWithParam<Damage> {};

// Of two owners.
TEST_P(DamagedInboxes, AreFoundAndMadeAnew) {
  InboxWorld world(1);
  for (const std::uint64_t owner : {2, 3}) {
    world.Relate(EventType::kFollow, owner, 1);
    world.Relate(EventType::kFollow, owner, 9);
  }
  world.Settle();
  for (std::uint64_t post = 1; post <= 3; ++post) {
    world.Publish(PostEventType::kPost, 1, post, static_cast<std::int64_t>(post));
  }
  for (const std::uint64_t owner : {2, 3}) world.Look(owner);
  world.Settle();
  world.Publish(PostEventType::kPost, 9, 7, 9);
  world.Publish(PostEventType::kDeletePost, 1, 1, 9);
  world.Settle();
  ASSERT_EQ(world.Audit(), 0U);
  world.Sql(GetParam().statement);
  EXPECT_EQ(world.Audit(/*mends=*/true), GetParam().found);
  world.Settle();
  EXPECT_EQ(world.Audit(), 0U);
  for (const std::uint64_t owner : {2, 3}) {
    EXPECT_TRUE(world.ViewOf(owner).value().head.made);
    world.Check(owner);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Damages, DamagedInboxes,
    ::testing::Values(Damage{"None", "UPDATE inboxes SET made = made", 0},
                      Damage{"PostsOfTheTables", "DELETE FROM inbox_parts WHERE source = -1", 2},
                      Damage{"OneOwners", "DELETE FROM inbox_parts WHERE owner_id = 2", 1},
                      Damage{"WhatWasDelivered", "DELETE FROM inbox_parts WHERE source >= 0", 2},
                      // Of 1, with the score 5 and the id 4.
                      Damage{"APostThatIsNot",
                             "INSERT INTO inbox_parts SELECT owner_id, 0, 999, x'010a02040000' "
                             "FROM inboxes WHERE owner_id = 3",
                             1},
                      Damage{"BytesThatSayNothing", "UPDATE inbox_parts SET bytes = x'ff'", 2},
                      Damage{"PartsOfNobody",
                             "INSERT INTO inbox_parts VALUES (77, 0, 999, x'010a02040000')", 2}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::testing
