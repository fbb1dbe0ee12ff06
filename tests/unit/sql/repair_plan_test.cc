#include "common/sql/repair_plan.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

struct RowCase {
  const char* name;
  Edge now;
  Edge to_be;
  const char* record;  // nullptr: nothing to do
  bool deletes = false;
};
void PrintTo(const RowCase& param, std::ostream* out) { *out << param.name; }

class RepairedRow : public ::testing::TestWithParam<RowCase> {};

TEST_P(RepairedRow, BecomesWhatTheTopicsSay) {
  const RowCase& param = GetParam();
  RepairScope scope;
  scope.edges = {{UserId(1), UserId(2)}};
  const RepairPlan plan = PlanRows(scope, std::span(&param.now, 1), std::span(&param.to_be, 1));
  ASSERT_EQ(plan.records.size(), param.record == nullptr ? 0U : 1U);
  EXPECT_EQ(plan.deletions.size(), param.deletes ? 1U : 0U);
  EXPECT_EQ(plan.rows.size(), param.record != nullptr && !param.deletes ? 1U : 0U);
  if (param.record != nullptr) {
    EXPECT_EQ(plan.records.at(0).detail, param.record);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RepairedRow,
    ::testing::Values(
        RowCase{"Right", {true, 20, Version(3)}, {true, 20, Version(3)}, nullptr},
        RowCase{"NotThere", {}, {}, nullptr},
        RowCase{"Missing", {}, {true, 20, Version(3)}, "no row -> active since 20 version 3"},
        RowCase{"Extra", {true, 20, Version(3)}, {}, "active since 20 version 3 -> no row", true},
        RowCase{"State",
                {true, 20, Version(3)},
                {false, 20, Version(3)},
                "active since 20 version 3 -> inactive since 20 version 3"},
        RowCase{"Since",
                {true, 21, Version(3)},
                {true, 20, Version(3)},
                "active since 21 version 3 -> active since 20 version 3"},
        RowCase{"Version",
                {true, 20, Version(9)},
                {true, 20, Version(3)},
                "active since 20 version 9 -> active since 20 version 3"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(RepairedCounts, ThoseThatDifferFromTheirActiveRowsAreWrong) {
  const std::vector<CountNow> counts = {{UserId(1), EdgeCount(2), EdgeCount(2)},
                                        {UserId(2), EdgeCount(3), EdgeCount(2)},
                                        {UserId(3), {}, EdgeCount(0)},
                                        {UserId(4), {}, EdgeCount(1)},
                                        {UserId(5), EdgeCount(-1), EdgeCount(0)}};
  const std::vector<CountNow> wrong = WrongCounts(counts);
  ASSERT_EQ(wrong.size(), 3U);
  EXPECT_EQ(RecordOf(wrong[0]).detail, "count 3 -> 2");
  EXPECT_EQ(RecordOf(wrong[1]).detail, "count missing -> 1");
  EXPECT_EQ(RecordOf(wrong[2]).detail, "count -1 -> 0");
}

}  // namespace
}  // namespace fanfold
