#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "projector/audit/difference.h"
#include "projector/audit/edge_comparison.h"
#include "projector/audit/edge_fold.h"
#include "projector/audit/section.h"

namespace fanfold {
namespace {

using namespace projections;

const Placement kOneOfEach(1, 1);

Follow Pair(std::uint64_t subject, std::uint64_t object) {
  return {UserId(subject), UserId(object)};
}

EdgeSetDigest DigestOf(const std::vector<std::pair<Follow, Edge>>& edges) {
  EdgeSetDigest digest;
  for (const auto& [follow, edge] : edges) digest.Add(follow, edge);
  return digest;
}

TEST(EdgeSetDigest, IsTheSameInAnyOrderAndForgetsWhatIsRemoved) {
  const std::pair one{Pair(1, 2), Edge{true, 5, Version(1)}};
  const std::pair two{Pair(2, 1), Edge{true, 5, Version(1)}};
  EXPECT_EQ(DigestOf({one, two}), DigestOf({two, one}));
  EXPECT_NE(DigestOf({one}), DigestOf({two}));
  EdgeSetDigest digest = DigestOf({one, two});
  digest.Remove(two.first, two.second);
  EXPECT_EQ(digest, DigestOf({one}));
  EXPECT_EQ(digest.edges(), 1);
}

TEST(EdgeSetDigest, TellsEveryFieldApart) {
  const Edge edge{true, 5, Version(1)};
  const EdgeSetDigest digest = DigestOf({{Pair(1, 2), edge}});
  EXPECT_NE(digest, DigestOf({{Pair(3, 2), edge}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 3), edge}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {false, 5, Version(1)}}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {true, 6, Version(1)}}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {true, 5, Version(2)}}}));
}

TEST(EdgeSetDigest, RowThatNoEventChangedSaysNothing) {
  EXPECT_EQ(DigestOf({{Pair(1, 2), {false, 9, Version(0)}}}), EdgeSetDigest());
  EXPECT_NE(DigestOf({{Pair(1, 2), {true, 9, Version(0)}}}), EdgeSetDigest());
}

Section SectionOf(Projection projection, std::uint64_t first, std::uint64_t last,
                  std::int64_t position = 0) {
  Section section{.projection = projection,
                  .shard = Shard(0),
                  .users = {{UserId(first), UserId(last)}},
                  .positions = {}};
  section.positions = {Offset(position)};
  return section;
}

TEST(SectionIndex, FindsTheRangeOfTheUserWhoseRowItIs) {
  const std::vector<Section> sections = {SectionOf(kFollowing, 10, 19), SectionOf(kFollowing, 1, 9),
                                         SectionOf(kFans, 5, 5)};
  const SectionIndex index(sections, kOneOfEach);
  EXPECT_EQ(index.Of(kFollowing, Pair(1, 5)), 1U);
  EXPECT_EQ(index.Of(kFollowing, Pair(9, 5)), 1U);
  EXPECT_EQ(index.Of(kFollowing, Pair(10, 5)), 0U);
  EXPECT_EQ(index.Of(kFollowing, Pair(20, 5)), std::nullopt);
  EXPECT_EQ(index.Of(kFans, Pair(20, 5)), 2U);
  EXPECT_EQ(index.Of(kFans, Pair(5, 20)), std::nullopt);
}

TEST(SectionIndex, SectionMayHaveSeveralRanges) {
  Section section = SectionOf(kFollowing, 5, 5);
  section.users.push_back({UserId(9), UserId(9)});
  const std::vector<Section> sections = {section};
  const SectionIndex index(sections, kOneOfEach);
  EXPECT_EQ(index.Of(kFollowing, Pair(5, 1)), 0U);
  EXPECT_EQ(index.Of(kFollowing, Pair(7, 1)), std::nullopt);
  EXPECT_EQ(index.Of(kFollowing, Pair(9, 1)), 0U);
}

Outcome Moved(std::int64_t offset, OutcomeKind kind, std::uint64_t subject, std::uint64_t object) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.position = {Partition(0), Offset(offset)};
  outcome.subject = UserId(subject);
  outcome.object = UserId(object);
  outcome.since_ms = 100 + offset;
  return outcome;
}

