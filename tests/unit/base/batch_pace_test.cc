#include "common/base/batch_pace.h"

#include <gtest/gtest.h>

namespace fanfold::testing {
namespace {

constexpr std::int64_t kGather = BatchPace::kGatherMs;
constexpr std::size_t kWorthwhile = BatchPace::kWorthwhileRecords;

struct Batch {
  std::int64_t after_ms;  // the one before it ended
  std::size_t records;
};

struct Case {
  const char* name;
  Batch last;
  std::int64_t later_ms;  // than its end
  std::int64_t wait_ms;
};

TEST(BatchPace, SmallBatchesThatComeCloseTogetherWaitForCompanions) {
  const Case cases[] = {
      {"whoever comes alone never waits", {kGather, 2}, 0, 0},
      {"nor who asks again and again", {0, 1}, 0, 0},
      {"small, soon after another one", {kGather - 1, 2}, 0, kGather},
      {"at once after it", {0, 2}, 0, kGather},
      {"the time is counted from its end", {0, 2}, kGather - 1, 1},
      {"later", {0, 2}, kGather, 0},
      {"much later", {0, 2}, 1'000, 0},
      {"large enough", {0, kWorthwhile}, 0, 0},
      {"nearly", {0, kWorthwhile - 1}, 0, kGather},
  };
  for (const Case& test : cases) {
    BatchPace pace;
    std::int64_t now_ms = 1'000'000;
    pace.Note(1, now_ms, now_ms + 3);
    now_ms += 3 + test.last.after_ms;
    pace.Note(test.last.records, now_ms, now_ms + 5);
    EXPECT_EQ(pace.WaitMs(now_ms + 5 + test.later_ms), test.wait_ms) << test.name;
  }
}

TEST(BatchPace, NobodyWaitsBeforeTheFirst) { EXPECT_EQ(BatchPace().WaitMs(1'000'000), 0); }

}  // namespace
}  // namespace fanfold::testing
