#include "common/ports/row_kinds.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "common/ports/edge_kind.h"
#include "common/relation/codec.h"

namespace fanfold {
namespace {

using namespace projections;

constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

TEST(EdgeKind, StateIsAllThatAnEdgeSays) {
  for (const bool active : {true, false}) {
    for (const std::int64_t since_ms : {std::int64_t{0}, std::int64_t{1}, kLatest}) {
      for (const std::int64_t version : {std::int64_t{1}, kLatest}) {
        const Edge edge{active, since_ms, Version(version)};
        EXPECT_EQ(EdgeOf(StateOf(edge)), edge) << Describe(edge);
      }
    }
  }
  EXPECT_EQ(StateOf(Edge{false, 7, Version(0)}), RowState()) << "that no event has changed";
  EXPECT_NE(StateOf(Edge{true, 0, Version(0)}), RowState());
}

Outcome OutcomeOf(OutcomeKind kind) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.position = {Partition(0), Offset(8)};
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  outcome.since_ms = 40;
  if (kind == OutcomeKind::kRejected) outcome.rejected = RejectReason::kFollowLimit;
  if (kind == OutcomeKind::kParked) outcome.parked = ParkReason::kMalformed;
  return outcome;
}

std::optional<SaidRecord> Said(const std::string& value) {
  const LogRecord record{.partition = Partition(0),
                         .offset = Offset(17),
                         .appended_ms = 0,
                         .key = std::nullopt,
                         .value = value};
  SaidRecords said;
  KindOf(kFans).read(std::span(&record, 1), 1, said);
  EXPECT_EQ(said.size(), 1U);
  return said.at(0);
}

// What load, audit and repair stand on: the row before does not matter.
TEST(EdgeKind, AnOutcomeThatMovesAnEdgeSaysItWhole) {
  for (const OutcomeKind kind : {OutcomeKind::kFollowed, OutcomeKind::kUnfollowed}) {
    const Outcome outcome = OutcomeOf(kind);
    const auto said = Said(EncodeOutcome(outcome));
    ASSERT_TRUE(said);
    EXPECT_EQ(said->event, Offset(8));
    EXPECT_TRUE(said->moves);
    EXPECT_EQ(said->key, (RecordKey{UserId(1), UserId(2)}));
    for (const Edge& before : {Edge(), Edge{true, 1, Version(8)}, Edge{false, 99, Version(3)}}) {
      EXPECT_EQ(EdgeOf(said->state), Apply(before, outcome).edge) << Describe(before);
    }
  }
}

TEST(EdgeKind, OtherOutcomesMoveNothingAndGarbageSaysNothing) {
  for (const OutcomeKind kind :
       {OutcomeKind::kUnchanged, OutcomeKind::kRejected, OutcomeKind::kParked}) {
    const auto said = Said(EncodeOutcome(OutcomeOf(kind)));
    ASSERT_TRUE(said) << ToString(kind);
    EXPECT_EQ(said->event, Offset(8));
    EXPECT_FALSE(said->moves) << ToString(kind);
  }
  EXPECT_FALSE(Said("garbage"));
}

TEST(RowKey, IsTheSubjectsWhereRowsLiveWithTheKeyElseTheObjects) {
  const RecordKey record{UserId(1), UserId(2)};
  EXPECT_EQ(KeyOf(kFollowing, record), (RowKey{UserId(1), UserId(2)}));
  EXPECT_EQ(KeyOf(kFans, record), (RowKey{UserId(2), UserId(1)}));
  for (const Projection projection : Projection::All()) {
    EXPECT_EQ(RecordOf(projection, KeyOf(projection, record)), record);
  }
}

}  // namespace
}  // namespace fanfold