TEST(EdgeFold, StopsAtEachPositionWithEveryEventBelowItAndNoneAbove) {
  const std::vector<Section> sections = {SectionOf(kFollowing, 1, 9, 2), SectionOf(kFans, 1, 9, 0),
                                         SectionOf(kFollowing, 10, 19, 3),
                                         SectionOf(kFans, 10, 19, 4)};
  std::vector<std::string> seen;
  EdgeFold fold(ThresholdsOf(sections, Partition(0)), [](const Follow&) { return true; },
                {.moved = [](const Follow&, const Edge&, const Edge&) {},
                 .reached =
                     [&](std::size_t section, const EdgeFold::Edges& edges) {
                       const auto edge = edges.find(Pair(1, 2));
                       seen.push_back(std::to_string(section) + ' ' +
                                      Describe(edge == edges.end() ? Edge() : edge->second));
                     }});
  fold.ReachedTo(Offset(0));
  fold.Take(Moved(0, OutcomeKind::kFollowed, 1, 2));
  fold.Take(Moved(1, OutcomeKind::kUnchanged, 1, 2));
  fold.Take(Moved(2, OutcomeKind::kUnfollowed, 1, 2));
  EXPECT_EQ(seen, (std::vector<std::string>{"1 no row", "0 active since 100 version 1",
                                            "2 inactive since 102 version 3"}));
  ASSERT_EQ(fold.beyond().size(), 1U);
  EXPECT_EQ(fold.beyond()[0].section, 3U);
}

TEST(EdgeFold, TellsHowAnEdgeMovesAndLeavesOthersAlone) {
  std::vector<std::string> moves;
  EdgeFold fold({}, [](const Follow& follow) { return follow.subject == UserId(1); },
                {.moved =
                     [&](const Follow&, const Edge& before, const Edge& after) {
                       moves.push_back(Describe(before) + " > " + Describe(after));
                     },
                 .reached = [](std::size_t, const EdgeFold::Edges&) {}});
  fold.Take(Moved(0, OutcomeKind::kFollowed, 1, 2));
  fold.Take(Moved(1, OutcomeKind::kFollowed, 2, 1));
  EXPECT_EQ(moves, std::vector<std::string>{"no row > active since 100 version 1"});
}

struct CompareCase {
  const char* name;
  Edge found;
  Edge expected;
  std::optional<DifferenceKind> kind;
};
void PrintTo(const CompareCase& param, std::ostream* out) { *out << param.name; }

class ComparedRow : public ::testing::TestWithParam<CompareCase> {};

TEST_P(ComparedRow, IsNamedByWhatDiffers) {
  EXPECT_EQ(Compare(GetParam().found, GetParam().expected), GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ComparedRow,
    ::testing::Values(
        CompareCase{"Same", {true, 1, Version(2)}, {true, 1, Version(2)}, {}},
        CompareCase{"NeitherThere", {}, {}, {}},
        CompareCase{"NeverChanged", {false, 7, Version(0)}, {}, {}},
        CompareCase{"Missing", {}, {true, 1, Version(2)}, DifferenceKind::kMissingRow},
        CompareCase{"MissingUnfollowed", {}, {false, 1, Version(2)}, DifferenceKind::kMissingRow},
        CompareCase{"Extra", {true, 1, Version(2)}, {}, DifferenceKind::kExtraRow},
        CompareCase{"ExtraOfNoVersion", {true, 1, Version(0)}, {}, DifferenceKind::kExtraRow},
        CompareCase{
            "State", {true, 1, Version(2)}, {false, 1, Version(2)}, DifferenceKind::kWrongState},
        CompareCase{
            "Since", {true, 1, Version(2)}, {true, 9, Version(2)}, DifferenceKind::kWrongSince},
        CompareCase{"Version",
                    {true, 1, Version(2)},
                    {true, 1, Version(3)},
                    DifferenceKind::kWrongVersion}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(EdgeComparison, TellsTheEdgesOfItsSlotsThatDiffer) {
  Section flagged = SectionOf(kFollowing, 1, 9, 3);
  EdgeComparison comparison(kOneOfEach);
  const std::size_t at = comparison.Add(flagged, {SlotOf(UserId(1))});
  comparison.SectionAt(at).positions = {Offset(3)};
  const auto row = [](std::uint64_t user, std::uint64_t other, std::int64_t version) {
    return EdgeRow{{UserId(user), UserId(other)}, {true, 100, Version(version)}};
  };
  comparison.AddRow(at, row(1, 2, 1));   // right
  comparison.AddRow(at, row(1, 5, 9));   // extra
  comparison.AddRow(at, row(2, 77, 9));  // of another slot
  std::vector<std::string> told;
  EdgeFold fold = comparison.NewFold(Partition(0), [&](const Difference& difference) {
    told.push_back(std::string(ToString(difference.kind)) + ' ' + ToString(difference.user) + ' ' +
                   ToString(difference.other));
  });
  fold.ReachedTo(Offset(0));
  fold.Take(Moved(0, OutcomeKind::kFollowed, 1, 2));
  fold.Take(Moved(1, OutcomeKind::kFollowed, 1, 3));  // missing
  fold.Take(Moved(2, OutcomeKind::kFollowed, 2, 3));  // missing, of another slot
  fold.Take(Moved(3, OutcomeKind::kFollowed, 1, 4));  // not there yet when it was read
  EXPECT_EQ(told, (std::vector<std::string>{"missing_row 1 3", "extra_row 1 5"}));
}

}  // namespace
}  // namespace fanfold
