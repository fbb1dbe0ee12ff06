#include "projector/runtime/projector.h"

#include <atomic>
#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/relation/codec.h"
#include "projector/relations/relation_fold.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_store.h"
#include "tests/support/wait_until.h"

namespace fanfold::testing {

using namespace projector;
namespace {

// Owns one partition from the start, or when it is told so.
class Alone final : public PartitionOwnership {
 public:
  Status Join(Callbacks callbacks) override {
    callbacks_ = std::move(callbacks);
    if (!is_late_) Tell({Partition(0)});
    return {};
  }
  void Leave() override {}

  void BeLate() { is_late_ = true; }
  void Tell(const std::vector<Partition>& gained) { callbacks_.gained(gained); }

 private:
  bool is_late_ = false;
  Callbacks callbacks_;
};

// What becomes of a shard beneath its sessions.
struct ShardIs {
  std::atomic<bool> another{false};   // they ask whose schema they have reached
  std::atomic<bool> has_next{false};  // a second generation
  std::atomic<bool> is_slow{false};   // a worker is not made before it is over
};

class AskingStore final : public MemoryStore {
 public:
  AskingStore(MemoryTables& tables, const ShardIs& is) : MemoryStore(tables), is_(is) {}

  Result<std::vector<FoldedGeneration>> Generations(Projection projection) override {
    if (is_.another) return Fail(ErrorCode::kRefused, "another shard's");
    auto generations = MemoryStore::Generations(projection);
    if (generations && is_.has_next) generations->push_back({.generation = Generation(2)});
    return generations;
  }
  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    if (is_.another) return Fail(ErrorCode::kRefused, "another shard's");
    return MemoryStore::TakeFences(lanes, new_decide, owner);
  }

 private:
  const ShardIs& is_;
};

// What the catalog reads: `first` once, `then` afterwards.
struct CatalogSays {
  Generation first{1};
  Generation then{1};
  std::atomic<int> asked{0};

  Generation Read() { return asked++ == 0 ? first : then; }
};

class ProjectorTest : public ::testing::Test {
 protected:
  bool Says(const std::string& what) {
    return WaitUntil([&] {
      const Status health = projector_.Health();
      return !health && health.error().message.find(what) != std::string::npos;
    });
  }
  bool IsReady() {
    return WaitUntil([&] { return projector_.Health().has_value(); });
  }

