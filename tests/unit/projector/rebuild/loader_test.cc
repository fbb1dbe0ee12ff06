#include "projector/rebuild/loader.h"

#include <gtest/gtest.h>
#include <vector>

#include "projector/rebuild/log_moment.h"
#include "projector/runtime/patient_poll.h"
#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr Generation kG2{2};

class FreePace final : public ScanPace {
 public:
  bool Read(std::int64_t) override { return reads_left-- > 0; }
  int reads_left = 1'000'000;
};

// Two shards whose first generation is folded, and a second one to be loaded.
class LoadingGenerations : public ::testing::Test {
 protected:
  void Fold() {
    for (std::int32_t shard = 0; shard < 2; ++shard) {
      Hand decider = deployment_.Make(following_, shard);
      deployment_.Settle(decider);
    }
    for (std::int32_t shard = 0; shard < 2; ++shard) {
      Hand fans = deployment_.Make(fans_, shard);
      deployment_.Settle(fans);
    }
  }

  Status Load(const projector::Fold& fold, std::vector<Offset> until = {},
              std::size_t chunk = 1'000) {
    const auto new_store = [this](Shard shard) -> Result<std::unique_ptr<LaneStore>> {
      return std::make_unique<MemoryStore>(Tables(shard));
    };
    return Loader({deployment_.log, new_store, deployment_.placement, pace_}, fold,
                  {.generation = kG2,
                   .shards = shards_,
                   .owner = "loader",
                   .until = std::move(until),
                   .chunk_bytes_max = chunk * sizeof(EdgeRow)})
        .LoadAll();
  }

  MemoryTables& Tables(Shard shard) {
    return deployment_.tables[static_cast<std::size_t>(shard.value)];
  }

  // By key, of every shard.
  std::map<EdgeKey, Edge> Rows(Projection projection, Generation generation) {
    std::map<EdgeKey, Edge> rows;
    for (const MemoryTables& shard : deployment_.tables) {
      for (const auto& [key, edge] : shard.edges) {
        if (std::get<0>(key) == projection && std::get<1>(key) == generation) {
          rows[std::get<2>(key)] = edge;
        }
      }
    }
    return rows;
  }
  void ExpectSameRows(Projection projection) {
    const auto rows = Rows(projection, kG2);
    EXPECT_FALSE(rows.empty());
    EXPECT_EQ(rows, Rows(projection, Generation(1)));
  }

  void Fill() {
    for (std::uint64_t user = 1; user <= 20; ++user) {
      for (std::uint64_t other = 1; other <= 20; ++other) {
        if (user != other) deployment_.Follow(user, other, static_cast<std::int64_t>(user));
      }
      if (user % 3 == 0) deployment_.Unfollow(user, 1);
      if (user % 6 == 0) deployment_.Follow(user, 1, 999);
    }
    Fold();
  }

  Deployment deployment_{2};
  RelationFold following_{projections::kFollowing, FollowLimit(1000)};
  RelationFold fans_{projections::kFans, FollowLimit(0)};
  FreePace pace_;
  std::vector<Shard> shards_ = {Shard(0), Shard(1)};
};

TEST_F(LoadingGenerations, LoadedRowsAreTheFoldedOnes) {
  Fill();
  ASSERT_TRUE(Load(following_));
  ASSERT_TRUE(Load(fans_));
  ExpectSameRows(projections::kFollowing);
  ExpectSameRows(projections::kFans);
}

TEST_F(LoadingGenerations, ChunksEndWhereTheyLike) {
  Fill();
  ASSERT_TRUE(Load(fans_, {}, 1));
  ExpectSameRows(projections::kFans);
}

TEST_F(LoadingGenerations, StoppedOneGoesOnWhereItWas) {
  Fill();
  pace_.reads_left = 1;
  const Status stopped = Load(fans_);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kTimeout);
  EXPECT_NE(Rows(projections::kFans, kG2), Rows(projections::kFans, Generation(1)));
  pace_.reads_left = 1'000;
  ASSERT_TRUE(Load(fans_));
  ExpectSameRows(projections::kFans);
}

TEST_F(LoadingGenerations, ShardThatIsFoldedAlreadyIsLeftAlone) {
  Fill();
  ASSERT_TRUE(Load(fans_));
  const auto lanes = Tables(Shard(0)).lanes;
  for (auto& [lane, row] : Tables(Shard(1)).lanes) row.progress = {};
  shards_ = {Shard(1)};
  ASSERT_TRUE(Load(fans_));
  for (const auto& [lane, row] : lanes) {
    EXPECT_EQ(Tables(Shard(0)).lanes[lane].fence, row.fence) << lane.partition.value;
  }
  ExpectSameRows(projections::kFans);
}

// As after a kill between two shards, when the next chunk ends earlier in one partition.
TEST_F(LoadingGenerations, ShardThatIsAheadKeepsItsNewerRows) {
  for (std::uint64_t user = 1; user <= 20; ++user) deployment_.Follow(user, 100);
  for (std::uint64_t user = 1; user <= 20; ++user) deployment_.Unfollow(user, 100);
  Fold();
  ASSERT_TRUE(Load(fans_));
  const Shard ahead = deployment_.placement.ShardOf(UserId(100));
  const auto rows = Tables(ahead).edges;
  const LaneId behind{projections::kFans, kG2, Partition(0)};
  Tables(ahead).lanes[behind].progress = {};
  for (auto& [lane, row] : Tables(Shard(1 - ahead.value)).lanes) {
    if (lane.generation == kG2) row.progress = {};
  }
  std::vector<Offset> until;
  for (std::int32_t p = 0; p < Deployment::kPartitions; ++p) {
    const auto events = std::ssize(deployment_.log.Records(topics::kRelationEvents, Partition(p)));
    until.emplace_back(p == 0 ? events : events / 2);
  }
  ASSERT_TRUE(Load(fans_, until));
  EXPECT_EQ(Tables(ahead).edges, rows);
}

