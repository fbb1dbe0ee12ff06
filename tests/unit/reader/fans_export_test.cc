#include "reader/fans_export.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/metrics.h"
#include "reader/answers.h"
#include "reader/cache/live_reader.h"
#include "reader/query_service.h"
#include "reader/read_executor.h"
#include "tests/unit/reader/cache/world.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::FakeShards;
using testing::FakeTables;
using testing::MemoryReader;
using testing::World;

const UserId kExported(1'000'001);

// The next part of a body; nothing when it is cut.
std::optional<http::BodyPart> Pull(const http::BodySource& source) {
  const auto answer = std::make_shared<std::promise<std::optional<http::BodyPart>>>();
  source(http::PartSink([answer](auto part) { answer->set_value(std::move(part)); }));
  return answer->get_future().get();
}

class FansExportTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  FansExportTest() {
    board_.SetDeployment(Deployment{Placement::Modulo({4, 2}), {}});
    for (std::int32_t s = 0; s < 2; ++s) board_.SetLanes(Shard(s), tables_.LanesOf(Shard(s)));
  }

  // Many at the same time, so that ties stand at the edges of pages.
  void SetFans(std::size_t fans) {
    for (std::size_t i = 1; i <= fans; ++i) {
      tables_.edges.push_back({UserId(i), kExported, static_cast<std::int64_t>(i / 7)});
    }
  }

  std::string AllFans() {
    std::string lines;
    ListQuery query{.list = ListKind::kFans, .user = kExported, .start = {}, .viewer = {}};
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
        {FansExportQuery{kExported}},
        [answer](http::Response response) { answer->set_value(std::move(response)); },
        std::move(caller));
    return answer->get_future().get();
  }

  FakeTables tables_;
  FakeShards shards_{tables_};
  Deployment deployment_{tables_.placement, {}};
  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};  // follows nothing: the tables answer
  PositionGate gate_{board_, FollowsRelations(live_)};
  ReadExecutor executor_{board_, live_, gate_, waits_, pool_, clock_, metrics_};
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

// Its reader follows the outcomes, and has tables of its own to read.
class ExportBesideRTest : public ::testing::Test {
 protected:
  static constexpr UserId kOldest{2};

  ExportBesideRTest() {
    board_.SetDeployment(Deployment{Placement::Modulo({World::kPartitions, World::kShards}), {}});
    for (std::uint64_t fan = kOldest.value; fan < kOldest.value + kExportPageMax + 10; ++fan) {
      world_.Decide(UserId(fan), kExported, true, static_cast<std::int64_t>(fan));
    }
    MoveReader();
    MoveTables();
  }

  void MoveReader() {
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      world_.MoveReader(Partition(p), world_.End(Partition(p)));
    }
  }
  void MoveTables() {
    const Placement& placement = world_.deployment().placement;
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      for (std::int32_t p = 0; p < World::kPartitions; ++p) {
        world_.MoveLane(Direction::kFans, Partition(p), Shard(s), world_.End(Partition(p)));
      }
      board_.SetLanes(Shard(s), *MemoryReader(world_.TablesOf(Shard(s)), placement).Lanes());
    }
  }
  // The fans in memory, at the reader's position.
  void Hold() {
    LiveReader reader(world_.live, world_.fetcher, world_.deployment(), &world_);
    ASSERT_TRUE(reader.Page(Direction::kFans, Generation(1), kExported, {}, 1));
  }
  [[nodiscard]] UserView ViewOfFans() {
    const Placement& placement = world_.deployment().placement;
    const std::vector<ListQuestion> fans = {{Direction::kFans, {}, kWholeRowsMax, {}}};
    return MemoryReader(world_.TablesOf(shard_), placement)
        .View({}, kExported, placement.PartitionOf(kExported), fans)
        .value();
  }
  // What is there at once, or waits for a position.
  template <class Answer>
  std::future<Answer> Settled(std::future<Answer> answer) {
    using namespace std::chrono_literals;
    while (waits_.size() == 0 && answer.wait_for(1ms) != std::future_status::ready) continue;
    return answer;
  }
  std::future<http::Response> BeginAt(const std::vector<Position>& min_position,
                                      UserId user = kExported) {
    const auto answer = std::make_shared<std::promise<http::Response>>();
    ReadRequest request{FansExportQuery{user}};
    for (const Position& asked : min_position) {
      request.min_position.push_back({streams::kRelations, asked});
    }
    executor_.Execute(
        request, [answer](http::Response response) { answer->set_value(std::move(response)); });
    return Settled(answer->get_future());
  }
  http::Response Begin() { return BeginAt({}).get(); }
  std::future<std::optional<http::BodyPart>> Ask(const http::BodySource& source) {
    auto answer = std::make_shared<std::promise<std::optional<http::BodyPart>>>();
    source(http::PartSink([answer](auto part) { answer->set_value(std::move(part)); }));
    return Settled(answer->get_future());
  }
  static std::string Line(UserId fan) { return "{\"user_id\":\"" + ToString(fan) + "\","; }

  World world_;
  const Shard shard_ = world_.deployment().placement.ShardOf(kExported);
  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, {World::kPartitions, World::kShards}};
  PositionGate gate_{board_, FollowsRelations(world_.live)};
  ReadExecutor executor_{board_, world_.live, gate_, waits_, pool_, clock_, metrics_};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{[this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
                    return std::make_unique<MemoryReader>(world_.TablesOf(shard),
                                                          world_.deployment().placement);
                  },
                  1, metrics_.GetGauge("fanfold_reader_queue", "")};
};

