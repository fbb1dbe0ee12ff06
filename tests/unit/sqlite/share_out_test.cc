#include "common/sqlite/share_out.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

namespace fanfold::sqlite {
namespace {

using Shares = std::vector<MemberId>;

struct ShareCase {
  const char* name;
  Shares before;
  std::vector<MemberId> members;
  Shares after;
};
void PrintTo(const ShareCase& test, std::ostream* out) { *out << test.name; }

class ShareOutTest : public ::testing::TestWithParam<ShareCase> {};

TEST_P(ShareOutTest, SharesEvenlyAndMovesLittle) {
  EXPECT_EQ(ShareOut(GetParam().before, GetParam().members), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, ShareOutTest,
    ::testing::Values(ShareCase{"NoMember", {1, 1, 2}, {}, {0, 0, 0}},
                      ShareCase{"NoPartition", {}, {1, 2}, {}},
                      ShareCase{"FirstTakesAll", {0, 0, 0, 0}, {1}, {1, 1, 1, 1}},
                      ShareCase{"SecondTakesHalf", {1, 1, 1, 1}, {1, 2}, {1, 1, 2, 2}},
                      ShareCase{"ThirdTakesOne", {1, 1, 2, 2}, {1, 2, 3}, {1, 1, 2, 3}},
                      ShareCase{"LeaverIsSharedOut", {1, 2, 3, 2}, {1, 3}, {1, 1, 3, 3}},
                      ShareCase{"OddOneGoesToHimWhoHasIt", {2, 2, 2}, {1, 2}, {2, 2, 1}},
                      ShareCase{"MoreMembersThanPartitions", {1, 1}, {1, 2, 3}, {1, 2}},
                      ShareCase{"NothingChanges", {2, 1, 2, 1}, {1, 2}, {2, 1, 2, 1}}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace fanfold::sqlite