// Gives nothing, and errors, for a while: as brokers that stand still.
class HesitantReader final : public LogReader {
 public:
  Status Start(Partition, Offset) override { return {}; }
  void Stop(Partition) override {}
  Result<LogBatch> Poll(std::size_t, std::int64_t) override {
    LogBatch batch;
    switch (polls++) {
      case 0:
        return batch;
      case 1:
        return Fail(ErrorCode::kUnavailable, "nobody leads");
      default:
        batch.records.emplace_back();
        return batch;
    }
  }
  int polls = 0;
};

TEST(PollPatiently, WaitsForALogThatIsSilent) {
  HesitantReader reader;
  FreePace pace;
  const Result<LogBatch> batch = PollPatiently(reader, 10, pace);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->records.size(), 1U);
  EXPECT_EQ(reader.polls, 3);
}

TEST(PollPatiently, EndsWhenThePaceSaysSo) {
  HesitantReader reader;
  FreePace pace;
  pace.reads_left = 0;
  const Result<LogBatch> batch = PollPatiently(reader, 10, pace);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::kTimeout);
}

TEST_F(LoadingGenerations, CopiesOfAnOutcomeMoveNothing) {
  Fill();
  for (std::int32_t p = 0; p < Deployment::kPartitions; ++p) {
    const MemoryRecord copy =
        deployment_.log.Records(topics::kRelationOutcomes, Partition(p)).front();
    deployment_.log.Put(topics::kRelationOutcomes, Partition(p), copy.key, copy.value);
  }
  ASSERT_TRUE(Load(following_));
  ExpectSameRows(projections::kFollowing);
}

TEST_F(LoadingGenerations, OutcomeThatIsMissingIsNoTruthToLoad) {
  Fill();
  auto& outcomes = deployment_.log.Records(topics::kRelationOutcomes, Partition(1));
  outcomes.erase(outcomes.begin() + 2);
  const Status loaded = Load(following_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kRefused);
}

// Follows of then stand; what was undone, or done, afterwards is not seen.
TEST_F(LoadingGenerations, UntilAMomentTheRowsAreThoseOfThen) {
  for (std::uint64_t user = 1; user <= 8; ++user) deployment_.Follow(user, 100);
  Fold();
  const auto then = Rows(projections::kFans, Generation(1));
  constexpr std::int64_t kThenMs = 1'000;
  for (std::int32_t p = 0; p < Deployment::kPartitions; ++p) {
    for (auto& record : deployment_.log.Records(topics::kRelationEvents, Partition(p))) {
      record.appended_ms = kThenMs;
    }
  }
  for (std::uint64_t user = 1; user <= 8; ++user) {
    deployment_.Unfollow(user, 100);
    deployment_.Follow(user, 101);
  }
  Fold();
  FreePace pace;
  const Result<std::vector<Offset>> until =
      EventsUntil(deployment_.log, topics::kRelationEvents, Deployment::kPartitions, kThenMs, pace);
  ASSERT_TRUE(until);
  ASSERT_TRUE(Load(fans_, *until));
  EXPECT_EQ(Rows(projections::kFans, kG2), then);
  for (std::int32_t p = 0; p < Deployment::kPartitions; ++p) {
    const LaneId lane{projections::kFans, kG2, Partition(p)};
    const Offset offset = (*until)[static_cast<std::size_t>(p)];
    EXPECT_EQ(Tables(Shard(0)).lanes[lane].progress.event_offset, offset);
  }
  ASSERT_TRUE(Load(fans_, *until));
  EXPECT_EQ(Rows(projections::kFans, kG2), then) << "once more";
}

TEST_F(LoadingGenerations, WhatIsNotDecidedYetCannotBeLoaded) {
  deployment_.Follow(1, 100);
  Fold();
  const Position undecided = deployment_.Follow(1, 101);
  std::vector<Offset> until(Deployment::kPartitions);
  until[static_cast<std::size_t>(undecided.partition.value)] = Next(undecided.offset);
  for (int times = 0; times < 2; ++times) {
    const Status loaded = Load(fans_, until);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::kRefused);
  }
}

struct Moment {
  std::vector<std::int64_t> appended_ms;
  std::int64_t until_ms;
  std::int64_t events;
};

TEST(LogMoment, EventsBelowItAreThoseAppendedUntilThen) {
  const std::vector<Moment> moments = {
      {{}, 5, 0},           {{5}, 4, 0},          {{5}, 5, 1},
      {{1, 2, 3}, 0, 0},    {{1, 2, 3}, 2, 2},    {{1, 2, 3}, 9, 3},
      {{2, 2, 2, 7}, 2, 3}, {{2, 2, 2, 7}, 6, 3}, {{1, 1, 1, 1}, 1, 4}};
  for (const Moment& moment : moments) {
    MemoryLog log(2);  // more than the deployment has
    for (const std::int64_t at_ms : moment.appended_ms) {
      log.Put(topics::kRelationEvents, Partition(0), "1", "{}");
      log.Records(topics::kRelationEvents, Partition(0)).back().appended_ms = at_ms;
    }
    FreePace pace;
    const Result<std::vector<Offset>> until =
        EventsUntil(log, topics::kRelationEvents, 1, moment.until_ms, pace);
    ASSERT_TRUE(until);
    EXPECT_EQ(until->front(), Offset(moment.events)) << moment.until_ms;
  }
}

}  // namespace
}  // namespace fanfold::testing