TEST_F(ExportBesideRTest, IsTheListHoweverLongTheTablesStandBehindWhatIsInMemory) {
  Hold();
  world_.Decide(UserId(900'000), kExported, true, 1'000'000);
  MoveReader();
  for (std::int32_t p = 0; p < World::kPartitions; ++p) {
    world_.live.Trim(Partition(p), Offset(world_.ReaderAt(Partition(p))));
  }
  const http::Response begun = Begin();
  ASSERT_EQ(begun.status, 200);
  world_.live.DropShard(shard_);
  auto rest = Ask(begun.stream);
  ASSERT_EQ(waits_.size(), 0U) << "the tables stand still";
  const std::optional<http::BodyPart> part = rest.get();
  EXPECT_TRUE(part && part->last);
}

TEST_F(ExportBesideRTest, WhoStandsOnAPageAlreadyDoesNotComeAgain) {
  const LiveLists::Ticket ticket = world_.live.NewTicket(shard_, {});
  const UserView before = ViewOfFans();
  world_.Decide(kOldest, kExported, false, 0);
  world_.Decide(kOldest, kExported, true, 1'000'000);
  MoveTables();
  const http::Response begun = Begin();
  ASSERT_TRUE(begun.body.contains(Line(kOldest)))
      << "this fan is the newest, which the reader has not seen";
  const LiveLists::Source source{Direction::kFans, kExported, &before.position, ticket};
  ASSERT_EQ(world_.live.Install(source, {before.answers[0], true, before.fans}),
            ViewState::kAtReader);
  const std::optional<http::BodyPart> part = Ask(begun.stream).get();
  ASSERT_TRUE(part && part->last);
  EXPECT_FALSE(part->bytes.contains(Line(kOldest))) << "the oldest that memory knows";
}

TEST_F(ExportBesideRTest, ThePositionHoldsForEveryPage) {
  Hold();
  const UserId fan(900'000);
  const Partition partition = world_.deployment().placement.PartitionOf(fan);
  world_.Decide(fan, kExported, true, /*at_ms=*/0);
  MoveReader();
  std::future<http::Response> begun = BeginAt({{partition, Offset(world_.End(partition) - 1)}});
  ASSERT_EQ(waits_.size(), 1U) << "for the tables, of which every page is";
  MoveTables();
  waits_.Recheck();
  world_.live.Stop();
  const std::optional<http::BodyPart> part = Ask(begun.get().stream).get();
  ASSERT_TRUE(part && part->last);
  EXPECT_TRUE(part->bytes.contains(Line(fan)));
}

TEST_F(ExportBesideRTest, OneOfASinglePageIsAnsweredFromMemory) {
  const UserId other(1'000'002);
  world_.Decide(kOldest, other, true, 1);
  MoveReader();
  LiveReader warm(world_.live, world_.fetcher, world_.deployment(), &world_);
  ASSERT_TRUE(warm.Page(Direction::kFans, Generation(1), other, {}, 1));
  EXPECT_TRUE(BeginAt({}, other).get().body.contains(Line(kOldest))) << "no table has it yet";
}

}  // namespace
}  // namespace fanfold::reader
