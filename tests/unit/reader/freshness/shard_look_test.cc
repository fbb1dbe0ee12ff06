#include "reader/freshness/shard_look.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "reader/cache/live_lists.h"
#include "tests/support/memory_reader.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::MemoryReader;
using testing::MemoryTables;

using projections::kFans;

class LacksRepairs final : public MemoryReader {
 public:
  LacksRepairs(const MemoryTables& tables, const Placement& placement, Shard shard,
               const bool& repairs_fail, const bool& is_anothers)
      : MemoryReader(tables, placement, shard),
        repairs_fail_(repairs_fail),
        is_anothers_(is_anothers) {}

  // As an adapter says that its session has reached another's schema.
  Result<std::vector<LaneStatus>> Lanes() override {
    if (is_anothers_) return Fail(ErrorCode::kRefused, "its schema is shard 0's");
    return MemoryReader::Lanes();
  }

  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after, std::size_t limit) override {
    if (repairs_fail_) return Fail(ErrorCode::kRefused, "no table of repairs");
    return MemoryReader::RepairsAfter(after, limit);
  }

 private:
  const bool& repairs_fail_;
  const bool& is_anothers_;
};

// One of two shards, whose look a test takes when it wants to.
class ShardLookTest : public ::testing::Test {
 protected:
  ShardLookTest() {
    live_.SetRead({});
    live_.Start(placement_, std::vector<Offset>(4, Offset(0)));
    SetLane(5);
  }

  void SetLane(std::int64_t at) {
    tables_.lanes[{kFans, Generation(1), Partition(0)}].progress.event_offset = Offset(at);
  }
  // A user of that shard.
  [[nodiscard]] UserId UserOf(Shard shard) const {
    std::uint64_t id = 1;
    while (placement_.ShardOf(UserId(id)) != shard) ++id;
    return UserId(id);
  }
  void Hold(UserId user) {
    const ViewPosition position;
    const LiveLists::Ticket ticket = live_.NewTicket(placement_.ShardOf(user), {});
    ASSERT_EQ(live_.Install({Direction::kFans, user, &position, ticket}, {}), ViewState::kAtReader);
  }
  [[nodiscard]] bool Holds(UserId user) {
    return live_.cache().With(user, [](const HeldLists& held) { return held.fans != nullptr; });
  }

  const Placement placement_ = Placement::Modulo({4, 2});
  testing::FakeClock clock_;
  Metrics metrics_;
  MemoryTables tables_;
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};
  const ReaderFactory factory_ = [this](Shard) -> Result<std::unique_ptr<ProjectionReader>> {
    if (away_) return Fail(ErrorCode::kUnavailable, "away");
    return std::make_unique<LacksRepairs>(tables_, placement_, Shard(1), repairs_fail_,
                                          is_anothers_);
  };
  bool repairs_fail_ = false;
  bool is_anothers_ = false;
  bool away_ = false;
  ShardLook look_{Shard(1), board_, live_, factory_, metrics_.GetGauge("repairs", ""), clock_};
};

TEST_F(ShardLookTest, TablesThatWentBackDropTheListsOfTheirShard) {
  const UserId own = UserOf(Shard(1));
  const UserId other = UserOf(Shard(0));
  ASSERT_TRUE(look_.Look());
  Hold(own);
  Hold(other);
  SetLane(6);
  ASSERT_TRUE(look_.Look());
  EXPECT_TRUE(Holds(own)) << "they went on";
  SetLane(4);
  ASSERT_TRUE(look_.Look());
  EXPECT_FALSE(Holds(own));
  EXPECT_TRUE(Holds(other));
}

TEST_F(ShardLookTest, RestoredTablesAreAskedForTheirRepairsFromTheFirstOn) {
  const UserId own = UserOf(Shard(1));
  tables_.repairs = {{7, kFans, Generation(1), own}};
  ASSERT_TRUE(look_.Look());
  SetLane(4);
  tables_.repairs = {{3, kFans, Generation(1), own}};
  ASSERT_TRUE(look_.Look());
  const ViewPosition lacking{Offset(0), {}, 2};
  clock_.Advance(ShardLook::kChangesPollMs);
  ASSERT_TRUE(look_.Look());
  const LiveLists::Ticket ticket = live_.NewTicket(Shard(1), {});
  EXPECT_EQ(live_.Install({Direction::kFans, own, &lacking, ticket}, {}), ViewState::kStale);
}

