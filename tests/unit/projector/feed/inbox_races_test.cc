// Deliveries while another one has the partition, and while another generation of fans is read.
#include "tests/unit/projector/feed/inbox_world.h"

namespace fanfold::testing {
namespace {

TEST(InboxRaces, WhoIsFencedPullsNobody) {
  InboxWorld world(1);
  for (std::uint64_t fan = 2; fan <= 5; ++fan) world.Relate(EventType::kFollow, fan, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  std::vector<Error> failures;
  InboxWorld::Keeper& second = world.keepers()[1];
  second.owned.insert(world.OwnerOf(1).partition);
  static_cast<void>(second.deliverer->Step(0, failures));
  const InboxWorld::Keeper late = std::move(second);
  second.owned = late.owned;
  world.Restart(second);
  world.Publish(PostEventType::kPost, 1, 1, 5);
  world.Settle();
  world.Relate(EventType::kFollow, 6, 1);
  world.Settle();
  static_cast<void>(late.deliverer->Step(0, failures));
  EXPECT_FALSE(failures.empty());
  world.Publish(PostEventType::kPost, 1, 2, 6);
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().inbox.all.pulled, std::vector{UserId(1)}) << "as it is told";
}

// It was loading when the inbox was made, and is read while it lacks the fan: what it delivered
// would be missing once the one before is read again.
TEST(InboxRaces, NobodyDeliversByFansWhoLackWhatAnotherGenerationHad) {
  constexpr Generation kG2{2};
  InboxWorld world(1);
  const Projection fans = projections::kFans;
  std::vector<std::unique_ptr<GenerationOperations>> of_shards;
  for (std::int32_t s = 0; s < InboxWorld::kShards; ++s) {
    of_shards.push_back(NewSqliteGenerationOperations(world.TablesOf(Shard(s))));
    std::vector<Partition> all;
    for (std::int32_t p = 0; p < InboxWorld::kPartitions; ++p) all.emplace_back(p);
    ASSERT_TRUE(of_shards.back()->Create(fans, kG2, kFirstSlotMap, all, std::nullopt));
  }
  world.Relate(EventType::kFollow, 2, 1);
  world.Settle();
  world.Look(2);
  world.Settle();
  ASSERT_TRUE(world.ViewOf(2).value().head.made);
  for (const auto& shard : of_shards) ASSERT_TRUE(shard->FinishLoading(fans, kG2));
  ASSERT_TRUE(of_shards[0]->Read(fans, kG2));
  world.Refuse(world.ShardOf(2));
  world.Publish(PostEventType::kPost, 1, 1, 5);
  world.Settle();
  world.Refuse({});
  std::vector<Error> failures;
  for (InboxWorld::Keeper& keeper : world.keepers()) {
    ASSERT_TRUE(world.Look(keeper));
    for (int step = 0; step < 4; ++step) {
      static_cast<void>(keeper.deliverer->Step(0, failures));
    }
  }
  EXPECT_FALSE(failures.empty());
  ASSERT_TRUE(of_shards[0]->Read(fans, kG1));
  world.Settle();
  EXPECT_EQ(world.ViewOf(2).value().inbox.all.posted.size(), 1U);
  EXPECT_EQ(world.Check(2), 1U);
}

}  // namespace
}  // namespace fanfold::testing
