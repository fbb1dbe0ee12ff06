#include "projector/audit/auditor.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>

#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"

namespace fanfold {

using namespace projector;
namespace {

using testing::MemoryLog;
using testing::MemoryReader;
using testing::MemoryTables;
using testing::WaitUntil;

constexpr LaneId kLane{projections::kFollowing, Generation(1), Partition(0)};

// One partition on one shard. A pass ends where it begins, since no snapshot is to be had.
class AuditorTest : public ::testing::Test {
 protected:
  void SetUp() override { tables_.lanes[kLane].deciding = kDeciding; }

  void PutEvents(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      log_.Put(topics::kRelationEvents, Partition(0), "1", "{}");
  }

  void StandAtOne() {
    LaneProgress& progress = tables_.lanes[kLane].progress;
    progress.event_offset = Offset(1);
    progress.event_mark = {Offset(0), DigestOf("1", "{}")};
  }

  std::unique_ptr<Auditor> NewAuditor(std::int64_t patience_ms) {
    AuditorPorts ports{log_,
                       [this](Shard) -> Result<std::unique_ptr<ProjectionReader>> {
                         ++looks_;
                         return std::make_unique<MemoryReader>(tables_, Placement::Modulo({1, 1}));
                       },
                       [this](Shard) -> Result<std::unique_ptr<TableSnapshot>> {
                         ++passes_;
                         return Fail(ErrorCode::kUnavailable, "no snapshot");
                       },
                       {},
                       Shape{1, 1}};
    return std::make_unique<Auditor>(
        std::move(ports), std::vector{projections::kFollowing}, [] { return true; },
        AuditorOptions{.pause_ms = 1, .patience_ms = patience_ms}, metrics_);
  }

  [[nodiscard]] bool Begins() const {
    return WaitUntil([this] { return passes_ > 0; });
  }

  MemoryLog log_{1};
  MemoryTables tables_;
  Metrics metrics_;
  std::atomic<int> looks_ = 0;
  std::atomic<int> passes_ = 0;
};

TEST_F(AuditorTest, PassWaitsForLanesThatAreFarBehind) {
  PutEvents(Auditor::kBehindEventsMax + 1);
  const auto auditor = NewAuditor(60'000);
  ASSERT_TRUE(WaitUntil([this] { return looks_ >= 3; }));
  EXPECT_EQ(passes_, 0);
}

TEST_F(AuditorTest, PassDoesNotWaitForLanesThatKeepUp) {
  PutEvents(Auditor::kBehindEventsMax + 1);
  StandAtOne();
  const auto auditor = NewAuditor(60'000);
  EXPECT_TRUE(Begins());
}

TEST_F(AuditorTest, PassDoesNotWaitForLanesThatStandStill) {
  PutEvents(Auditor::kBehindEventsMax + 1);
  tables_.lanes[kLane].state = LaneState::kHalted;
  tables_.lanes[kLane].reason = "batch_refused";
  const auto auditor = NewAuditor(60'000);
  EXPECT_TRUE(Begins());
}

TEST_F(AuditorTest, PassDoesNotWaitForAGenerationThatNobodyReads) {
  PutEvents(Auditor::kBehindEventsMax + 1);
  StandAtOne();
  tables_.lanes[{projections::kFollowing, Generation(2), Partition(0)}] = {};
  const auto auditor = NewAuditor(60'000);
  EXPECT_TRUE(Begins());
}

// Its rows are perhaps all that is left.
TEST_F(AuditorTest, NoPassBeginsOnAnotherLog) {
  PutEvents(1);
  StandAtOne();
  log_.Records(topics::kRelationEvents, Partition(0))[0].value = "another";
  const auto auditor = NewAuditor(1);
  ASSERT_TRUE(WaitUntil([this] { return looks_ >= 10; }));
  EXPECT_EQ(passes_, 0);
}

TEST_F(AuditorTest, PassDoesNotWaitForEver) {
  PutEvents(Auditor::kBehindEventsMax + 1);
  const auto auditor = NewAuditor(1);
  EXPECT_TRUE(Begins());
}

// The configuration has lost a shard that the catalog has.
TEST(Auditor, OpensNoShardThatIsNotConfigured) {
  const testing::MemoryTables tables;
  testing::MemoryLog log(4);
  Metrics metrics;
  std::atomic<int> opened{0};
  const AuditorPorts ports{log,
                           [&](Shard) -> Result<std::unique_ptr<ProjectionReader>> {
                             return std::make_unique<testing::MemoryReader>(
                                 tables, Placement::Modulo({4, 2}));
                           },
                           [&](Shard) -> Result<std::unique_ptr<TableSnapshot>> {
                             ++opened;
                             return Fail(ErrorCode::kUnavailable, "not of this test");
                           },
                           [](Shard) -> Result<std::unique_ptr<TableOperations>> {
                             return Fail(ErrorCode::kUnavailable, "not of this test");
                           },
                           Shape{4, 1}};
  const Auditor auditor(
      ports, {projections::kFollowing}, [] { return true; }, {.pause_ms = 1}, metrics);
  const auto failed = [&] {
    return metrics.Text().find("fanfold_audit_failures_total{projection=\"following\"} 1") !=
           std::string::npos;
  };
  EXPECT_TRUE(testing::WaitUntil(failed));
  EXPECT_EQ(opened, 0);
}

}  // namespace
}  // namespace fanfold
