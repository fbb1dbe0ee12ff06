#include "reader/freshness/position_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "reader/freshness/projections_report.h"

namespace fanfold::reader {
namespace {

using projections::kFans;

constexpr Partition kPartition{1};
constexpr Shard kShard{1};
const Deployment kDeployment{Placement::Modulo({4, 2}), {}};

LaneStatus LaneAt(Projection projection, Partition partition, std::int64_t event_offset,
                  Generation generation = Generation(1)) {
  LaneStatus status;
  status.lane = {projection, generation, partition};
  status.progress.event_offset = Offset(event_offset);
  return status;
}

TEST(EndHistory, AgeIsSinceTheFirstLookThatSawTheEvent) {
  EndHistory history;
  history.Observe(Offset(0), 1000);
  history.Observe(Offset(5), 1200);
  history.Observe(Offset(5), 1400);
  history.Observe(Offset(9), 1600);
  EXPECT_EQ(history.AgeMs(Offset(0), 2000), 800);
  EXPECT_EQ(history.AgeMs(Offset(4), 2000), 800);
  EXPECT_EQ(history.AgeMs(Offset(5), 2000), 400);
  EXPECT_EQ(history.AgeMs(Offset(9), 2000), 0) << "not in the log yet";
}

TEST(EndHistory, AnEventJustSeenIsNotNone) {
  EndHistory history;
  history.Observe(Offset(5), 1200);
  EXPECT_EQ(history.AgeMs(Offset(4), 1200), 1);
}

TEST(EndHistory, ThinningNeverMakesAnEventYounger) {
  EndHistory history;
  constexpr std::int64_t kLooks = 5 * static_cast<std::int64_t>(EndHistory::kSamplesMax);
  for (std::int64_t i = 0; i < kLooks; ++i) history.Observe(Offset(i), i);
  for (std::int64_t event = 0; event + 1 < kLooks; ++event) {
    const std::int64_t true_age = kLooks - (event + 1);
    EXPECT_GE(history.AgeMs(Offset(event), kLooks), true_age);
  }
  EXPECT_EQ(history.AgeMs(Offset(kLooks - 2), kLooks), 1) << "the newest stay exact";
}

TEST(EndHistory, AnotherLogStartsAnew) {
  EndHistory history;
  history.Observe(Offset(50), 1000);
  history.Observe(Offset(3), 5000);
  EXPECT_EQ(history.end(), Offset(3));
  EXPECT_EQ(history.AgeMs(Offset(1), 5100), 100);
}

TEST(EndHistory, LearnsTheAgeOfWhatWasThereBefore) {
  EndHistory history;
  history.Observe(Offset(50), 1'000'000);
  EXPECT_TRUE(history.IsOlderThanKnown(Offset(7)));
  history.Learn(Offset(7), 400'000);
  EXPECT_FALSE(history.IsOlderThanKnown(Offset(7)));
  EXPECT_EQ(history.AgeMs(Offset(7), 1'000'100), 600'100);
  EXPECT_TRUE(history.IsOlderThanKnown(Offset(8)));
  EXPECT_FALSE(history.IsOlderThanKnown(Offset(50)));
}

TEST(PositionTable, LagIsOfTheLanesReadAlone) {
  PositionTable table(0);
  table.SetLanes(kShard,
                 {LaneAt(kFans, Partition(0), 2), LaneAt(projections::kFollowing, kPartition, 10),
                  LaneAt(kFans, kPartition, 8)});
  table.ObserveEnd(streams::kRelations, Partition(0), Offset(2), 50);
  table.ObserveEnd(streams::kRelations, kPartition, Offset(10), 100);
  table.EndsSeen(streams::kRelations, 100);
  const LanesRead following[] = {{projections::kFollowing, kShard, kPartition}};
  const LanesRead fans[] = {{kFans, kShard, std::nullopt}};
  EXPECT_EQ(table.LagOf(following, kDeployment, 400).ms, 0);
  EXPECT_EQ(table.LagOf(fans, kDeployment, 400).ms, 300);
  EXPECT_EQ(table.LagOf(fans, kDeployment, 400).events, 2);
}

TEST(PositionTable, EventsOfAGenerationAreThoseOfItsSlowestShards) {
  PositionTable table(0);
  table.SetLanes(Shard(0), {LaneAt(kFans, Partition(0), 9), LaneAt(kFans, Partition(1), 2),
                            LaneAt(kFans, Partition(0), 4, Generation(2))});
  table.SetLanes(Shard(1), {LaneAt(kFans, Partition(0), 7), LaneAt(kFans, Partition(1), 3)});
  EXPECT_EQ(table.EventsHeld(), (PositionTable::OfGenerations{{{kFans, Generation(1)}, 9},
                                                              {{kFans, Generation(2)}, 4}}));
  table.ObserveEnd(streams::kRelations, Partition(0), Offset(9), 1);
  table.ObserveEnd(streams::kRelations, Partition(1), Offset(4), 1);
  EXPECT_EQ(table.EventsInLog(streams::kRelations), 13);
}

TEST(PositionTable, LoadsAreThoseOfGenerationsThatAreLoaded) {
  PositionTable table(0);
  LaneStatus loading = LaneAt(kFans, Partition(0), 0, Generation(2));
  loading.loading = true;
  loading.load = {30, 70};
  LaneStatus loaded = LaneAt(kFans, Partition(0), 9);
  loaded.load = {50, 50};
  table.SetLanes(Shard(0), {loaded, loading});
  const PositionTable::Loads loads = table.LoadsUnderWay();
  EXPECT_EQ(loads.done, (PositionTable::OfGenerations{{{kFans, Generation(2)}, 30}}));
  EXPECT_EQ(loads.total, (PositionTable::OfGenerations{{{kFans, Generation(2)}, 70}}));
}

TEST(PositionTable, AGenerationThatIsLoadedAnywhereIsOnItsWay) {
  PositionTable table(0);
  LaneStatus loading = LaneAt(kFans, Partition(0), 4, Generation(2));
  loading.loading = true;
  table.SetLanes(Shard(0), {LaneAt(kFans, Partition(0), 9)});
  table.SetLanes(Shard(1), {loading});
  EXPECT_TRUE(table.Knows(kFans, Generation(2)));
  EXPECT_FALSE(table.IsThere(kFans, Generation(2), Shard(1), kFirstSlotMap));
  EXPECT_FALSE(table.Knows(kFans, Generation(3)));
  EXPECT_FALSE(table.Knows(projections::kFollowing, Generation(2)));
}

TEST(PositionTable, LanesAreCountedByStateUnlessTheyAreLoaded) {
  PositionTable table(0);
  LaneStatus halted = LaneAt(kFans, Partition(1), 2);
  halted.state = LaneState::kHalted;
  LaneStatus loading = LaneAt(kFans, Partition(0), 4, Generation(2));
  loading.loading = true;
  table.SetLanes(Shard(0), {LaneAt(kFans, Partition(0), 9), halted, loading});
  table.SetLanes(Shard(1), {LaneAt(kFans, Partition(0), 7)});
  EXPECT_EQ(table.LanesByState(), (PositionTable::LaneCounts{{{kFans, LaneState::kRunning}, 2},
                                                             {{kFans, LaneState::kHalted}, 1}}));
}

TEST(PositionTable, LanesThatAreReadStandWhereTheSlowestShardDoes) {
  PositionTable table(0);
  table.ObserveEnd(streams::kRelations, kPartition, Offset(9), 100);
  for (const Stream stream : Stream::All()) table.EndsSeen(stream, 200);
  table.SetLanes(Shard(0), {LaneAt(kFans, kPartition, 9)});
  table.SetLanes(Shard(1),
                 {LaneAt(projections::kFollowing, kPartition, 9), LaneAt(kFans, kPartition, 7),
                  LaneAt(kFans, kPartition, 1, Generation(2))});
  const std::vector<LaneStand> stands = table.Stands(kDeployment, 200);
  const auto of = [&](Projection projection, Partition partition) {
    const auto found = std::ranges::find_if(stands, [&](const LaneStand& stand) {
      return stand.projection == projection && stand.partition == partition;
    });
    return found == stands.end() ? LaneStand{projection, partition, Offset(-1), Offset(-1)}
                                 : *found;
  };
  EXPECT_EQ(of(kFans, kPartition).applied, Offset(7));
  EXPECT_EQ(of(kFans, kPartition).end, Offset(9));
  EXPECT_EQ(of(kFans, kPartition).lag_ms, 100);
  EXPECT_EQ(of(projections::kFollowing, kPartition).applied, Offset(9)) << "of its one shard";
  EXPECT_EQ(of(projections::kFollowing, kPartition).lag_ms, 0);
  EXPECT_EQ(of(kFans, Partition(0)).applied, Offset(0));
  EXPECT_EQ(stands.size(), Projection::All().size() * 4);
}

TEST(PositionTable, LaneWithoutProgressLags) {
  PositionTable table(0);
  table.ObserveEnd(streams::kRelations, kPartition, Offset(4), 100);
  table.EndsSeen(streams::kRelations, 100);
  EXPECT_EQ(table.LagOf({kFans, Generation(1), kPartition}, kShard, 100).events, 4);
}

TEST(PositionTable, LagGrowsWhileTheLogIsAway) {
  PositionTable table(0);
  table.SetLanes(kShard, {LaneAt(projections::kFollowing, kPartition, 10)});
  table.ObserveEnd(streams::kRelations, kPartition, Offset(10), 100);
  table.EndsSeen(streams::kRelations, 100);
  const LaneId lane{projections::kFollowing, Generation(1), kPartition};
  EXPECT_EQ(table.LagOf(lane, kShard, 100 + PositionTable::kEndsStaleMs).ms, 0);
  EXPECT_EQ(table.LagOf(lane, kShard, 101 + PositionTable::kEndsStaleMs).ms,
            PositionTable::kEndsStaleMs + 1);
}

TEST(PositionTable, NamesTheSlowestEventWhoseAgeIsNotKnown) {
  PositionTable table(0);
  table.ObserveEnd(streams::kRelations, kPartition, Offset(10), 100);
  table.SetLanes(Shard(0), {LaneAt(kFans, kPartition, 9)});
  EXPECT_EQ(table.Unaged(streams::kRelations, kPartition, kDeployment), std::nullopt)
      << "shard 1 has not been read";
  table.SetLanes(kShard,
                 {LaneAt(projections::kFollowing, kPartition, 10), LaneAt(kFans, kPartition, 6)});
  EXPECT_EQ(table.Unaged(streams::kRelations, kPartition, kDeployment), Offset(6));
  table.Learn(streams::kRelations, kPartition, Offset(6), 50);
  EXPECT_EQ(table.Unaged(streams::kRelations, kPartition, kDeployment), std::nullopt);
}

TEST(ProjectionsReport, TakesTheSlowestShardOfEachPartition) {
  PositionTable table(0);
  const auto fans = kFans;
  table.SetLanes(Shard(0), {LaneAt(fans, Partition(0), 3), LaneAt(fans, Partition(1), 7)});
  table.SetLanes(Shard(1), {LaneAt(fans, Partition(0), 0), LaneAt(fans, Partition(1), 5)});
  for (std::int32_t p = 0; p < 4; ++p)
    table.ObserveEnd(streams::kRelations, Partition(p), Offset(p < 2 ? 7 : 0), 100);
  table.EndsSeen(streams::kRelations, 100);
  const std::vector<ProjectionReport> reports = ReportProjections(table, kDeployment, 150);
  ASSERT_EQ(reports.size(), Projection::kCount);
  EXPECT_EQ(reports[0].projection, projections::kFollowing);
  EXPECT_EQ(reports[0].state, "starting");
  EXPECT_EQ(reports[0].lag.events, 14);
  EXPECT_EQ(reports[0].positions, "");
  EXPECT_EQ(reports[1].projection, fans);
  EXPECT_EQ(reports[1].positions, "1:4");
  EXPECT_EQ(reports[1].lag.events, 9);
  EXPECT_EQ(reports[1].lag.ms, 50);
  EXPECT_EQ(reports[1].state, "starting") << "partitions 2 and 3 have no lane";
  EXPECT_EQ(reports[1].lanes.size(), 4U);
  EXPECT_EQ(reports[1].lanes[1].shard, Shard(1));
}

TEST(ProjectionsReport, StateIsTheWorstAndGenerationsStandApart) {
  PositionTable table(0);
  const Deployment one{Placement::Modulo({1, 1}), {}};
  LaneStatus halted = LaneAt(kFans, Partition(0), 1, Generation(2));
  halted.state = LaneState::kHalted;
  table.SetLanes(Shard(0), {LaneAt(kFans, Partition(0), 1), halted,
                            LaneAt(projections::kFollowing, Partition(0), 1)});
  table.ObserveEnd(streams::kRelations, Partition(0), Offset(1), 0);
  const std::vector<ProjectionReport> reports = ReportProjections(table, one, 0);
  ASSERT_EQ(reports.size(), Projection::kCount + 1);
  EXPECT_EQ(reports[0].state, "running");
  EXPECT_EQ(reports[1].state, "running");
  EXPECT_TRUE(reports[1].read);
  EXPECT_EQ(reports[1].positions, "0:0");
  EXPECT_EQ(reports[2].state, "halted");
  EXPECT_FALSE(reports[2].read);
}

}  // namespace
}  // namespace fanfold::reader
