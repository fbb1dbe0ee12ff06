// An import whose log takes nothing for a while.
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "operations/log/import.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kFlushMs = 100;

class ImportStandstill : public ::testing::Test {
 protected:
  ImportStandstill() {
    std::ofstream file(source_.file);
    for (int i = 2; i < 100; ++i) file << "1 " << i << '\n';
    log().holds_acks = true;
    log().reached = Fail(ErrorCode::kUnavailable, "the disk is full");
  }

  testing::FakeLogState& log() { return fake_.backend.log; }
  void AckAll() {
    for (const auto& ack : log().held) ack();
    log().held.clear();
  }

  testing::TempFolder folder_;
  testing::FakeContext fake_{4};
  ImportSource source_{.file = folder_.path() + "/edges.tsv", .layout = {}, .silence_max_ms = {}};
};

TEST_F(ImportStandstill, WhyIsToldAtOnceAndAgainWhenItChanges) {
  std::vector<std::int64_t> told_ms;
  log().on_flush = [&] {
    fake_.clock.steady_ms += kFlushMs;
    if (fake_.progress.notes.size() > told_ms.size()) told_ms.push_back(fake_.clock.steady_ms);
    if (fake_.clock.steady_ms == 3'000) log().reached = Fail(ErrorCode::kUnavailable, "the quota");
    if (fake_.clock.steady_ms == 6'000) AckAll();
  };
  const auto result = Import(fake_.context, source_);
  ASSERT_TRUE(result && result->whole());
  EXPECT_EQ(fake_.progress.notes,
            (std::vector<std::string>{"nothing is appended at the moment: the disk is full",
                                      "nothing is appended at the moment: the quota"}));
  ASSERT_EQ(told_ms.size(), 2U);
  EXPECT_LE(told_ms[0], 1'500);
  EXPECT_LE(told_ms[1], 4'500);
  EXPECT_FALSE(fake_.progress.texts.empty());
}

TEST_F(ImportStandstill, ProgressIsOfWhatIsAppended) {
  log().reached = {};
  log().on_flush = [&] {
    fake_.clock.steady_ms += kFlushMs;
    if (fake_.clock.steady_ms != 2'000) return;
    // Half of it.
    const std::size_t half = log().held.size() / 2;
    for (std::size_t i = 0; i < half; ++i) log().held[i]();
    log().held.erase(log().held.begin(), log().held.begin() + static_cast<std::ptrdiff_t>(half));
  };
  fake_.interrupt.interrupt_at = 40;
  const auto result = Import(fake_.context, source_);
  ASSERT_TRUE(result);
  EXPECT_TRUE(fake_.progress.notes.empty());
  ASSERT_FALSE(fake_.progress.shown.empty());
  EXPECT_EQ(fake_.progress.shown.front().done, 0);
  const ProgressState& last = fake_.progress.shown.back();
  EXPECT_EQ(last.items, 49);
  EXPECT_EQ(last.done, last.total / 2);
}

TEST_F(ImportStandstill, WhoInterruptsItDoesNotWaitForTheWholeTime) {
  log().on_flush = [&] { fake_.clock.steady_ms += kFlushMs; };
  fake_.interrupt.interrupt_at = 5;
  const auto result = Import(fake_.context, source_);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, ImportEnd::kInterrupted);
  EXPECT_FALSE(result->flushed);
  EXPECT_LE(fake_.clock.steady_ms, 11'000);
}

}  // namespace
}  // namespace fanfold::operations
