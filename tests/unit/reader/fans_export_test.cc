#include "reader/fans_export.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/metrics.h"
#include "reader/query_service.h"
#include "reader/read_executor.h"
#include "reader/response_json.h"
#include "tests/unit/reader/cache/world.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold {
namespace {

using testing::FakeShards;
using testing::FakeTables;
using testing::MemoryReader;
using testing::World;

const UserId kUser(1'000'001);

// The next part of a body; nothing when it is cut.
std::optional<http::BodyPart> Pull(const http::BodySource& source) {
  const auto answer = std::make_shared<std::promise<std::optional<http::BodyPart>>>();
  source(http::PartSink([answer](auto part) { answer->set_value(std::move(part)); }));
  return answer->get_future().get();
}

class FansExportTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  FansExportTest() {
    board_.SetCatalog(Catalog{{}, 4, 2});
    for (std::int32_t s = 0; s < 2; ++s) board_.SetLanes(Shard(s), tables_.LanesOf(Shard(s)));
  }

  // Many at the same time, so that ties stand at the edges of pages.
  void SetFans(std::size_t fans) {
    for (std::size_t i = 1; i <= fans; ++i) {
      tables_.edges.push_back({UserId(i), kUser, static_cast<std::int64_t>(i / 7)});
    }
  }

  std::string AllFans() {
    std::string lines;
    ListQuery query{.list = ListKind::kFans, .user = kUser, .start = {}, .viewer = {}};
    for (bool more = true; more;) {
      const Result<ListAnswer> page = QueryService(shards_, deployment_).List(query);
      lines += ToNdjson(page->items);
      query.start.after = page->next;
      more = page->next.has_value();
    }
    return lines;
  }

  http::Response Begin(CallerPtr caller = nullptr) {
    const auto answer = std::make_shared<std::promise<http::Response>>();
    executor_.Execute(
        {FansExportQuery{kUser}},
        [answer](http::Response response) { answer->set_value(std::move(response)); },
        std::move(caller));
    return answer->get_future().get();
  }

  FakeTables tables_;
  FakeShards shards_{tables_};
  Deployment deployment_{tables_.placement, {}};
  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, 2};
  LiveLists live_{2, {}, metrics_};  // follows nothing: the tables answer
  PositionGate gate_{board_, live_};
  ReadExecutor executor_{board_, live_, gate_, waits_, pool_, clock_};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{testing::FactoryOf(tables_), 1, metrics_.GetGauge("fanfold_reader_queue", ""),
                  /*queue_max=*/1};
};

TEST_P(FansExportTest, IsTheListHoweverManyPages) {
  SetFans(GetParam());
  const http::Response begun = Begin();
  ASSERT_EQ(begun.status, 200);
  std::string lines = begun.body;
  std::size_t pages = 1;
  for (bool last = !begun.stream; !last; ++pages) {
    const http::BodyPart next = Pull(begun.stream).value_or(http::BodyPart());
    ASSERT_FALSE(next.bytes.empty());
    lines += next.bytes;
    last = next.last;
  }
  EXPECT_EQ(lines, AllFans());
  EXPECT_EQ(pages, std::max<std::size_t>(1, (GetParam() + kExportPageMax - 1) / kExportPageMax));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FansExportTest,
                         ::testing::Values(0, 1, kExportPageMax - 1, kExportPageMax,
                                           kExportPageMax + 1, 2 * kExportPageMax,
                                           2 * kExportPageMax + 1));

TEST_F(FansExportTest, APageThatCannotBeReadCutsIt) {
  SetFans(3 * kExportPageMax);
  const http::Response begun = Begin();
  ASSERT_TRUE(Pull(begun.stream).has_value());
  tables_.away = true;
  EXPECT_FALSE(Pull(begun.stream).has_value());
}

TEST_F(FansExportTest, AClientThatSendsNoMoreIsSentAllTheSame) {
  SetFans(2 * kExportPageMax);
  const auto caller = std::make_shared<Caller>();
  const http::Response begun = Begin(caller);
  caller->Leave();
  EXPECT_TRUE(Pull(begun.stream).has_value());
}

TEST_F(FansExportTest, APoolWithoutRoomCutsIt) {
  SetFans(2 * kExportPageMax);
  const http::Response begun = Begin();
  const auto working = std::make_shared<std::promise<void>>();
  std::promise<void> done;
  ASSERT_TRUE(pool_.Submit([working, may_end = done.get_future().share()](ShardedReader&) {
    working->set_value();
    may_end.wait();
  }));
  working->get_future().wait();
  ASSERT_TRUE(pool_.Submit([](ShardedReader&) {}));
  EXPECT_FALSE(Pull(begun.stream).has_value());
  done.set_value();
}

