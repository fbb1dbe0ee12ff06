#include "reader/feed/filled_gaps.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

PostRun RunOf(const PostPlace& low, const PostPlace& high, const std::vector<PostPlace>& posts) {
  return {low, high, posts};
}

AuthorRuns Lent(const FilledGaps& filled, const PostRun* newest) {
  AuthorRuns runs{UserId(1), newest, {}};
  filled.LendTo(std::span(&runs, 1));
  return runs;
}

TEST(FilledGaps, TheNewestThatGoFurtherDownAreLent) {
  const PostRun held = RunOf(Post(50), kAboveAll, {Post(50)});
  FilledGaps filled;
  EXPECT_TRUE(filled.empty());
  filled.Fill(UserId(1), RunOf(Post(60), kAboveAll, {Post(60)}));
  EXPECT_EQ(Lent(filled, nullptr).newest->low(), Post(60));
  EXPECT_EQ(Lent(filled, &held).newest, &held);
  filled.Fill(UserId(1), RunOf(Post(40), kAboveAll, {Post(40), Post(60)}));
  EXPECT_EQ(Lent(filled, &held).newest->low(), Post(40));
}

TEST(FilledGaps, DeeperPostsGrowByWhatTouchesThem) {
  FilledGaps filled;
  filled.Fill(UserId(1), RunOf(Post(40), Post(50), {Post(40)}));
  filled.Fill(UserId(1), RunOf(Post(30), Post(40), {Post(30)}));
  EXPECT_EQ(Lent(filled, nullptr).newest, nullptr);
  EXPECT_EQ(Lent(filled, nullptr).others[1]->size(), 2U);
  filled.Fill(UserId(1), RunOf(Post(10), Post(20), {Post(10)}));
  EXPECT_EQ(Lent(filled, nullptr).others[1]->size(), 1U);
}

TEST(FilledGaps, NobodyElsesAreLentAndMoved) {
  FilledGaps filled;
  filled.Fill(UserId(2), RunOf(Post(40), kAboveAll, {Post(40)}));
  filled.Move({UserId(1), Post(50), true});
  EXPECT_EQ(Lent(filled, nullptr).newest, nullptr);
  filled.Move({UserId(2), Post(50), true});
  AuthorRuns runs{UserId(2), nullptr, {}};
  filled.LendTo(std::span(&runs, 1));
  EXPECT_EQ(runs.newest->size(), 2U);
}

}  // namespace
}  // namespace fanfold::reader
