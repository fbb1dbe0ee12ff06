#include "reader/feed/recent_posts.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace fanfold::reader {
namespace {

constexpr std::size_t kRoomyPosts = std::size_t{1} << 20;

PostMove Move(std::uint64_t author, std::uint64_t post, bool is_posted = true) {
  return {UserId(author), {static_cast<std::int64_t>(post), PostId(post)}, is_posted};
}

using PostIds = std::vector<std::uint64_t>;

PostIds PostsOf(const std::optional<std::vector<PostMove>>& moves) {
  PostIds posts;
  for (const PostMove& move : moves.value()) posts.push_back(move.post.post.value);
  return posts;
}

TEST(RecentPosts, GivesAnAuthorsMovesInOrderFromAPositionOn) {
  RecentPosts recent(2, kRoomyPosts);
  recent.StartAt({Offset(5), Offset(0)});
  recent.Push({Partition(0), Offset(5)}, Move(1, 10));
  recent.Push({Partition(1), Offset(0)}, Move(3, 20));
  recent.Push({Partition(0), Offset(6)}, std::nullopt);
  recent.Push({Partition(0), Offset(7)}, Move(2, 30));
  recent.Push({Partition(0), Offset(8)}, Move(1, 10, false));
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(5), 9)), (PostIds{10, 10}));
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(6), 9)), (PostIds{10}));
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(9), 9)), (PostIds{}));
  EXPECT_EQ(PostsOf(recent.Since(UserId(4), Offset(5), 9)), (PostIds{}));
  EXPECT_FALSE(recent.Since(UserId(1), Offset(5), 1));
  EXPECT_EQ(recent.next(Partition(0)), Offset(9));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(5));
}

TEST(RecentPosts, WhatEveryTableHoldsLeaves) {
  RecentPosts recent(2, kRoomyPosts);
  recent.StartAt({Offset(0), Offset(0)});
  for (std::int64_t i = 0; i < 4; ++i) recent.Push({Partition(0), Offset(i)}, Move(1, 1));
  recent.Push({Partition(1), Offset(0)}, Move(2, 2));
  recent.Trim(Partition(0), Offset(3));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(3));
  EXPECT_EQ(recent.bytes(), 2 * (RecentPosts::kMoveBytes + RecentPosts::kAuthorBytes));
  recent.Trim(Partition(1), Offset(1));
  recent.Trim(Partition(0), Offset(99));
  EXPECT_EQ(recent.floor(Partition(0)), Offset(4)) << "no further than what was seen";
  EXPECT_EQ(recent.bytes(), 0U);
  recent.Push({Partition(0), Offset(4)}, Move(1, 9));
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(4), 9)), (PostIds{9}));
}

TEST(RecentPosts, TheOldestLeaveForWantOfRoom) {
  constexpr std::size_t kBytes = 3 * (RecentPosts::kMoveBytes + RecentPosts::kAuthorBytes);
  RecentPosts recent(1, kBytes);
  recent.StartAt({Offset(0)});
  const RecentPosts::Number before = recent.end();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    recent.Push({Partition(0), Offset(static_cast<std::int64_t>(i) - 1)}, Move(i % 2, i));
  }
  EXPECT_EQ(recent.floor(Partition(0)), Offset(2));
  EXPECT_GT(recent.begin(), before);
  EXPECT_LE(recent.bytes(), kBytes);
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(2), 9)), (PostIds{3, 5}));
  EXPECT_EQ(PostsOf(recent.SinceNumber(UserId(1), recent.end() - 2, 9)), (PostIds{5}));
}

TEST(RecentPosts, NumbersGoOnWhereItBeginsAnew) {
  RecentPosts recent(1, kRoomyPosts);
  recent.StartAt({Offset(0)});
  recent.Push({Partition(0), Offset(0)}, Move(1, 1));
  const RecentPosts::Number end = recent.end();
  recent.StartAt({Offset(7)});
  EXPECT_EQ(recent.begin(), end);
  EXPECT_EQ(PostsOf(recent.Since(UserId(1), Offset(7), 9)), (PostIds{}));
}

}  // namespace
}  // namespace fanfold::reader
