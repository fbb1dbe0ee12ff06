#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/ports/edge_kind.h"
#include "common/relation/codec.h"
#include "projector/audit/difference.h"
#include "projector/audit/row_comparison.h"
#include "projector/audit/row_fold.h"
#include "projector/audit/section.h"

namespace fanfold {

using namespace projector;
namespace {

using namespace projections;

const Placement kOneOfEach = Placement::Modulo({1, 1});

RecordKey Pair(std::uint64_t subject, std::uint64_t object) {
  return {UserId(subject), UserId(object)};
}

RowSetDigest DigestOf(const std::vector<std::pair<RecordKey, Edge>>& edges) {
  RowSetDigest digest;
  for (const auto& [key, edge] : edges) digest.Add(key, StateOf(edge));
  return digest;
}

TEST(RowSetDigest, IsTheSameInAnyOrderAndForgetsWhatIsRemoved) {
  const std::pair one{Pair(1, 2), Edge{true, 5, Version(1)}};
  const std::pair two{Pair(2, 1), Edge{true, 5, Version(1)}};
  EXPECT_EQ(DigestOf({one, two}), DigestOf({two, one}));
  EXPECT_NE(DigestOf({one}), DigestOf({two}));
  RowSetDigest digest = DigestOf({one, two});
  digest.Remove(two.first, StateOf(two.second));
  EXPECT_EQ(digest, DigestOf({one}));
  EXPECT_EQ(digest.rows(), 1);
}

TEST(RowSetDigest, TellsEveryFieldApart) {
  const Edge edge{true, 5, Version(1)};
  const RowSetDigest digest = DigestOf({{Pair(1, 2), edge}});
  EXPECT_NE(digest, DigestOf({{Pair(3, 2), edge}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 3), edge}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {false, 5, Version(1)}}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {true, 6, Version(1)}}}));
  EXPECT_NE(digest, DigestOf({{Pair(1, 2), {true, 5, Version(2)}}}));
}

TEST(RowSetDigest, RowThatNoEventChangedSaysNothing) {
  EXPECT_EQ(DigestOf({{Pair(1, 2), {false, 9, Version(0)}}}), RowSetDigest());
  EXPECT_NE(DigestOf({{Pair(1, 2), {true, 9, Version(0)}}}), RowSetDigest());
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

SaidRecord Moved(std::int64_t offset, OutcomeKind kind, std::uint64_t subject,
                 std::uint64_t object) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.position = {Partition(0), Offset(offset)};
  outcome.subject = UserId(subject);
  outcome.object = UserId(object);
  outcome.since_ms = 100 + offset;
  const std::string value = EncodeOutcome(outcome);
  const LogRecord record{.partition = Partition(0),
                         .offset = Offset(offset),
                         .appended_ms = 0,
                         .key = std::nullopt,
                         .value = value};
  SaidRecords said;
  KindOf(kFollowing).read(std::span(&record, 1), 1, said);
  return said.at(0).value();
}

TEST(RowFold, StopsAtEachPositionWithEveryEventBelowItAndNoneAbove) {
  const std::vector<Section> sections = {SectionOf(kFollowing, 1, 9, 2), SectionOf(kFans, 1, 9, 0),
                                         SectionOf(kFollowing, 10, 19, 3),
                                         SectionOf(kFans, 10, 19, 4)};
  std::vector<std::string> seen;
  RowFold fold(
      KindOf(kFollowing), ThresholdsOf(sections, Partition(0)),
      [](const RecordKey&) { return true; },
      {.moved = [](const RecordKey&, const RowState&, const RowState&) {},
       .reached =
           [&](std::size_t section, const RowFold::Rows& rows) {
             const auto row = rows.find(Pair(1, 2));
             seen.push_back(std::to_string(section) + ' ' +
                            Describe(kFollowing, row == rows.end() ? RowState() : row->second));
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

TEST(RowFold, TellsHowAnEdgeMovesAndLeavesOthersAlone) {
  std::vector<std::string> moves;
  RowFold fold(
      KindOf(kFollowing), {}, [](const RecordKey& key) { return key.subject == UserId(1); },
      {.moved =
           [&](const RecordKey&, const RowState& before, const RowState& after) {
             moves.push_back(Describe(kFollowing, before) + " > " + Describe(kFollowing, after));
           },
       .reached = [](std::size_t, const RowFold::Rows&) {}});
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
  EXPECT_EQ(Compare(kFollowing, StateOf(GetParam().found), StateOf(GetParam().expected)),
            GetParam().kind);
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
        CompareCase{"State", {true, 1, Version(2)}, {false, 1, Version(2)}, kWrongState},
        CompareCase{"Since", {true, 1, Version(2)}, {true, 9, Version(2)}, kWrongSince},
        CompareCase{"Version",
                    {true, 1, Version(2)},
                    {true, 1, Version(3)},
                    DifferenceKind::kWrongVersion}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(RowComparison, TellsTheEdgesOfItsSlotsThatDiffer) {
  Section flagged = SectionOf(kFollowing, 1, 9, 3);
  RowComparison comparison(kOneOfEach);
  const std::size_t at = comparison.Add(flagged, {SlotOf(UserId(1))});
  comparison.SectionAt(at).positions = {Offset(3)};
  const auto row = [](std::uint64_t user, std::uint64_t other, std::int64_t version) {
    return RowImage{{UserId(user), UserId(other)}, StateOf(Edge{true, 100, Version(version)})};
  };
  comparison.AddRow(at, row(1, 2, 1));   // right
  comparison.AddRow(at, row(1, 5, 9));   // extra
  comparison.AddRow(at, row(2, 77, 9));  // of another slot
  std::vector<std::string> told;
  RowFold fold = comparison.NewFold(Partition(0), [&](const Difference& difference) {
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
