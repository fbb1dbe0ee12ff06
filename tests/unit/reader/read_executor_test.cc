#include "reader/read_executor.h"

#include <barrier>
#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/wait_until.h"
#include "tests/unit/reader/cache/world.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::FakeClock;
using testing::MemoryReader;
using testing::World;
using Json = nlohmann::json;

constexpr UserId kUser(1);

// The reader's memory and tables, each where a test puts it.
class ReadExecutorTest : public ::testing::Test {
 protected:
  ReadExecutorTest() {
    board_.SetDeployment(Deployment{Placement::Modulo({World::kPartitions, World::kShards}), {}});
    for (std::uint64_t object = 2; object < 7; ++object)
      world_.Decide(kUser, UserId(object), true, 5);
    world_.MoveReader(partition_, 5);
    MoveTables(2);
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      board_.ObserveEnd(streams::kRelations, Partition(p),
                        Offset(Partition(p) == partition_ ? 5 : 0));
    }
    board_.EndsRoundOver(streams::kRelations, true);
  }

  // Moves the user's following, and what the board knows of the lanes.
  void MoveTables(std::int64_t to) {
    world_.MoveLane(Direction::kFollowing, partition_, shard_, to);
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      board_.SetLanes(Shard(s), *MemoryReader(world_.TablesOf(Shard(s)), placement_).Lanes());
    }
  }
  // Every table is said to hold what the reader has seen.
  void DropRecentMoves() { world_.live.Trim(partition_, Offset(5)); }

  std::future<http::Response> Ask(const std::vector<Position>& min_position = {},
                                  std::optional<Generation> generation = {}) {
    auto answer = std::make_shared<std::promise<http::Response>>();
    ReadRequest request{ListQuery{ListKind::kFollowing, kUser, {}, kListLimitDefault, {}}};
    for (const Position& asked : min_position) {
      request.min_position.push_back({streams::kRelations, asked});
    }
    request.generation = generation;
    executor_.Execute(std::move(request), [answer](http::Response response) {
      answer->set_value(std::move(response));
    });
    return answer->get_future();
  }
  // Whether it waits for a position, once it is answered or does.
  bool Waits(const std::future<http::Response>& answer) {
    using namespace std::chrono_literals;
    while (waits_.size() == 0 && answer.wait_for(1ms) != std::future_status::ready) continue;
    return waits_.size() != 0;
  }
  bool IsHeld(UserId user) {
    return world_.live.cache().With(
        user, [](const HeldLists& held) { return held.following != nullptr; });
  }
  [[nodiscard]] bool Shows(const std::string& line) const {
    return world_.metrics.Text().contains("\n" + line + "\n");
  }
  static std::size_t Items(const http::Response& response) {
    return Json::parse(response.body).at("items").size();
  }
  static std::string LagOf(const http::Response& response) {
    for (const auto& [name, value] : response.headers) {
      if (name == "Fanfold-Lag-Ms") return value;
    }
    return "none";
  }

  World world_;
  const Placement placement_ = world_.deployment().placement;
  const Partition partition_ = placement_.PartitionOf(kUser);
  const Shard shard_ = placement_.ShardOf(kUser);
  FakeClock clock_;
  Metrics metrics_;
  std::function<void()> on_connect_ = [] {};  // a worker is about to ask the tables
  PositionBoard board_{clock_, {World::kPartitions, World::kShards}};
  PositionGate gate_{board_, FollowsRelations(world_.live)};
  ReadExecutor executor_{board_, world_.live, gate_, waits_, pool_, clock_, metrics_};
  PositionWaits waits_{gate_, clock_};
  const ReaderFactory factory_ = [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
    on_connect_();
    return std::make_unique<testing::CountingReader>(world_.TablesOf(shard), placement_,
                                                     world_.rows_asked, world_.on_viewed);
  };
  QueryPool pool_{factory_, 1, metrics_.GetGauge("fanfold_reader_queue", "")};
};

TEST_F(ReadExecutorTest, RowsOfTablesAreBroughtToThePosition) {
  EXPECT_EQ(Items(Ask({{partition_, Offset(4)}}).get()), 5u);
}