TEST_F(FansExportTest, TablesAwayAreSaidBeforeItBegins) {
  tables_.away = true;
  EXPECT_EQ(Begin().status, 503);
}

// Answers from memory at first, and from tables that are behind it.
class LosesRTest : public ::testing::Test {
 protected:
  static constexpr UserId kOldest{2};

  LosesRTest() {
    board_.SetCatalog(Catalog{{}, World::kPartitions, World::kShards});
    for (std::uint64_t fan = kOldest.value; fan < kOldest.value + kExportPageMax + 10; ++fan) {
      world_.Decide(UserId(fan), kUser, true, static_cast<std::int64_t>(fan));
    }
    MoveR();
    MoveTables();
  }

  void MoveR() {
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      world_.MoveR(Partition(p), world_.End(Partition(p)));
    }
  }
  void MoveTables() {
    const Placement& placement = world_.deployment().placement;
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      for (std::int32_t p = 0; p < World::kPartitions; ++p) {
        world_.MoveLane(ProjectionKind::kFans, Partition(p), Shard(s), world_.End(Partition(p)));
      }
      board_.SetLanes(Shard(s), *MemoryReader(world_.TablesOf(Shard(s)), placement).Lanes());
    }
  }
  http::Response Begin(std::vector<Position> min_position = {}) {
    const auto answer = std::make_shared<std::promise<http::Response>>();
    ReadRequest request{FansExportQuery{kUser}};
    request.min_position = std::move(min_position);
    executor_.Execute(
        request, [answer](http::Response response) { answer->set_value(std::move(response)); });
    return answer->get_future().get();
  }
  // The next part, which waits for a position when it is not there at once.
  std::future<std::optional<http::BodyPart>> Ask(const http::BodySource& source) {
    auto answer = std::make_shared<std::promise<std::optional<http::BodyPart>>>();
    source(http::PartSink([answer](auto part) { answer->set_value(std::move(part)); }));
    auto part = answer->get_future();
    using namespace std::chrono_literals;
    while (waits_.size() == 0 && part.wait_for(1ms) != std::future_status::ready) continue;
    return part;
  }
  static std::string Line(UserId fan) { return "{\"user_id\":\"" + ToString(fan) + "\","; }

  World world_;
  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, World::kShards};
  PositionGate gate_{board_, world_.live};
  ReadExecutor executor_{board_, world_.live, gate_, waits_, pool_, clock_};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{[this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
                    return std::make_unique<MemoryReader>(world_.TablesOf(shard),
                                                          world_.deployment().placement);
                  },
                  1, metrics_.GetGauge("fanfold_reader_queue", "")};
};

TEST_F(LosesRTest, WhoStandsOnAPageAlreadyDoesNotComeAgain) {
  world_.Decide(kOldest, kUser, false, 0);
  world_.Decide(kOldest, kUser, true, 1'000'000);
  MoveR();
  const http::Response begun = Begin();
  ASSERT_TRUE(begun.body.contains(Line(kOldest))) << "he is the newest now";
  world_.live.Stop();
  auto rest = Ask(begun.stream);
  ASSERT_EQ(waits_.size(), 1U) << "the tables have him as the oldest still";
  MoveTables();
  waits_.Recheck();
  const std::optional<http::BodyPart> part = rest.get();
  ASSERT_TRUE(part && part->last);
  EXPECT_FALSE(part->bytes.contains(Line(kOldest)));
}

TEST_F(LosesRTest, ThePositionHoldsForEveryPage) {
  const UserId fan(900'000);
  const Partition partition = world_.deployment().placement.PartitionOf(fan);
  world_.Decide(fan, kUser, true, /*at_ms=*/0);
  MoveR();
  const http::Response begun = Begin({{partition, Offset(world_.End(partition) - 1)}});
  ASSERT_EQ(begun.status, 200);
  world_.live.Stop();
  auto rest = Ask(begun.stream);
  MoveTables();
  waits_.Recheck();
  const std::optional<http::BodyPart> part = rest.get();
  ASSERT_TRUE(part && part->last);
  EXPECT_TRUE(part->bytes.contains(Line(fan)));
}

TEST_F(LosesRTest, ItIsCutWhereTheTablesDoNotComeThereInTime) {
  world_.Decide(UserId(900'000), kUser, true, 1'000'000);
  MoveR();
  const http::Response begun = Begin();
  world_.live.Stop();
  auto rest = Ask(begun.stream);
  ASSERT_EQ(waits_.size(), 1U);
  clock_.Advance(kPositionTimeoutMaxMs);
  waits_.Recheck();
  EXPECT_FALSE(rest.get().has_value());
}

}  // namespace
}  // namespace fanfold
