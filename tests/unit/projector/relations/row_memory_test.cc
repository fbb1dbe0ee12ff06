#include "projector/relations/row_memory.h"

#include <gtest/gtest.h>
#include <vector>

namespace fanfold::projector {
namespace {

EdgeRow Row(std::uint64_t user, std::uint64_t other, std::int64_t version) {
  return {{UserId(user), UserId(other)}, {true, 10 * version, Version(version)}};
}

EdgeWrites Wrote(std::vector<EdgeRow> rows) {
  EdgeWrites batch;
  for (const EdgeRow& row : rows) batch.counts.push_back({row.key.user, 1});
  batch.edges = std::move(rows);
  return batch;
}

TEST(RowMemory, AUserNeverLearnedIsUnknown) {
  RowMemory memory;
  EXPECT_EQ(memory.Find(UserId(1)), nullptr);
}

TEST(RowMemory, AWholeListAnswersForRowsThatAreThereAndForThoseThatAreNot) {
  RowMemory memory;
  const std::vector<EdgeRow> rows = {Row(1, 2, 5), Row(1, 9, 7)};
  memory.Learn(UserId(1), EdgeCount(2), true, rows);
  const KnownUser* user = memory.Find(UserId(1));
  ASSERT_NE(user, nullptr);
  EXPECT_EQ(user->count, EdgeCount(2));
  EXPECT_EQ(user->EdgeTo(UserId(9)), rows[1].edge);
  EXPECT_EQ(user->EdgeTo(UserId(3)), Edge());
  EXPECT_EQ(user->EdgeTo(UserId(10)), Edge());
}

TEST(RowMemory, WhatWasCommittedIsRemembered) {
  RowMemory memory;
  memory.Learn(UserId(1), EdgeCount(1), true, std::vector{Row(1, 5, 1)});
  memory.Note(Wrote({Row(1, 2, 4)}));
  memory.Note(Wrote({Row(1, 5, 6)}));
  const KnownUser* user = memory.Find(UserId(1));
  EXPECT_EQ(user->EdgeTo(UserId(2)).version, Version(4));
  EXPECT_EQ(user->EdgeTo(UserId(5)).version, Version(6));
  EXPECT_EQ(user->rows.size(), 2U);
  EXPECT_EQ(user->count, EdgeCount(3));
  EXPECT_EQ(memory.entries(), 3U);
}

TEST(RowMemory, OfAListThatIsNotWholeOnlyTheCountIsKept) {
  RowMemory memory;
  memory.Learn(UserId(1), EdgeCount(500), false, {});
  memory.Note(Wrote({Row(1, 2, 4)}));
  EXPECT_FALSE(memory.Find(UserId(1))->whole);
  EXPECT_TRUE(memory.Find(UserId(1))->rows.empty());
  EXPECT_EQ(memory.Find(UserId(1))->count, EdgeCount(501));
}

TEST(RowMemory, AListThatGrowsTooLongIsNoLongerWhole) {
  RowMemory memory;
  std::vector<EdgeRow> rows;
  for (std::uint64_t i = 1; i <= RowMemory::kUserRowsMax; ++i) rows.push_back(Row(1, i, 1));
  memory.Learn(UserId(1), EdgeCount(1), true, rows);
  memory.Note(Wrote({Row(1, 7, 2)}));
  EXPECT_TRUE(memory.Find(UserId(1))->whole);
  memory.Note(Wrote({Row(1, RowMemory::kUserRowsMax + 1, 2)}));
  EXPECT_FALSE(memory.Find(UserId(1))->whole);
  EXPECT_EQ(memory.entries(), 1U);
}

TEST(RowMemory, AWriteToAnUnknownUserLeavesHimUnknown) {
  RowMemory memory;
  memory.Note(Wrote({Row(1, 2, 4)}));
  EXPECT_EQ(memory.Find(UserId(1)), nullptr);
}

TEST(RowMemory, RoomIsMadeByForgettingWhoWasNotAskedForLately) {
  constexpr std::size_t kMax = 100;
  RowMemory memory(kMax);
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    memory.MakeRoom();
    memory.Learn(UserId(id), EdgeCount(0), true, {});
    ASSERT_NE(memory.Find(UserId(1)), nullptr) << id;
    ASSERT_LE(memory.entries(), kMax + 1);
  }
  EXPECT_EQ(memory.Find(UserId(2)), nullptr);
  EXPECT_NE(memory.Find(UserId(10'000)), nullptr);
}

TEST(RowMemory, ForgetLeavesNothing) {
  RowMemory memory;
  memory.Learn(UserId(1), EdgeCount(1), true, std::vector{Row(1, 5, 1)});
  memory.Forget();
  EXPECT_EQ(memory.Find(UserId(1)), nullptr);
  EXPECT_EQ(memory.entries(), 0U);
}

}  // namespace
}  // namespace fanfold::projector
