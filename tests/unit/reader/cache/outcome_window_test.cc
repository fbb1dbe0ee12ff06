#include "reader/cache/outcome_window.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace fanfold::reader {
namespace {

constexpr std::size_t kRoomy = std::size_t{1} << 20;

EdgeMove Move(std::int32_t partition, std::int64_t offset, std::uint64_t subject,
              std::uint64_t object, bool joins = true) {
  return {
      UserId(subject), UserId(object), offset * 10, {Partition(partition), Offset(offset)}, joins};
}

std::vector<std::int64_t> OffsetsOf(const std::vector<EdgeMove>& moves) {
  std::vector<std::int64_t> offsets;
  for (const EdgeMove& move : moves) offsets.push_back(move.position.offset.value);
  return offsets;
}

OutcomeWindow WindowAt(std::vector<Offset> next, std::size_t bytes_max = kRoomy) {
  OutcomeWindow window(static_cast<std::int32_t>(next.size()), bytes_max);
  window.StartAt(next);
  return window;
}

void Push(OutcomeWindow& window, const EdgeMove& move) { window.Push(move.position, move); }

using Offsets = std::vector<std::int64_t>;

std::vector<EdgeMove> MovesOf(const OutcomeWindow& window, Direction list, UserId user) {
  std::vector<EdgeMove> moves;
  OutcomeWindow::WayBack way = window.Back(list, user);
  const auto all = [](const EdgeMove&) { return true; };
  while (window.GoBack(way, 0, /*most=*/2, all, moves)) continue;
  std::ranges::reverse(moves);
  return moves;
}

TEST(OutcomeWindow, GivesAUsersMovesInOrder) {
  OutcomeWindow window = WindowAt({Offset(5), Offset(0)});
  Push(window, Move(0, 5, 1, 2));
  Push(window, Move(1, 0, 3, 2));
  Push(window, Move(0, 6, 1, 4));
  window.Push({Partition(0), Offset(7)}, std::nullopt);  // moved nothing
  Push(window, Move(0, 8, 1, 2, false));
  EXPECT_EQ(OffsetsOf(MovesOf(window, Direction::kFollowing, UserId(1))), (Offsets{5, 6, 8}));
  EXPECT_EQ(OffsetsOf(MovesOf(window, Direction::kFans, UserId(2))), (Offsets{5, 0, 8}));
  EXPECT_TRUE(MovesOf(window, Direction::kFans, UserId(1)).empty());
  EXPECT_EQ(window.next(Partition(0)), Offset(9));
  EXPECT_EQ(window.floor(Partition(0)), Offset(5));
}

TEST(OutcomeWindow, WhatEveryTableHoldsLeaves) {
  OutcomeWindow window = WindowAt({Offset(0), Offset(0)});
  for (int i = 0; i < 4; ++i) Push(window, Move(0, i, 1, 2 + static_cast<std::uint64_t>(i)));
  window.Trim(Partition(0), Offset(3));
  EXPECT_EQ(window.floor(Partition(0)), Offset(3));
  EXPECT_EQ(OffsetsOf(MovesOf(window, Direction::kFollowing, UserId(1))), (Offsets{3}));
  EXPECT_TRUE(MovesOf(window, Direction::kFans, UserId(2)).empty());
  window.Trim(Partition(0), Offset(100));  // never above R
  EXPECT_EQ(window.floor(Partition(0)), Offset(4));
}

TEST(OutcomeWindow, TooManyMovesRaiseTheFloorOfTheirPartitionOnly) {
  OutcomeWindow window = WindowAt({Offset(0), Offset(0)}, 3 * OutcomeWindow::kMoveBytes);
  Push(window, Move(0, 0, 1, 2));
  Push(window, Move(1, 0, 3, 2));
  Push(window, Move(0, 1, 1, 4));
  EXPECT_EQ(window.floor(Partition(0)), Offset(0));
  Push(window, Move(1, 1, 3, 4));
  EXPECT_EQ(window.floor(Partition(0)), Offset(1));
  EXPECT_EQ(window.floor(Partition(1)), Offset(0));
  EXPECT_EQ(OffsetsOf(MovesOf(window, Direction::kFans, UserId(2))), (Offsets{0}));
  EXPECT_LE(window.bytes(), 3 * OutcomeWindow::kMoveBytes);
}

TEST(OutcomeWindow, AWayBackIsGoneInStepsWhileMovesComeAndLeave) {
  OutcomeWindow window = WindowAt({Offset(0)}, 4 * OutcomeWindow::kMoveBytes);
  for (int i = 0; i < 4; ++i) Push(window, Move(0, i, 1, 2 + static_cast<std::uint64_t>(i)));
  std::vector<EdgeMove> moves;
  const auto odd = [](const EdgeMove& move) { return move.position.offset.value % 2 == 1; };
  OutcomeWindow::WayBack way = window.Back(Direction::kFollowing, UserId(1));
  EXPECT_TRUE(window.GoBack(way, 0, 2, odd, moves));
  EXPECT_EQ(OffsetsOf(moves), (Offsets{3}));
  Push(window, Move(0, 4, 1, 9));
  EXPECT_FALSE(window.GoBack(way, 0, 1, odd, moves)) << "0 has left";
  EXPECT_EQ(OffsetsOf(moves), (Offsets{3, 1}));
}

TEST(OutcomeWindow, MovesSinceAreAllOrNothing) {
  OutcomeWindow window = WindowAt({Offset(0)}, 4 * OutcomeWindow::kMoveBytes);
  const OutcomeWindow::Number first = window.end();
  for (int i = 0; i < 4; ++i) Push(window, Move(0, i, 1, 2));
  const auto since = [&](OutcomeWindow::Number from, std::size_t most) {
    const auto moves = window.MovesSince(Direction::kFans, UserId(2), from, most);
    return moves ? OffsetsOf(*moves) : Offsets{-1};
  };
  EXPECT_EQ(since(first, 4), (Offsets{0, 1, 2, 3}));
  EXPECT_EQ(since(first + 2, 4), (Offsets{2, 3}));
  EXPECT_EQ(since(window.end(), 4), Offsets{});
  EXPECT_EQ(since(first, 3), Offsets{-1}) << "more than were asked for";
  Push(window, Move(0, 4, 7, 8));
  EXPECT_EQ(since(first, 4), Offsets{-1}) << "some have left";
}

TEST(OutcomeWindow, StartsAnew) {
  OutcomeWindow window = WindowAt({Offset(0)});
  Push(window, Move(0, 0, 1, 2));
  window.StartAt({Offset(10)});
  EXPECT_TRUE(MovesOf(window, Direction::kFollowing, UserId(1)).empty());
  Push(window, Move(0, 10, 1, 3));
  EXPECT_EQ(OffsetsOf(MovesOf(window, Direction::kFollowing, UserId(1))), (Offsets{10}));
  EXPECT_EQ(window.floor(Partition(0)), Offset(10));
}

}  // namespace
}  // namespace fanfold::reader
