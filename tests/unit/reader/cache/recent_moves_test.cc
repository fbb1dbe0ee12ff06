#include "reader/cache/recent_moves.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace fanfold::reader {
namespace {

constexpr std::size_t kRoomyMoves = std::size_t{1} << 20;

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

RecentMoves RecentMovesAt(std::vector<Offset> next, std::size_t bytes_max = kRoomyMoves) {
  RecentMoves recent(static_cast<std::int32_t>(next.size()), bytes_max);
  recent.StartAt(next);
  return recent;
}

void Push(RecentMoves& recent, const EdgeMove& move) { recent.Push(move.position, move); }

using Offsets = std::vector<std::int64_t>;

std::vector<EdgeMove> MovesOf(const RecentMoves& recent, Direction list, UserId user) {
  std::vector<EdgeMove> moves;
  RecentMoves::WayBack way = recent.Back(list, user);
  const auto all = [](const EdgeMove&) { return true; };
  while (recent.GoBack(way, 0, /*most=*/2, all, moves)) continue;
  std::ranges::reverse(moves);
  return moves;
}

TEST(RecentMoves, GivesAUsersMovesInOrder) {
  RecentMoves recent = RecentMovesAt({Offset(5), Offset(0)});
  Push(recent, Move(0, 5, 1, 2));
  Push(recent, Move(1, 0, 3, 2));
  Push(recent, Move(0, 6, 1, 4));
  recent.Push({Partition(0), Offset(7)}, std::nullopt);  // moved nothing
  Push(recent, Move(0, 8, 1, 2, false));
  EXPECT_EQ(OffsetsOf(MovesOf(recent, Direction::kFollowing, UserId(1))), (Offsets{5, 6, 8}));
  EXPECT_EQ(OffsetsOf(MovesOf(recent, Direction::kFans, UserId(2))), (Offsets{5, 0, 8}));
  EXPECT_TRUE(MovesOf(recent, Direction::kFans, UserId(1)).empty());
  EXPECT_EQ(recent.next(Partition(0)), Offset(9));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(5));
}

TEST(RecentMoves, WhatEveryTableHoldsLeaves) {
  RecentMoves recent = RecentMovesAt({Offset(0), Offset(0)});
  for (int i = 0; i < 4; ++i) Push(recent, Move(0, i, 1, 2 + static_cast<std::uint64_t>(i)));
  recent.Trim(Partition(0), Offset(3));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(3));
  EXPECT_EQ(OffsetsOf(MovesOf(recent, Direction::kFollowing, UserId(1))), (Offsets{3}));
  EXPECT_TRUE(MovesOf(recent, Direction::kFans, UserId(2)).empty());
  recent.Trim(Partition(0), Offset(100));  // never above the reader's position
  EXPECT_EQ(recent.floor(Partition(0)), Offset(4));
}

TEST(RecentMoves, TooManyMovesRaiseTheFloorOfTheirPartitionOnly) {
  RecentMoves recent = RecentMovesAt({Offset(0), Offset(0)}, 3 * RecentMoves::kMoveBytes);
  Push(recent, Move(0, 0, 1, 2));
  Push(recent, Move(1, 0, 3, 2));
  Push(recent, Move(0, 1, 1, 4));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(0));
  Push(recent, Move(1, 1, 3, 4));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(1));
  EXPECT_EQ(recent.floor(Partition(1)), Offset(0));
  EXPECT_EQ(OffsetsOf(MovesOf(recent, Direction::kFans, UserId(2))), (Offsets{0}));
  EXPECT_LE(recent.bytes(), 3 * RecentMoves::kMoveBytes);
}

TEST(RecentMoves, AWayBackIsGoneInStepsWhileMovesComeAndLeave) {
  RecentMoves recent = RecentMovesAt({Offset(0)}, 4 * RecentMoves::kMoveBytes);
  for (int i = 0; i < 4; ++i) Push(recent, Move(0, i, 1, 2 + static_cast<std::uint64_t>(i)));
  std::vector<EdgeMove> moves;
  const auto odd = [](const EdgeMove& move) { return move.position.offset.value % 2 == 1; };
  RecentMoves::WayBack way = recent.Back(Direction::kFollowing, UserId(1));
  EXPECT_TRUE(recent.GoBack(way, 0, 2, odd, moves));
  EXPECT_EQ(OffsetsOf(moves), (Offsets{3}));
  Push(recent, Move(0, 4, 1, 9));
  EXPECT_FALSE(recent.GoBack(way, 0, 1, odd, moves)) << "0 has left";
  EXPECT_EQ(OffsetsOf(moves), (Offsets{3, 1}));
}

TEST(RecentMoves, MovesSinceAreAllOrNothing) {
  RecentMoves recent = RecentMovesAt({Offset(0)}, 4 * RecentMoves::kMoveBytes);
  const RecentMoves::Number first = recent.end();
  for (int i = 0; i < 4; ++i) Push(recent, Move(0, i, 1, 2));
  const auto since = [&](RecentMoves::Number from, std::size_t most) {
    const auto moves = recent.MovesSince(Direction::kFans, UserId(2), from, most);
    return moves ? OffsetsOf(*moves) : Offsets{-1};
  };
  EXPECT_EQ(since(first, 4), (Offsets{0, 1, 2, 3}));
  EXPECT_EQ(since(first + 2, 4), (Offsets{2, 3}));
  EXPECT_EQ(since(recent.end(), 4), Offsets{});
  EXPECT_EQ(since(first, 3), Offsets{-1}) << "more than were asked for";
  Push(recent, Move(0, 4, 7, 8));
  EXPECT_EQ(since(first, 4), Offsets{-1}) << "some have left";
}

TEST(RecentMoves, StartsAnew) {
  RecentMoves recent = RecentMovesAt({Offset(0)});
  Push(recent, Move(0, 0, 1, 2));
  recent.StartAt({Offset(10)});
  EXPECT_TRUE(MovesOf(recent, Direction::kFollowing, UserId(1)).empty());
  Push(recent, Move(0, 10, 1, 3));
  EXPECT_EQ(OffsetsOf(MovesOf(recent, Direction::kFollowing, UserId(1))), (Offsets{10}));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(10));
}

}  // namespace
}  // namespace fanfold::reader
