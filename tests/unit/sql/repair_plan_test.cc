#include "common/sql/repair_plan.h"

#include <gtest/gtest.h>

#include "common/ports/edge_kind.h"

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
  scope.rows = {{UserId(1), UserId(2)}};
  const RowState now = StateOf(param.now);
  const RowToBe to_be{StateOf(param.to_be), {}};
  const RepairPlan plan = PlanRows(scope, std::span(&now, 1), std::span(&to_be, 1));
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

TEST(RepairedCounts, GoOnFromTheirBaseByTheirRowsMovesAndThePlan) {
  RepairScope scope;
  scope.rows = {{UserId(1), UserId(2)}, {UserId(1), UserId(3)}, {UserId(4), UserId(5)}};
  scope.users = {UserId(1), UserId(4), UserId(6), UserId(7)};
  const RowState none;
  const RowState active = StateOf(Edge{true, 20, Version(3)});
  const RepairPlan plan = PlanRows(scope, std::vector{none, none, active},
                                   std::vector<RowToBe>{{active, {}}, {active, {}}, {none, {}}});
  const RepairBase base{
      0, {}, {{EdgeCount(9), EdgeCount(5)}, {EdgeCount(2), EdgeCount(3)}, {{}, EdgeCount(0)}, {}}};
  const std::vector<CountNow> counts = CountsBy(
      scope, base, plan,
      std::vector<std::optional<EdgeCount>>{EdgeCount(10), EdgeCount(2), EdgeCount(1), {}});
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[0].active, EdgeCount(5 + 1 + 2));
  EXPECT_EQ(counts[0].row, EdgeCount(10));
  EXPECT_EQ(counts[1].active, EdgeCount(3 + 0 - 1));
  EXPECT_EQ(counts[2].active, EdgeCount(1)) << "who had no count then";
  EXPECT_EQ(counts[3].active, EdgeCount(0));
  EXPECT_EQ(counts[3].row, std::nullopt);
}

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
