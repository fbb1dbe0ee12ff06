#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "reader/read_executor.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/reader/cache/world.h"

namespace fanfold::reader {
namespace {

using testing::World;

// The reader but for HTTP, its threads' timers and its log.
class ReadFromMemoryTest : public ::testing::Test {
 protected:
  ReadFromMemoryTest() {
    world_.Decide(UserId(10), UserId(20), true, 1);
    world_.Decide(UserId(20), UserId(30), true, 2);
    board_.SetDeployment(Deployment{Placement::Modulo({World::kPartitions, World::kShards}), {}});
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      const std::int64_t end = world_.End(Partition(p));
      world_.MoveReader(Partition(p), end);
      board_.ObserveEnd(streams::kRelations, Partition(p), Offset(end));
    }
    board_.EndsRoundOver(streams::kRelations, true);
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      board_.SetLanes(Shard(s), world_.On(Shard(s)).value()->Lanes().value());
    }
  }

  // Where the answer came from, and how it was.
  struct Answered {
    std::thread::id by;
    int status = 0;
  };
  Answered Ask(ReadQuery query) {
    auto answered = std::make_shared<std::promise<Answered>>();
    executor_.Execute({.query = std::move(query)}, [answered](const http::Response& response) {
      answered->set_value({std::this_thread::get_id(), response.status});
    });
    return answered->get_future().get();
  }

  ReaderFactory Factory() {
    return [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
      return std::make_unique<testing::MemoryReader>(world_.TablesOf(shard),
                                                     world_.deployment().placement);
    };
  }

  World world_;
  testing::ManualClock clock_;
  PositionBoard board_{clock_, {World::kPartitions, World::kShards}};
  PositionGate gate_{board_, FollowsRelations(world_.live)};
  ReadExecutor executor_{board_, world_.live, gate_, waits_, pool_, clock_, world_.metrics};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{Factory(), 1, world_.metrics.GetGauge("fanfold_reader_queue", "")};
};

TEST_F(ReadFromMemoryTest, WhatIsInMemoryIsAnsweredAtOnceButForSuggestions) {
  const ReadQuery counts = CountsQuery{UserId(10)};
  const ReadQuery suggestions = SuggestionsQuery{UserId(10)};
  for (const ReadQuery& query : {counts, suggestions}) ASSERT_EQ(Ask(query).status, 200);
  EXPECT_EQ(Ask(counts).by, std::this_thread::get_id());
  EXPECT_NE(Ask(suggestions).by, std::this_thread::get_id());
}

TEST_F(ReadFromMemoryTest, SuggestionsInMemoryDoNotAskForTheirShard) {
  const ReadQuery suggestions = SuggestionsQuery{UserId(10)};
  ASSERT_EQ(Ask(suggestions).status, 200);
  for (std::int32_t s = 0; s < World::kShards; ++s)
    board_.SetShardFailed(Shard(s), {ErrorCode::kUnavailable, "gone"});
  EXPECT_EQ(Ask(suggestions).status, 200);
  EXPECT_EQ(Ask(SuggestionsQuery{UserId(20)}).status, 503);
}

}  // namespace
}  // namespace fanfold::reader
