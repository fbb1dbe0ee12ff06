#include "reader/freshness/position_poller.h"

#include <future>
#include <gtest/gtest.h>
#include <thread>

#include "reader/cache/live_lists.h"
#include "reader/freshness/position_waits.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::FakeTables;
using testing::WaitUntil;

// Partitions of events, the first four with `end` records appended `age_ms` ago.
class FakeLog final : public EventLog {
 public:
  explicit FakeLog(const Clock& clock) : clock_(clock) {}

  Result<std::int32_t> PartitionCount(Topic) override { return partitions; }
  std::vector<Result<LogBounds>> BoundsOf(Topic, std::span<const Partition> asked) override {
    if (away) return {asked.size(), Fail(ErrorCode::kUnavailable, "away")};
    std::vector<Result<LogBounds>> bounds;
    for (const Partition partition : asked) {
      bounds.push_back(
          LogBounds{Offset(begin), Offset(partition.value < 4 ? end.load() : foreign)});
    }
    return bounds;
  }
  Result<std::unique_ptr<LogReader>> NewReader(Topic, const ReaderOptions&) override {
    return std::make_unique<Reader>(*this);
  }
  Result<std::unique_ptr<LogAppender>> NewAppender(Topic, const AppenderOptions&) override {
    return Fail(ErrorCode::kUnavailable, "a reader appends nothing");
  }
  Result<std::string> Id() override { return std::string("a log"); }
  Status Ping(std::int64_t) override { return {}; }

  std::atomic<bool> away = false;
  std::int64_t begin = 0;
  std::atomic<std::int64_t> end = 5;
  std::int64_t mark = -1;  // an offset that holds no record
  std::int32_t partitions = 4;
  std::int64_t foreign = 0;  // records in each of the others
  std::int64_t age_ms = 60'000;

 private:
  class Reader final : public LogReader {
   public:
    explicit Reader(FakeLog& log) : log_(log) {}
    Status Start(Partition partition, Offset from) override {
      at_ = {partition, from};
      return {};
    }
    void Stop(Partition) override {}
    Result<LogBatch> Poll(std::size_t, std::int64_t) override {
      LogBatch batch;
      if (at_.offset < Offset(log_.begin)) return Fail(ErrorCode::kOutOfRange, "deleted");
      if (at_.offset == Offset(log_.mark)) at_.offset = Next(at_.offset);
      batch.records.push_back({at_.partition, at_.offset, log_.clock_.NowMs() - log_.age_ms,
                               std::nullopt, std::nullopt});
      return batch;
    }

   private:
    FakeLog& log_;
    Position at_;
  };

  const Clock& clock_;
};

struct PollerRig {
  SystemClock clock;
  Metrics metrics;
  FakeTables tables;
  FakeLog log{clock};
  PositionBoard board{clock, {4, 2}};
  LiveLists live{2, {}, metrics};
  PositionGate gate{board, FollowsRelations(live)};

  std::int64_t LagMs() {
    const Result<Deployment> deployment = board.Current();
    if (!deployment) return -1;
    const LanesRead fans[] = {{projections::kFans, Shard(0), std::nullopt}};
    return board.LagOf(fans, *deployment).ms;
  }
};

TEST(PositionPoller, MakesTheBoardReadyAndFollowsTheTables) {
  PollerRig rig;
  rig.tables.SetAllLanes(5);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  EXPECT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value(); }));
  rig.tables.away = true;
  EXPECT_TRUE(WaitUntil([&] { return !rig.board.Ready().has_value(); }));
  rig.tables.away = false;
  EXPECT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value(); }));
}

TEST(PositionPoller, IsNotReadyByNameWhileTablesDoNotAnswerWhatReadersAsk) {
  PollerRig rig;
  rig.tables.SetAllLanes(5);
  rig.tables.lacks_index = true;
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  const auto why = [&] {
    const Status ready = rig.board.Ready();
    return ready ? "" : ready.error().message;
  };
  EXPECT_TRUE(WaitUntil([&] { return why() == "shard 0: fans_g1 has no index"; })) << why();
  EXPECT_TRUE(rig.board.ShardUp(Shard(0)));
  rig.tables.lacks_index = false;
  EXPECT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value(); })) << why();
}

TEST(PositionPoller, IsReadyWithoutTheLog) {
  PollerRig rig;
  rig.log.away = true;
  rig.tables.SetAllLanes(5);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  EXPECT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value(); }));
}