TEST_F(ShardLookTest, MoreRepairsThanAreReadAtOnceDropTheShard) {
  const UserId own = UserOf(Shard(1));
  ASSERT_TRUE(look_.Look());
  Hold(own);
  // All of one mark: those that were not read are not asked for again.
  tables_.repairs.assign(ShardLook::kRepairsMax, {1, kFans, Generation(1), UserId(900'000)});
  tables_.repairs.push_back({1, kFans, Generation(1), own});
  clock_.Advance(ShardLook::kChangesPollMs);
  ASSERT_TRUE(look_.Look());
  EXPECT_FALSE(Holds(own));
}

TEST_F(ShardLookTest, AnotherShardsSchemaIsRefusedByNameAndNeverUp) {
  is_anothers_ = true;
  for (int tries = 0; tries < 2; ++tries) {
    const Status looked = look_.Look();
    ASSERT_FALSE(looked);
    EXPECT_EQ(looked.error().code, ErrorCode::kRefused);
    EXPECT_TRUE(looked.error().message.starts_with("its schema is shard 0's"));
    EXPECT_FALSE(board_.ShardUp(Shard(1)));
  }
}

// Behind an address that others take over no session fails.
TEST_F(ShardLookTest, ASessionThatLeadsToAnotherShardIsNoticedAndItsRowsAreNotHeld) {
  const UserId own = UserOf(Shard(1));
  ASSERT_TRUE(look_.Look());
  Hold(own);
  is_anothers_ = true;
  const Status looked = look_.Look();
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ErrorCode::kRefused);
  EXPECT_FALSE(Holds(own));
  Hold(own);  // read before that look, by a session that leads there too
  is_anothers_ = false;
  ASSERT_TRUE(look_.Look());
  EXPECT_FALSE(Holds(own));
  Hold(own);
  ASSERT_TRUE(look_.Look());
  EXPECT_TRUE(Holds(own));
}

TEST_F(ShardLookTest, AShardThatIsAwayKeepsWhatIsHeld) {
  const UserId own = UserOf(Shard(1));
  away_ = true;
  ASSERT_FALSE(look_.Look());
  EXPECT_FALSE(board_.ShardUp(Shard(1)));
  Hold(own);
  ASSERT_FALSE(look_.Look());
  EXPECT_TRUE(Holds(own));
  away_ = false;
  ASSERT_TRUE(look_.Look());
  EXPECT_TRUE(board_.ShardUp(Shard(1)));
}

TEST_F(ShardLookTest, RepairsThatCannotBeReadAreToldAndTheShardStaysUp) {
  const UserId own = UserOf(Shard(1));
  ASSERT_TRUE(look_.Look());
  Hold(own);
  repairs_fail_ = true;
  for (int looks = 0; looks < 4; ++looks) {
    clock_.Advance(ShardLook::kChangesPollMs / 2);
    ASSERT_TRUE(look_.Look());
    EXPECT_TRUE(board_.ShardUp(Shard(1)));
  }
  board_.SetLanes(Shard(0), {});
  EXPECT_EQ(board_.Ready().error().message, "shard 1: no table of repairs");
  EXPECT_FALSE(Holds(own)) << "whether it was mended is not known";
  repairs_fail_ = false;
  clock_.Advance(ShardLook::kChangesPollMs);
  ASSERT_TRUE(look_.Look());
  EXPECT_EQ(board_.Ready().error().message, "catalog: not read yet");
}

TEST_F(ShardLookTest, ARepairDropsTheListItNamesAlone) {
  const UserId own = UserOf(Shard(1));
  ASSERT_TRUE(look_.Look());
  Hold(own);
  tables_.repairs = {{1, kFans, Generation(1), UserId(900'000)}};
  clock_.Advance(ShardLook::kChangesPollMs);
  ASSERT_TRUE(look_.Look());
  EXPECT_TRUE(Holds(own));
  tables_.repairs.push_back({2, kFans, Generation(1), own});
  clock_.Advance(ShardLook::kChangesPollMs);
  ASSERT_TRUE(look_.Look());
  EXPECT_FALSE(Holds(own));
}

}  // namespace
}  // namespace fanfold::reader