TEST_F(ReadExecutorTest, ThePositionIsAskedForAgainWhenRBeganAnewBeforeTheRows) {
  MoveTables(3);
  on_connect_ = [this] { world_.BeginAt(partition_, 3); };
  std::future<http::Response> answer = Ask({{partition_, Offset(4)}});
  ASSERT_TRUE(Waits(answer));
  world_.MoveReader(partition_, 5);
  waits_.Recheck();
  EXPECT_EQ(Items(answer.get()), 5u);
}

TEST_F(ReadExecutorTest, WhatIsAskedForAgainIsNotWaitedForAnew) {
  MoveTables(3);
  on_connect_ = [this] {
    clock_.Advance(kPositionTimeoutDefaultMs - 1);
    world_.BeginAt(partition_, 3);
  };
  std::future<http::Response> answer = Ask({{partition_, Offset(4)}});
  ASSERT_TRUE(Waits(answer));
  clock_.Advance(1);
  waits_.Recheck();
  EXPECT_EQ(answer.get().status, 409);
}

TEST_F(ReadExecutorTest, RowsOfTablesBelowThePositionAreNotAnswered) {
  DropRecentMoves();
  std::future<http::Response> answer = Ask({{partition_, Offset(4)}});
  ASSERT_TRUE(Waits(answer));
  MoveTables(5);
  waits_.Recheck();
  EXPECT_EQ(Items(answer.get()), 5u);
}

TEST_F(ReadExecutorTest, WhatWaitedForTheTablesIsNotAnsweredFromMemoryBelowThem) {
  MoveTables(3);
  world_.live.Stop();
  std::future<http::Response> answer = Ask({{partition_, Offset(4)}}, Generation(1));
  ASSERT_TRUE(Waits(answer));
  world_.BeginAt(partition_, 3);
  EXPECT_EQ(Items(Ask().get()), 3u);  // held from now on
  MoveTables(5);
  waits_.Recheck();
  EXPECT_EQ(Items(answer.get()), 5u);
}

TEST_F(ReadExecutorTest, WhomAReadIsAboutIsFetchedWhileItWaits) {
  MoveTables(5);
  std::atomic<int> views = 0;
  world_.on_viewed = [&] { ++views; };
  world_.BeginAt(partition_, 3);
  std::future<http::Response> answer = Ask({{partition_, Offset(4)}});
  ASSERT_TRUE(testing::WaitUntil([&] { return views == 1; }));
  world_.MoveReader(partition_, 5);
  ASSERT_TRUE(testing::WaitUntil([&] { return IsHeld(kUser); }));
  waits_.Recheck();
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(Items(answer.get()), 5u);
  EXPECT_EQ(views, 1);
  EXPECT_TRUE(Shows("fanfold_reader_cache_misses_total 1"));
  EXPECT_TRUE(Shows("fanfold_reader_cache_hits_total 0"));
}

TEST_F(ReadExecutorTest, AColdUserIsMissedOnce) {
  (void)Ask().get();
  EXPECT_TRUE(Shows("fanfold_reader_cache_misses_total 1"));
  EXPECT_TRUE(Shows("fanfold_reader_cache_hits_total 0"));
  (void)Ask().get();
  EXPECT_TRUE(Shows("fanfold_reader_cache_misses_total 1"));
  EXPECT_TRUE(Shows("fanfold_reader_cache_hits_total 1"));
}

TEST_F(ReadExecutorTest, ManyColdUsersAreAskedForUntilTheDeadline) {
  int views = 0;
  world_.on_viewed = [&] {
    ++views;
    clock_.Advance(1000);
  };
  CountsOfManyQuery query;
  for (std::uint64_t user = 1; user <= kCountsUsersMax; ++user) query.users.emplace_back(user);
  std::promise<http::Response> answer;
  executor_.Execute(ReadRequest{query},
                    [&](http::Response response) { answer.set_value(std::move(response)); });
  EXPECT_EQ(answer.get_future().get().status, 503);
  EXPECT_EQ(views, ReadExecutor::kTablesMaxMs / 1000 + 1);
}

TEST_F(ReadExecutorTest, WhatIsReadAnewHasNoTimeOfItsOwn) {
  DropRecentMoves();
  world_.on_viewed = [&] {
    constexpr std::int64_t kAfterWaitsMs = QueryPool::kQueuedMaxMs + ReadExecutor::kTablesMaxMs;
    clock_.Advance(kPositionTimeoutDefaultMs + kAfterWaitsMs + 1);
    MoveTables(5);
  };
  EXPECT_EQ(Ask({{partition_, Offset(4)}}).get().status, 503);
}

