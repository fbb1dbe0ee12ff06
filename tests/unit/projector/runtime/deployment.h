// A small deployment in memory: one log, the tables of one or more shards, workers made at will.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/relation/codec.h"
#include "common/stream/slot.h"
#include "projector/relations/relation_fold.h"
#include "projector/runtime/shard_worker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

using namespace projector;

// How long a step takes, where steps are counted in time.
inline constexpr std::int64_t kStepMs = 10;

// A worker with what it stands on; the store is the worker's, kept here to make it fail.
struct Hand {
  std::unique_ptr<ShardWorker> worker;
  MemoryStore* store = nullptr;
};

class Deployment {
 public:
  static constexpr std::int32_t kPartitions = 4;

  // The topics may have `more` partitions than the deployment.
  explicit Deployment(std::int32_t shards = 1, std::int32_t partitions = kPartitions,
                      std::int32_t more = 0)
      : placement(Placement::Modulo({partitions, shards})), log(partitions + more) {
    tables.resize(static_cast<std::size_t>(shards));
  }

  [[nodiscard]] Hand Make(const Fold& fold, std::int32_t shard = 0,
                          Generation generation = Generation(1)) {
    auto store = std::make_unique<MemoryStore>(tables[static_cast<std::size_t>(shard)]);
    Hand hand;
    hand.store = store.get();
    ProjectorMetrics& series =
        fold.projection() == projections::kFans ? fans_metrics : following_metrics;
    hand.worker =
        std::make_unique<ShardWorker>(fold, WorkPlace{placement, Shard(shard), generation}, "test",
                                      WorkerPorts{log, std::move(store), clock, series});
    EXPECT_TRUE(hand.worker->Open());
    hand.worker->Gain(AllPartitions());
    return hand;
  }

  [[nodiscard]] std::vector<Partition> AllPartitions() const {
    std::vector<Partition> all;
    for (std::int32_t p = 0; p < placement.partitions(); ++p) all.emplace_back(p);
    return all;
  }

  // Steps until nothing is left to do: enough for taking lanes, recovery, fold and the note of what
  // was published, with the clock going on so that waits end.
  void Settle(Hand& hand, int steps = 20) {
    for (int i = 0; i < steps; ++i) {
      hand.worker->Step(0);
      clock.now_ms += 1'000;
    }
  }

  Position Ask(EventType type, std::uint64_t subject, std::uint64_t object,
               std::int64_t at_ms = 100) {
    Event event;
    event.event_id = "e" + std::to_string(++events_);
    event.type = type;
    event.subject = UserId(subject);
    event.object = UserId(object);
    event.at_ms = at_ms;
    const Partition partition = placement.PartitionOf(event.subject);
    log.Put(topics::kRelationEvents, partition, ToString(event.subject), EncodeEvent(event));
    return {
        partition,
        Offset(static_cast<std::int64_t>(log.Records(topics::kRelationEvents, partition).size()) -
               1)};
  }
  Position Follow(std::uint64_t subject, std::uint64_t object, std::int64_t at_ms = 100) {
    return Ask(EventType::kFollow, subject, object, at_ms);
  }
  Position Unfollow(std::uint64_t subject, std::uint64_t object) {
    return Ask(EventType::kUnfollow, subject, object);
  }

  // The outcomes of a partition as the topic has them.
  [[nodiscard]] std::vector<Outcome> Outcomes(Partition partition) {
    std::vector<Outcome> outcomes;
    for (const MemoryRecord& record : log.Records(topics::kRelationOutcomes, partition)) {
      const auto outcome = DecodeOutcome(record.value.value_or(""));
      EXPECT_TRUE(outcome) << record.value.value_or("");
      if (outcome) outcomes.push_back(*outcome);
    }
    return outcomes;
  }

  [[nodiscard]] const MemoryLane& LaneOf(Projection projection, Partition partition,
                                         std::size_t shard = 0) {
    return tables[shard].lanes[{projection, Generation(1), partition}];
  }

  // state(tables) == counts of the rows, in every table.
  void ExpectCountsEqualRows() const {
    for (const MemoryTables& shard : tables) {
      std::map<std::pair<Projection, UserId>, std::int64_t> rows;
      for (const auto& [key, edge] : shard.edges) {
        rows[{std::get<0>(key), std::get<2>(key).user}] += edge.active ? 1 : 0;
      }
      for (const auto& [user, n] : rows) EXPECT_EQ(shard.Count(user.first, user.second), n);
    }
  }

  Placement placement;
  MemoryLog log;
  std::vector<MemoryTables> tables;
  ManualClock clock;
  Metrics metrics;
  ProjectorMetrics following_metrics{metrics, projections::kFollowing};
  ProjectorMetrics fans_metrics{metrics, projections::kFans};

 private:
  int events_ = 0;
};

// Each event of the partition has its outcome, once, in order.
inline void ExpectDense(const std::vector<Outcome>& outcomes, std::size_t events) {
  ASSERT_EQ(outcomes.size(), events);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].position.offset.value, static_cast<std::int64_t>(i));
  }
}

}  // namespace fanfold::testing
