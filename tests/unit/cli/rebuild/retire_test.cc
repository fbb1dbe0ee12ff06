#include <gtest/gtest.h>

#include "cli/rebuild/rebuild.h"
#include "reader/leave_time.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::kG1;
using testing::kG2;

// Two generations of fans; the second is read.
class Retire : public ::testing::Test {
 protected:
  Retire() {
    tables().catalog->read[projections::kFans] = kG2;
    for (const Generation generation : {kG1, kG2}) {
      tables().generations.push_back(
          {projections::kFans, generation, GenerationState::kFolding, false, {}});
    }
  }
  testing::FakeShard& tables() { return fake_.backend.shard_states[0]; }
  ExitCode Run(operations::RebuildStep step = operations::RebuildStep::kRetire) {
    operations::RebuildOptions options;
    options.step = step;
    options.projections = {projections::kFans};
    return RunRebuild(fake_.session, options);
  }
  testing::FakeSession fake_{1};
};

TEST_F(Retire, LetsReadersLeaveFirst) {
  tables().read_since_ms = 1'500;
  EXPECT_EQ(Run(), ExitCode::kFine);
  EXPECT_EQ(fake_.clock.steady_ms, reader::kReadersLeaveMs - 1'500);
  EXPECT_EQ(tables().generations.size(), 1U);
  EXPECT_NE(fake_.err.text().find("until readers have left"), std::string::npos);
}

TEST_F(Retire, CancelAfterARollbackDoesSoToo) {
  tables().catalog->read[projections::kFans] = kG1;
  tables().read_since_ms = 0;
  EXPECT_EQ(Run(operations::RebuildStep::kCancel), ExitCode::kFine);
  EXPECT_EQ(fake_.clock.steady_ms, reader::kReadersLeaveMs);
}

TEST_F(Retire, DaysAfterNobodyIsWaitedFor) {
  tables().read_since_ms = reader::kReadersLeaveMs;
  EXPECT_EQ(Run(), ExitCode::kFine);
  EXPECT_EQ(fake_.clock.steady_ms, 0);
}

TEST_F(Retire, ClockThatWentBackMakesTheWaitNoLonger) {
  tables().read_since_ms = -1'000'000;
  EXPECT_EQ(Run(), ExitCode::kFine);
  EXPECT_EQ(fake_.clock.steady_ms, reader::kReadersLeaveMs);
}

TEST_F(Retire, InterruptedDropsNothing) {
  tables().read_since_ms = 0;
  fake_.interrupt.interrupt_at = 1;
  EXPECT_EQ(Run(), ExitCode::kError);
  EXPECT_EQ(tables().generations.size(), 2U);
}

TEST_F(Retire, WithNothingToDropNobodyIsWaitedFor) {
  tables().read_since_ms = 0;
  tables().generations.erase(tables().generations.begin());
  EXPECT_EQ(Run(), ExitCode::kRefused);
  EXPECT_EQ(fake_.clock.steady_ms, 0);
}

TEST_F(Retire, WithNothingToDropItSaysWhatDropsTheOthers) {
  tables().generations.erase(tables().generations.begin());
  EXPECT_EQ(Run(), ExitCode::kRefused);
  EXPECT_TRUE(fake_.err.text().contains(
      "there is no older generation to drop; `fanfold rebuild cancel` drops newer ones"));
  EXPECT_EQ(Run(operations::RebuildStep::kCancel), ExitCode::kRefused);
  EXPECT_TRUE(fake_.err.text().contains(
      "there is no newer generation to drop; `fanfold rebuild retire` drops older ones"));
}

}  // namespace
}  // namespace fanfold
