#include <gtest/gtest.h>

#include "cli/terminal/console.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/text_table.h"
#include "operations/base/text.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

TEST(Display, CountsKeepThreeDigits) {
  EXPECT_EQ(operations::ShortCount(0), "0");
  EXPECT_EQ(operations::ShortCount(999), "999");
  EXPECT_EQ(operations::ShortCount(1000), "1.00k");
  EXPECT_EQ(operations::ShortCount(12'345), "12.3k");
  EXPECT_EQ(operations::ShortCount(310'000), "310k");
  EXPECT_EQ(operations::ShortCount(999'999), "1.00M");
  EXPECT_EQ(operations::ShortCount(4'560'000'000), "4.56G");
}

TEST(Display, Durations) {
  EXPECT_EQ(operations::ShortDuration(-1), "0:00");
  EXPECT_EQ(operations::ShortDuration(7'999), "0:07");
  EXPECT_EQ(operations::ShortDuration(760'000), "12:40");
  EXPECT_EQ(operations::ShortDuration(11'279'000), "3:07:59");
  EXPECT_EQ(operations::ShortDuration(184'020'000), "2d 03:07");
}

TEST(Display, TimesAreIsoInUtc) {
  EXPECT_EQ(operations::IsoTime(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(operations::IsoTime(1'655'884'250'592), "2022-06-22T07:50:50.592Z");
  EXPECT_EQ(operations::IsoTime(253'402'300'799'999), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(operations::IsoTime(9'223'372'036'854'775'807), "9223372036854775807 ms");
}

TEST(Display, BytesAreEscaped) {
  EXPECT_EQ(operations::Escaped("plain {1}"), "plain {1}");
  EXPECT_EQ(operations::Escaped(std::string("a\n\t\"\\\x00\xff", 7)), "a\\n\\t\\\"\\\\\\x00\\xff");
}

TEST(Display, ATerminalThatIsDumbGetsNoEscapes) {
  EXPECT_TRUE(TakesEscapes("xterm-256color", nullptr));
  EXPECT_TRUE(TakesEscapes("xterm", ""));
  EXPECT_FALSE(TakesEscapes("xterm", "1"));
  EXPECT_FALSE(TakesEscapes("dumb", nullptr));
  EXPECT_FALSE(TakesEscapes("", nullptr));
  EXPECT_FALSE(TakesEscapes(nullptr, nullptr));
}

TEST(Display, TableColumnsAreAligned) {
  TextTable table({"A", "LONG"});
  table.Add({"wide", "x"});
  EXPECT_EQ(table.Text(), "A     LONG\nwide  x\n");
}

TEST(ProgressBar, ShowsShareRateAndTimeLeft) {
  const operations::ProgressState half{
      .done = 50, .total = 100, .items = 1'200'000, .items_name = "events", .elapsed_ms = 4000};
  EXPECT_EQ(FormatProgress(half, 80),
            "[####################--------------------]  50%  1.20M events  300k/s  ETA 0:04");
}

TEST(ProgressBar, FitsNarrowTerminals) {
  const operations::ProgressState half{
      .done = 50, .total = 100, .items = 1'200'000, .items_name = "events", .elapsed_ms = 4000};
  for (int columns = 1; columns < 120; ++columns) {
    EXPECT_LT(FormatProgress(half, columns).size(), static_cast<std::size_t>(std::max(columns, 2)));
  }
}

TEST(ProgressBar, UnknownTotalHasNoBar) {
  const operations::ProgressState state{
      .done = 5, .total = 0, .items = 10, .items_name = "events", .elapsed_ms = 1000};
  EXPECT_EQ(FormatProgress(state, 80), "10 events  10/s");
}

TEST(ProgressBar, NothingDoneYetHasNoTimeLeft) {
  const operations::ProgressState state{
      .done = 0, .total = 9, .items = 0, .items_name = "events", .elapsed_ms = 0};
  EXPECT_NE(FormatProgress(state, 80).find("  0%  0 events  0/s  ETA ?"), std::string::npos);
}

TEST(Progress, RedrawsAtMostTenTimesASecondOnATerminal) {
  testing::FakeSession fake(1, 1, /*terminal=*/true);
  operations::Stretch progress(fake.session);
  int drawn = 0;
  for (int ms = 0; ms < 1000; ++ms, ++fake.clock.steady_ms) {
    if (!progress.Due()) continue;
    progress.ShowText("x");
    ++drawn;
  }
  EXPECT_LE(drawn, 10);
  EXPECT_GE(drawn, 9);
}

TEST(Progress, SaysPlainLinesElsewhere) {
  testing::FakeSession fake(1);
  operations::Stretch progress(fake.session);
  EXPECT_FALSE(progress.Due());
  fake.clock.steady_ms += TerminalProgress::kPlainLineMs;
  ASSERT_TRUE(progress.Due());
  progress.ShowText("half way");
  EXPECT_EQ(fake.err.text(), "half way\n");
  EXPECT_FALSE(progress.Due());
}

struct TimeText {
  std::string text;
  std::optional<std::int64_t> ms;
};

TEST(Display, TimesAreReadAsTheyAreShown) {
  const std::vector<TimeText> texts = {{"2026-11-21T04:00:00Z", 1'795'233'600'000},
                                       {"2026-11-21T04:00:00.123Z", 1'795'233'600'123},
                                       {"1795233600123", 1'795'233'600'123},
                                       {"0", 0},
                                       {"1970-01-01T00:00:00Z", 0},
                                       {"2026-02-31T00:00:00Z", std::nullopt},
                                       {"2026-11-21T24:30:00Z", std::nullopt},
                                       {"2026-11-21T04:00:00", std::nullopt},
                                       {"2026-11-21T04:00:00.1Z", std::nullopt},
                                       {"2026-11-21T04:00:00.-12Z", std::nullopt},
                                       {"2026-11-21T04:00:00+01:00", std::nullopt},
                                       {"2026-11-21", std::nullopt},
                                       {"1969-12-31T23:59:59Z", std::nullopt},
                                       {"-5", std::nullopt},
                                       {"yesterday", std::nullopt},
                                       {"", std::nullopt}};
  for (const TimeText& text : texts)
    EXPECT_EQ(operations::ParseTime(text.text), text.ms) << text.text;
  EXPECT_EQ(operations::IsoTime(*operations::ParseTime("2026-11-21T04:00:00.123Z")),
            "2026-11-21T04:00:00.123Z");
}

}  // namespace
}  // namespace fanfold
