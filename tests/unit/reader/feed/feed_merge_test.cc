#include "reader/feed/feed_merge.h"

#include <gtest/gtest.h>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

using Side = PostStretch::Side;
using Towards = FeedQuery::Towards;

// Runs by author, as they would be known.
class Known {
 public:
  // Complete below, as far as `low`.
  void Newest(std::uint64_t author, const PostPlace& low, const std::vector<PostPlace>& ascending) {
    EntryOf(author).newest = &runs_.emplace_back(low, kAboveAll, ascending);
  }
  void Other(std::uint64_t author, const PostPlace& low, const PostPlace& high,
             const std::vector<PostPlace>& ascending) {
    EntryOf(author).others[0] = &runs_.emplace_back(low, high, ascending);
  }
  void Nothing(std::uint64_t author) { EntryOf(author); }

  [[nodiscard]] FeedPage Page(const FeedQuery& query) const { return MergeFeed(authors_, query); }
  [[nodiscard]] Unread UnreadSince(const FeedKey& key) const { return CountUnread(authors_, key); }
  [[nodiscard]] FeedPage Latest(const FeedQuery& query, const std::set<FeedKey>& shown = {}) const {
    return MergeLatest(authors_, query, [&](const FeedKey& key) { return shown.contains(key); });
  }

 private:
  AuthorRuns& EntryOf(std::uint64_t author) {
    for (AuthorRuns& runs : authors_) {
      if (runs.author == UserId(author)) return runs;
    }
    return authors_.emplace_back(UserId(author));
  }
  std::list<PostRun> runs_;
  std::vector<AuthorRuns> authors_;
};

std::vector<FeedKey> Keys(std::initializer_list<FeedKey> keys) { return keys; }
std::vector<PostStretch> Gaps(std::initializer_list<PostStretch> gaps) { return gaps; }

TEST(MergeFeed, NobodyFollowedIsAnEmptyPage) {
  const FeedPage page = Known().Page({});
  EXPECT_TRUE(page.keys.empty());
  EXPECT_FALSE(page.has_newer || page.has_older);
  EXPECT_TRUE(page.gaps.empty());
}

TEST(MergeFeed, EqualScoresGoByAuthorThenPost) {
  Known known;
  known.Newest(9, kBelowAll, {Post(5, 2), Post(5, 10)});
  known.Newest(10, kBelowAll, {Post(5, 1)});
  const FeedPage page = known.Page({});
  EXPECT_EQ(page.keys, Keys({Key(5, 10, 1), Key(5, 9, 10), Key(5, 9, 2)}));
  EXPECT_FALSE(page.has_newer || page.has_older);
}

TEST(MergeFeed, WhatIsBelowAFloorIsMissingOnlyWhereThePageGetsThere) {
  Known known;
  known.Newest(1, Post(50), {Post(50), Post(60)});
  known.Newest(2, Post(10), {Post(10), Post(55)});
  // 60, 55, and 50 says that there are more: nobody's unknown posts come before it.
  EXPECT_TRUE(known.Page({.limit = 2}).gaps.empty());
  // The fourth key may be one of author 1 below 50.
  EXPECT_EQ(known.Page({.limit = 3}).gaps, Gaps({{UserId(1), Side::kBelow, Post(50)}}));
  EXPECT_EQ(known.Page({.limit = 4}).gaps,
            Gaps({{UserId(1), Side::kBelow, Post(50)}, {UserId(2), Side::kBelow, Post(10)}}));
}

TEST(MergeFeed, WhereTheFloorsPostWasDeletedThePostsBelowItAreStillMissing) {
  Known known;
  known.Newest(1, Post(50), {Post(60)});
  known.Newest(2, kBelowAll, {Post(40)});
  EXPECT_TRUE(known.Page({.limit = 1}).gaps.size() == 1);
  EXPECT_EQ(known.Page({.limit = 1}).gaps, Gaps({{UserId(1), Side::kBelow, Post(50)}}));
}

TEST(MergeFeed, WhoseNewestAreUnknownIsAskedForThemWhateverTheCursor) {
  Known known;
  known.Nothing(1);
  known.Newest(2, Post(50), {});  // spent
  known.Newest(3, kBelowAll, {Post(70)});
  const auto both =
      Gaps({{UserId(1), Side::kBelow, kAboveAll}, {UserId(2), Side::kBelow, kAboveAll}});
  EXPECT_EQ(known.Page({}).gaps, both);
  EXPECT_EQ(known.Page({.cursor = Key(5, 5)}).gaps, both);
  EXPECT_EQ(known.Page({.cursor = Key(5, 5), .towards = Towards::kNewer}).gaps, both);
  EXPECT_EQ(known.UnreadSince(Key(5, 5)).gaps, both);
  EXPECT_EQ(known.Latest({}).gaps, both);
}

TEST(MergeFeed, ACursorBelowTheNewestNeedsTheDeeperPosts) {
  Known known;
  known.Newest(1, Post(50), {Post(50), Post(60)});
  const FeedQuery older = {.cursor = Key(20, 1), .limit = 1};
  EXPECT_EQ(known.Page(older).gaps, Gaps({{UserId(1), Side::kBelow, Post(20)}}));
  known.Other(1, Post(10), Post(20), {Post(10), Post(15)});
  const FeedPage page = known.Page(older);
  EXPECT_TRUE(page.gaps.empty());
  EXPECT_EQ(page.keys, Keys({Key(15, 1)}));
  EXPECT_TRUE(page.has_newer);
  EXPECT_TRUE(page.has_older);
}

