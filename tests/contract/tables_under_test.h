// What the contract suites of the stores need from an adapter, and how they write rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "common/ports/generation_operations.h"
#include "common/ports/projection_reader.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"
#include "tests/support/edge_batch.h"

namespace fanfold::testing {

// Empty tables of one shard (its catalog: 16 partitions, 1 shard) that go away with this object.
// Every call gives a connection of its own.
class TablesUnderTest {
 public:
  virtual ~TablesUnderTest() = default;
  [[nodiscard]] virtual std::unique_ptr<LaneStore> NewStore() = 0;
  [[nodiscard]] virtual std::unique_ptr<ProjectionReader> NewReader() = 0;
  [[nodiscard]] virtual std::unique_ptr<TableOperations> NewOperations() = 0;
  [[nodiscard]] virtual std::unique_ptr<TableSnapshot> NewSnapshot() = 0;
  [[nodiscard]] virtual std::unique_ptr<GenerationOperations> NewGenerations() = 0;
};

struct TablesFactory {
  const char* adapter;
  std::unique_ptr<TablesUnderTest> (*make)();
};
inline void PrintTo(const TablesFactory& factory, std::ostream* out) { *out << factory.adapter; }

inline constexpr Generation kG1{1};
inline constexpr ReadGenerations kReadG1{kG1, kG1};

inline LaneId FollowingLane(std::int32_t partition, Generation generation = kG1) {
  return {projections::kFollowing, generation, Partition(partition)};
}
inline LaneId FansLane(std::int32_t partition) {
  return {projections::kFans, kG1, Partition(partition)};
}

inline EdgeRow Row(std::uint64_t user, std::uint64_t other, bool active, std::int64_t since_ms,
                   std::int64_t version) {
  return {{UserId(user), UserId(other)}, {active, since_ms, Version(version)}};
}

template <class T>
T Must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << ToString(result.error().code) << ": " << result.error().message;
    std::abort();
  }
  return std::move(*result);
}

// `name` of what failed, "ok" otherwise: failures of a table of cases read well.
inline std::string CodeName(const Status& status) {
  return status ? "ok" : ToString(status.error().code);
}

inline TakenLane TakeOne(LaneStore& store, const LaneId& lane, bool deciding = kDeciding) {
  return Must(store.TakeFences(std::vector{lane}, deciding, "tester")).at(0);
}

// A second generation of following that is folded, without lanes.
inline void FoldSecondGeneration(TablesUnderTest& tables) {
  const auto generations = tables.NewGenerations();
  ASSERT_TRUE(
      generations->Create(projections::kFollowing, Generation(2), kFirstSlotMap, {}, std::nullopt));
  ASSERT_TRUE(generations->FinishLoading(projections::kFollowing, Generation(2)));
}

// A batch of this lane that moves it by `events`, with the counts that its active rows make when
// nothing was there before.
inline EdgeBatch BatchOf(const TakenLane& lane, std::int64_t events,
                         std::vector<EdgeRow> edges = {}) {
  EdgeBatch batch;
  batch.projection = lane.lane.projection;
  batch.generation = lane.lane.generation;
  LaneProgress to = lane.progress;
  to.next_offset = Offset(lane.progress.next_offset.value + events);
  to.event_offset = to.next_offset;
  batch.moves.push_back({lane.lane, lane.fence, lane.deciding, lane.progress.next_offset, to});
  std::ranges::sort(edges, {}, &EdgeRow::key);
  std::map<UserId, int> deltas;
  for (const EdgeRow& edge : edges) {
    if (edge.edge.active) ++deltas[edge.key.user];
  }
  for (const auto& [user, delta] : deltas) batch.counts.push_back({user, delta});
  batch.edges = std::move(edges);
  return batch;
}

// Commits it and moves `lane` along, so that it can be the base of the next one.
inline void CommitAndFollow(LaneStore& store, TakenLane& lane, const EdgeBatch& batch) {
  const Status status = store.Commit(batch);
  ASSERT_TRUE(status) << status.error().message;
  lane.progress = batch.moves.at(0).to;
}

inline Edge LoadedEdge(LaneStore& store, std::uint64_t user, std::uint64_t other,
                       Projection projection = projections::kFollowing) {
  const std::vector<EdgeKey> keys = {{UserId(user), UserId(other)}};
  return Must(OpenEdges(store, projection, kG1)->Load(keys, {})).edges.at(0);
}

inline std::int64_t LoadedCount(LaneStore& store, std::uint64_t user,
                                Projection projection = projections::kFollowing) {
  const std::vector<UserId> users = {UserId(user)};
  return Must(OpenEdges(store, projection, kG1)->Load({}, users)).counts.at(0).value;
}

// `lane`, of ten events, was found with more published than decided; `other` was not.
inline void ExpectPublishedAhead(TablesUnderTest& tables, const TakenLane& lane,
                                 const TakenLane& other) {
  const auto store = tables.NewStore();
  EXPECT_EQ(CodeName(store->Commit(BatchOf(lane, 1))), "fenced");
  EXPECT_EQ(CodeName(store->Commit(BatchOf(other, 1))), "ok");
  const TakenLane halted = TakeOne(*store, lane.lane);
  EXPECT_EQ(halted.state, LaneState::kHalted);
  EXPECT_EQ(halted.state_reason, "published_ahead");
  ASSERT_TRUE(tables.NewOperations()->Resume(lane.lane));
  const TakenLane resumed = TakeOne(*store, lane.lane);
  EXPECT_EQ(resumed.state, LaneState::kRunning);
  EXPECT_EQ(
      resumed.progress,
      (LaneProgress{Offset(10), Offset(10), Offset(0), Offset(0), lane.progress.event_mark, {}}));
}

}  // namespace fanfold::testing
