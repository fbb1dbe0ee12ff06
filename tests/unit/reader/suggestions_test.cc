#include "reader/suggestions.h"

#include <gtest/gtest.h>
#include <ostream>
#include <vector>

#include "tests/unit/reader/printing.h"

namespace fanfold::reader {
namespace {

struct Follows {
  std::uint64_t via;
  std::vector<std::uint64_t> users;
};

struct Ranked {
  std::uint64_t user;
  std::int64_t score;
  std::vector<std::uint64_t> via;
};

struct RankCase {
  const char* name;
  std::vector<Follows> vias;  // of user 1
  std::vector<Ranked> expected;
};
void PrintTo(const RankCase& of, std::ostream* out) { *out << of.name; }

std::vector<UserId> Users(const std::vector<std::uint64_t>& ids) {
  std::vector<UserId> users;
  users.reserve(ids.size());
  for (const std::uint64_t id : ids) users.emplace_back(id);
  return users;
}

class RankSuggestionsTest : public ::testing::TestWithParam<RankCase> {};

TEST_P(RankSuggestionsTest, RanksThoseNotKnown) {
  std::vector<Via> vias;
  for (const auto& [via, users] : GetParam().vias) {
    vias.push_back({UserId(via), {}});
    for (const UserId user : Users(users)) vias.back().follows.push_back({user, 0});
  }
  std::vector<Suggestion> expected;
  for (const auto& [user, score, via] : GetParam().expected) {
    expected.push_back({UserId(user), score, Users(via)});
  }
  EXPECT_EQ(RankSuggestions(UserId(1), vias), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Rankings, RankSuggestionsTest,
    ::testing::Values(
        RankCase{"FollowsNobody", {}, {}}, RankCase{"ViaFollowsNobody", {{2, {}}}, {}},
        RankCase{"OneOfOne", {{2, {9}}}, {{9, 1, {2}}}},
        RankCase{"NeverHimself", {{2, {1, 9}}, {3, {1}}}, {{9, 1, {2}}}},
        RankCase{"NeverAVia", {{2, {3}}, {3, {2}}}, {}},
        RankCase{"NeverAViaThatComesLater", {{2, {3, 9}}, {3, {}}}, {{9, 1, {2}}}},
        RankCase{"HigherScoreFirst", {{2, {8, 9}}, {3, {8}}}, {{8, 2, {2, 3}}, {9, 1, {2}}}},
        RankCase{"HigherIdFirstOfEqualScores",
                 {{2, {7, 9}}, {3, {8}}},
                 {{9, 1, {2}}, {8, 1, {3}}, {7, 1, {2}}}},
        RankCase{"ScoreBeforeId", {{2, {9, 7}}, {3, {7}}}, {{7, 2, {2, 3}}, {9, 1, {2}}}},
        RankCase{"ViasInTheirOrder", {{5, {9}}, {2, {9}}, {4, {9}}}, {{9, 3, {5, 2, 4}}}},
        RankCase{"ViasToldAreTheFirstThreeScoreCountsAll",
                 {{6, {9}}, {2, {8}}, {5, {9}}, {3, {9}}, {4, {9}}},
                 {{9, 4, {6, 5, 3}}, {8, 1, {2}}}},
        RankCase{"LargestIds",
                 {{kUserIdMax, {kUserIdMax - 1, kUserIdMax - 2}}},
                 {{kUserIdMax - 1, 1, {kUserIdMax}}, {kUserIdMax - 2, 1, {kUserIdMax}}}}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::reader