TEST(MergeFeed, TowardsNewerItGoesUpThroughRunsThatTouch) {
  Known known;
  known.Newest(1, Post(50), {Post(50), Post(60)});
  const FeedQuery newer = {.cursor = Key(20, 1), .towards = Towards::kNewer, .limit = 2};
  EXPECT_EQ(known.Page(newer).gaps, Gaps({{UserId(1), Side::kAtOrAbove, Post(20, 2)}}));
  known.Other(1, Post(20, 1), Post(45), {Post(20), Post(30)});
  EXPECT_EQ(known.Page(newer).gaps, Gaps({{UserId(1), Side::kAtOrAbove, Post(45)}}));
  known.Other(1, Post(20, 1), Post(50), {Post(20), Post(30)});
  const FeedPage page = known.Page(newer);
  EXPECT_TRUE(page.gaps.empty());
  EXPECT_EQ(page.keys, Keys({Key(50, 1), Key(30, 1)}));
  EXPECT_TRUE(page.has_newer);
  EXPECT_TRUE(page.has_older) << "the cursor's own post";
}

TEST(MergeFeed, AnEmptyPageTellsOfTheCursorsOwnPost) {
  Known known;
  known.Newest(1, kBelowAll, {Post(50)});
  const FeedPage older = known.Page({.cursor = Key(50, 1)});
  EXPECT_TRUE(older.keys.empty());
  EXPECT_FALSE(older.has_newer);
  EXPECT_TRUE(older.has_older) << "at the cursor";
  const FeedPage newer = known.Page({.cursor = Key(50, 1), .towards = Towards::kNewer});
  EXPECT_TRUE(newer.keys.empty());
  EXPECT_FALSE(newer.has_newer);
  EXPECT_TRUE(newer.has_older);
  EXPECT_TRUE(known.Page({.cursor = Key(40, 1)}).has_newer);
  EXPECT_FALSE(known.Page({.cursor = Key(40, 1)}).has_older);
}

TEST(MergeFeed, WhetherThereAreOlderOnesOnePostTellsElseAllAreAsked) {
  Known known;
  known.Newest(1, Post(45), {Post(50)});
  known.Newest(2, Post(45), {Post(50)});
  const FeedQuery newer = {.cursor = Key(47, 1), .towards = Towards::kNewer};
  EXPECT_EQ(known.Page(newer).gaps,
            Gaps({{UserId(1), Side::kBelow, Post(45)}, {UserId(2), Side::kBelow, Post(45)}}));
  known.Newest(2, Post(40), {Post(40), Post(50)});
  EXPECT_TRUE(known.Page(newer).gaps.empty());
  EXPECT_TRUE(known.Page(newer).has_older);
}

TEST(CountUnread, CountsToItsBoundAndThenSaysMore) {
  for (const std::size_t posts : {kUnreadMax - 1, kUnreadMax, kUnreadMax + 1}) {
    std::vector<PostPlace> one;
    std::vector<PostPlace> other;
    for (std::size_t i = 0; i < posts; ++i) {
      (i % 3 == 0 ? one : other).push_back(Post(static_cast<std::int64_t>(i + 1)));
    }
    Known known;
    known.Newest(1, kBelowAll, one);
    known.Newest(2, kBelowAll, other);
    const Unread unread = known.UnreadSince(Key(0, 1));
    EXPECT_EQ(unread.count, std::min(posts, kUnreadMax));
    EXPECT_EQ(unread.more, posts > kUnreadMax);
  }
}

TEST(CountUnread, TheCursorsOwnPostIsNotUnread) {
  Known known;
  known.Newest(1, kBelowAll, {Post(50), Post(60)});
  EXPECT_EQ(known.UnreadSince(Key(50, 1)).count, 1U);
  EXPECT_EQ(known.UnreadSince(Key(50, 1, 0)).count, 2U);
  EXPECT_EQ(known.UnreadSince(Key(50, 2)).count, 1U);
  EXPECT_EQ(known.UnreadSince(Key(60, 1)).count, 0U);
}

TEST(CountUnread, PostsBelowTheNewestAreMissingOnlyAboveTheCursor) {
  Known known;
  known.Newest(1, Post(50), {Post(50), Post(60)});
  EXPECT_TRUE(known.UnreadSince(Key(50, 1)).gaps.empty());
  EXPECT_TRUE(known.UnreadSince(Key(50, 1, 0)).gaps.empty());
  EXPECT_EQ(known.UnreadSince(Key(49, 1)).gaps, Gaps({{UserId(1), Side::kBelow, Post(50)}}));
}

TEST(MergeLatest, OneOfEachAuthorAndNoneWhereItWasShown) {
  Known known;
  known.Newest(1, Post(10), {Post(10), Post(60)});
  known.Newest(2, kBelowAll, {Post(20), Post(70)});
  known.Newest(3, kBelowAll, {Post(30)});
  known.Newest(4, kBelowAll, {});
  EXPECT_EQ(known.Latest({}).keys, Keys({Key(70, 2), Key(60, 1), Key(30, 3)}));
  EXPECT_EQ(known.Latest({}, {Key(70, 2)}).keys, Keys({Key(60, 1), Key(30, 3)}));
  const FeedPage first = known.Latest({.limit = 2});
  EXPECT_EQ(first.keys, Keys({Key(70, 2), Key(60, 1)}));
  EXPECT_TRUE(first.has_older);
  const FeedPage second = known.Latest({.cursor = first.keys.back(), .limit = 2});
  EXPECT_EQ(second.keys, Keys({Key(30, 3)}));
  EXPECT_FALSE(second.has_older);
  EXPECT_FALSE(known.Latest({.limit = 3}).has_older);
}

}  // namespace
}  // namespace fanfold::reader