TEST(PositionPoller, CountsWhatStandsInPartitionsThatTheDeploymentHasNot) {
  PollerRig rig;
  rig.log.partitions = 8;
  rig.log.foreign = 3;
  rig.tables.SetAllLanes(5);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  EXPECT_TRUE(WaitUntil([&] {
    return rig.metrics.Text().find(
               "fanfold_reader_foreign_records{topic=\"relation-events\"} 12\n") !=
           std::string::npos;
  }));
  EXPECT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value() && rig.LagMs() == 0; }));
}

TEST(PositionPoller, IsNotReadyOnALogThatHasFewerPartitions) {
  PollerRig rig;
  rig.log.partitions = 2;
  rig.tables.SetAllLanes(5);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  EXPECT_TRUE(WaitUntil([&] {
    const Status ready = rig.board.Ready();
    return !ready &&
           ready.error().message.find("has 2 partitions, the deployment 4") != std::string::npos;
  }));
}

TEST(PositionPoller, ShowsHowFarEachGenerationIs) {
  PollerRig rig;
  rig.tables.SetAllLanes(3);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  const auto shows = [&](const std::string& line) {
    return WaitUntil([&] { return rig.metrics.Text().find(line + "\n") != std::string::npos; });
  };
  const std::string fans = R"(fanfold_reader_generation_events{generation="1",projection="fans"} )";
  EXPECT_TRUE(shows("fanfold_reader_log_events 20"));
  EXPECT_TRUE(shows(fans + "12"));
  rig.tables.SetAllLanes(5);
  EXPECT_TRUE(shows(fans + "20"));
}

TEST(PositionPoller, AsksTheLogForTheAgeOfWhatWasThereBefore) {
  PollerRig rig;
  rig.tables.SetAllLanes(3);
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  EXPECT_TRUE(WaitUntil([&] { return rig.LagMs() >= rig.log.age_ms; }));
  rig.tables.SetAllLanes(5);
  EXPECT_TRUE(WaitUntil([&] { return rig.LagMs() == 0; }));
  rig.log.end = 6;
  EXPECT_TRUE(WaitUntil([&] { return rig.LagMs() > 0; }));
  EXPECT_LT(rig.LagMs(), rig.log.age_ms) << "this one arrived while we looked";
}

TEST(PositionPoller, TheAgeOfAnOffsetWithoutARecordIsThatOfTheNextOne) {
  for (const bool deleted : {true, false}) {
    PollerRig rig;
    if (deleted) rig.log.begin = 4;
    rig.log.mark = deleted ? -1 : 3;
    rig.tables.SetAllLanes(3);
    const PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log,
                                rig.metrics, rig.clock);
    EXPECT_TRUE(WaitUntil([&] { return rig.LagMs() >= rig.log.age_ms; })) << deleted;
  }
}

TEST(PositionPoller, AWaitIsSettledWellBeforeTheNextIdleLook) {
  PollerRig rig;
  rig.tables.SetAllLanes(5);
  PositionWaits waits(rig.gate, rig.clock);
  const std::jthread rechecker([&](const std::stop_token& stop) { waits.Run(stop); });
  PositionPoller poller(rig.board, rig.live, testing::FactoryOf(rig.tables), rig.log, rig.metrics,
                        rig.clock);
  ASSERT_TRUE(WaitUntil([&] { return rig.board.Ready().has_value(); }));
  std::promise<bool> settled;
  const LaneNeed need{{projections::kFans, Generation(1), Partition(2)}, Shard(1), Offset(5)};
  constexpr std::int64_t kLongMs = 20'000;
  const int looks_before = rig.tables.lanes_read;
  const StreamPosition asked{streams::kRelations, {need.lane.partition, need.event}};
  ASSERT_TRUE(waits.Add({{asked}, {need}}, rig.clock.SteadyMs() + kLongMs,
                        [&](bool reached) { settled.set_value(reached); }));
  // Only a watched shard is looked at so often in so short a time.
  const std::int64_t watched_since_ms = rig.clock.SteadyMs();
  ASSERT_TRUE(WaitUntil([&] { return rig.tables.lanes_read >= looks_before + 20; }));
  EXPECT_LT(rig.clock.SteadyMs() - watched_since_ms, 20 * PositionPoller::kPollMs / 4);
  rig.tables.SetAllLanes(6);
  EXPECT_TRUE(settled.get_future().get());
}

}  // namespace
}  // namespace fanfold::reader