// More of one connection than may wait for a position, which they do not ask for.
TEST_F(ReadExecutorTest, ColdReadsAreReadAgainWhereRBeganAnewMeanwhile) {
  constexpr int kReads = Caller::kWaitsMax + 1;
  MoveTables(5);
  const auto begin_anew = [this]() noexcept { world_.BeginAt(partition_, 5); };
  std::barrier all_begun(kReads, begin_anew);
  on_connect_ = [&] { all_begun.arrive_and_wait(); };
  QueryPool pool(factory_, kReads, metrics_.GetGauge("fanfold_reader_queue", ""));
  ReadExecutor executor(board_, world_.live, gate_, waits_, pool, clock_, metrics_);
  const auto caller = std::make_shared<Caller>();
  std::vector<std::future<http::Response>> answers;
  for (int i = 0; i < kReads; ++i) {
    const auto answer = std::make_shared<std::promise<http::Response>>();
    answers.push_back(answer->get_future());
    executor.Execute(
        ReadRequest{ListQuery{ListKind::kFollowing, kUser, {}, kListLimitDefault, kUser}},
        [answer](http::Response response) { answer->set_value(std::move(response)); }, caller);
  }
  for (std::future<http::Response>& answer : answers) {
    ASSERT_FALSE(Waits(answer));
    EXPECT_EQ(answer.get().status, 200);
  }
}

TEST_F(ReadExecutorTest, AReadInTheQueueIsNotDoneForAConnectionThatIsGone) {
  int views = 0;
  world_.on_viewed = [&] { ++views; };
  std::promise<void> free;
  ASSERT_TRUE(
      pool_.Submit([may_end = free.get_future().share()](ShardedReader&) { may_end.wait(); }));
  const auto caller = std::make_shared<Caller>();
  const auto answer = std::make_shared<std::promise<http::Response>>();
  executor_.Execute(
      ReadRequest{CountsQuery{kUser}},
      [answer](http::Response response) { answer->set_value(std::move(response)); }, caller);
  caller->Leave();
  free.set_value();
  EXPECT_EQ(answer->get_future().get().status, 503);
  EXPECT_EQ(views, 0);
}

// 64 that one pipelines would fill the queue.
TEST_F(ReadExecutorTest, AConnectionHasOneLongReadAtATime) {
  for (const bool at_position : {false, true}) {
    std::promise<void> free;
    ASSERT_TRUE(
        pool_.Submit([may_end = free.get_future().share()](ShardedReader&) { may_end.wait(); }));
    const auto caller = std::make_shared<Caller>();
    const auto answer = std::make_shared<std::promise<http::Response>>();
    const auto ask = [&](ReadQuery query, const std::shared_ptr<std::promise<http::Response>>& to) {
      ReadRequest request{std::move(query)};
      if (at_position)
        request.min_position.push_back({streams::kRelations, {partition_, Offset(1)}});
      executor_.Execute(
          std::move(request), [to](http::Response response) { to->set_value(std::move(response)); },
          caller);
    };
    const auto short_one = std::make_shared<std::promise<http::Response>>();
    ask(CountsQuery{kUser}, short_one);
    EXPECT_FALSE(caller->is_held());
    ask(SuggestionsQuery{kUser}, answer);
    EXPECT_TRUE(caller->is_held());
    free.set_value();
    (void)answer->get_future().get();
    (void)short_one->get_future().get();
    EXPECT_TRUE(fanfold::testing::WaitUntil([&] { return !caller->is_held(); }));
  }
}

TEST_F(ReadExecutorTest, RowsOfTablesAreToldWithTheTablesLag) {
  DropRecentMoves();
  clock_.Advance(70);
  const http::Response as_they_are = Ask().get();
  EXPECT_EQ(Items(as_they_are), 2u);
  EXPECT_EQ(LagOf(as_they_are), "70");
  MoveTables(5);
  const http::Response at_reader = Ask().get();
  EXPECT_EQ(Items(at_reader), 5u);
  EXPECT_EQ(LagOf(at_reader), "0");
}

}  // namespace
}  // namespace fanfold::reader