  const RelationFold projection_{projections::kFans, FollowLimit(0)};
  MemoryLog log_{1};
  MemoryTables tables_;
  const SystemClock clock_;
  Metrics metrics_;
  ProjectorMetrics series_{metrics_, projections::kFans};
  ShardIs shard_;
  CatalogSays catalog_;
  Alone ownership_;
  Projector projector_{projection_,
                       1,
                       "test",
                       {log_,
                        [this](Shard) -> Result<std::unique_ptr<LaneStore>> {
                          return std::make_unique<AskingStore>(tables_, shard_);
                        },
                        [this](SlotMapId) {
                          shard_.is_slow.wait(true);
                          return Placement::Modulo({1, 1});
                        },
                        [this](Projection) { return catalog_.Read(); }, clock_, series_}};
};

TEST_F(ProjectorTest, IsReadyOnlyWhileTheLogIsThere) {
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(IsReady());
  log_.BeAway(true);
  EXPECT_TRUE(Says("log: away"));
  log_.BeAway(false);
  EXPECT_TRUE(IsReady());
}

TEST_F(ProjectorTest, IsReadyOnceItWasToldItsPartitionsAndTheirLanesFold) {
  ownership_.BeLate();
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(Says("not told its partitions yet"));
  ownership_.Tell({Partition(0)});
  const Status told = projector_.Health();
  EXPECT_TRUE(!told || tables_.lanes.size() == 1U) << "ready, and nobody folds";
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(tables_.lanes.size(), 1U);
}

TEST_F(ProjectorTest, IsReadyWhenThereIsNoPartitionForIt) {
  ownership_.BeLate();
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(Says("not told its partitions yet"));
  ownership_.Tell({});
  EXPECT_TRUE(IsReady());
}

TEST_F(ProjectorTest, TakesAShardOnceItIsTheOneThatItShouldBe) {
  shard_.another = true;
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(Says("another shard's"));
  shard_.another = false;
  EXPECT_TRUE(IsReady()) << "it came back as the one that it is";
  EXPECT_TRUE(WaitUntil([&] { return series_.claims.Value() > 0; }));
  projector_.Stop();
  EXPECT_EQ(tables_.lanes.size(), 1U);
}

TEST_F(ProjectorTest, HaltsWhereTheCatalogReadsWhatTheShardHasNotYet) {
  catalog_.first = catalog_.then = Generation(2);
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(WaitUntil([&] { return series_.halted.Value() > 0; }));
  projector_.Stop();
  EXPECT_EQ(tables_.lanes.begin()->second.reason, "other_generations");
}

TEST_F(ProjectorTest, FoldsWhereItIsTheCatalogThatIsOlder) {
  catalog_.first = catalog_.then = Generation(0);
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(IsReady());
  EXPECT_TRUE(WaitUntil([&] { return catalog_.asked >= 1; }));
  EXPECT_EQ(series_.halted.Value(), 0);
}

// It may have been promoted, and the others dropped, between the two questions.
TEST_F(ProjectorTest, LooksTwiceBeforeItHalts) {
  catalog_.first = Generation(2);
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(WaitUntil([&] { return catalog_.asked >= 2; }));
  EXPECT_TRUE(IsReady());
  EXPECT_EQ(series_.halted.Value(), 0);
}

TEST_F(ProjectorTest, AsksOnWhetherTheCatalogReadsWhatTheShardHas) {
  catalog_.first = catalog_.then = Generation(2);
  ASSERT_TRUE(projector_.Start(ownership_));
  ASSERT_TRUE(WaitUntil([&] { return series_.halted.Value() > 0; }));
  const int asked = catalog_.asked;
  EXPECT_TRUE(WaitUntil([&] { return catalog_.asked > asked; }));
}

// A rebuild loads it there, or a younger backup has it: both leave what was there before the
// restore.
TEST_F(ProjectorTest, GoesOnWhereWhatTheCatalogReadsIsBack) {
  catalog_.first = catalog_.then = Generation(2);
  shard_.has_next = true;
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(IsReady());
  shard_.has_next = false;
  ASSERT_TRUE(WaitUntil([&] { return series_.halted.Value() > 0; }));
  shard_.has_next = true;
  Outcome outcome;
  outcome.kind = OutcomeKind::kFollowed;
  outcome.position = {Partition(0), Offset(0)};
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  log_.Put(topics::kRelationOutcomes, Partition(0), "1", EncodeOutcome(outcome));
  EXPECT_TRUE(WaitUntil([&] { return series_.records.Value() > 0; })) << "generation 2 folds";
  projector_.Stop();
  EXPECT_NE(tables_.lanes.rbegin()->second.state, LaneState::kHalted);
}

TEST_F(ProjectorTest, IsNotReadyWhileTheWorkerOfAGenerationIsMade) {
  ASSERT_TRUE(projector_.Start(ownership_));
  ASSERT_TRUE(IsReady());
  shard_.is_slow = true;
  shard_.has_next = true;
  EXPECT_TRUE(Says("generation 2 starts"));
  shard_.is_slow = false;
  shard_.is_slow.notify_all();
  EXPECT_TRUE(IsReady());
}

TEST_F(ProjectorTest, LeavesATableThatStaysAnotherShardsAlone) {
  shard_.another = true;
  ASSERT_TRUE(projector_.Start(ownership_));
  EXPECT_TRUE(Says("another shard's"));
  projector_.Stop();
  EXPECT_TRUE(tables_.lanes.empty());
}

}  // namespace
}  // namespace fanfold::testing
