#include "reader/feed/post_run.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

std::vector<PostPlace> PostsOf(const PostRun& run) {
  std::vector<PostPlace> posts;
  for (std::size_t place = 0; place < run.size(); ++place) posts.push_back(run.At(place));
  return posts;
}

std::vector<PostPlace> Numbered(std::size_t posts) {
  std::vector<PostPlace> keys;
  for (std::size_t i = 1; i <= posts; ++i) keys.push_back(Post(static_cast<std::int64_t>(i), i));
  return keys;
}

TEST(PostRun, FewerThanAskedForAreAllThereAre) {
  const std::vector<PostPlace> descending = {Post(7, 2), Post(5, 9)};
  const PostRun all = PostRun::Below(kAboveAll, descending, 3);
  EXPECT_EQ(all.low(), kBelowAll);
  EXPECT_EQ(PostsOf(all), (std::vector<PostPlace>{Post(5, 9), Post(7, 2)}));
  const PostRun some = PostRun::Below(kAboveAll, descending, 2);
  EXPECT_EQ(some.low(), Post(5, 9));

  const std::vector<PostPlace> ascending = {Post(5, 9), Post(7, 2)};
  EXPECT_EQ(PostRun::AtOrAbove(Post(5, 9), ascending, 3).high(), kAboveAll);
  EXPECT_EQ(PostRun::AtOrAbove(Post(5, 9), ascending, 2).high(), Post(7, 3));
  EXPECT_EQ(PostRun::AtOrAbove(Post(5, 9), {}, 2).high(), kAboveAll);
}

TEST(PostRun, PostsOutsideItsBoundsAreNotAdded) {
  PostRun run(Post(5, 5), Post(9, 9), {});
  for (const PostPlace& outside : {Post(5, 4), Post(4, 9), Post(9, 9), Post(10, 1)}) {
    run.Add(outside);
    EXPECT_TRUE(run.empty()) << ::testing::PrintToString(outside);
  }
  run.Add(Post(9, 8));
  run.Add(Post(5, 5));
  run.Add(Post(9, 8));
  EXPECT_EQ(PostsOf(run), (std::vector<PostPlace>{Post(5, 5), Post(9, 8)}));
}

TEST(PostRun, ADeletedPostLeavesAndAnUnknownOneChangesNothing) {
  const std::vector<PostPlace> posts = Numbered(3);
  PostRun run(kBelowAll, kAboveAll, posts);
  run.Remove(PostId(4));
  EXPECT_EQ(run.size(), 3U);
  run.Remove(PostId(2));
  EXPECT_EQ(PostsOf(run), (std::vector<PostPlace>{Post(1, 1), Post(3, 3)}));
}

TEST(PostRun, EmptiedItIsSpentUnlessItGoesToTheFirstPost) {
  const std::vector<PostPlace> posts = {Post(5, 1)};
  PostRun incomplete = PostRun::Below(kAboveAll, posts, 1);
  PostRun complete = PostRun::Below(kAboveAll, posts, 2);
  EXPECT_FALSE(incomplete.IsSpent());
  incomplete.Remove(PostId(1));
  complete.Remove(PostId(1));
  EXPECT_TRUE(incomplete.IsSpent());
  EXPECT_FALSE(complete.IsSpent());
}

TEST(PostRun, CutItsBoundIsAtTheLastPostThatStays) {
  const std::vector<PostPlace> posts = Numbered(10);
  PostRun newest(kBelowAll, kAboveAll, posts);
  newest.KeepNewest(4);
  EXPECT_EQ(newest.low(), Post(7, 7));
  EXPECT_EQ(newest.high(), kAboveAll);
  EXPECT_EQ(newest.size(), 4U);
  newest.Add(Post(6, 99));
  EXPECT_EQ(newest.size(), 4U) << "later than its score, and below the floor";

  PostRun oldest(kBelowAll, kAboveAll, posts);
  oldest.KeepOldest(4);
  EXPECT_EQ(oldest.low(), kBelowAll);
  EXPECT_EQ(oldest.high(), Post(5, 5));
  EXPECT_EQ(oldest.At(3), Post(4, 4));
  oldest.KeepOldest(4);
  oldest.KeepNewest(4);
  EXPECT_EQ(oldest.size(), 4U);
}

TEST(PostRun, JoinedItHasThePostsOfBothOnce) {
  const std::vector<PostPlace> posts = Numbered(10);
  const std::span<const PostPlace> all(posts);
  const PostRun lower(Post(1, 1), Post(6, 6), all.first(5));
  const PostRun upper(Post(4, 4), Post(11, 0), all.last(7));
  const PostRun apart(Post(6, 7), Post(11, 0), all.last(4));
  const PostRun next(Post(6, 6), Post(11, 0), all.last(5));
  EXPECT_TRUE(lower.Touches(upper));
  EXPECT_TRUE(lower.Touches(next));
  EXPECT_TRUE(next.Touches(lower));
  EXPECT_FALSE(lower.Touches(apart));
  EXPECT_FALSE(apart.Touches(lower));
  const PostRun joined = PostRun::Joined(upper, lower);
  EXPECT_EQ(PostsOf(joined), posts);
  EXPECT_EQ(joined.low(), Post(1, 1));
  EXPECT_EQ(joined.high(), Post(11, 0));
}

TEST(PostRun, ItWasTouchedOnce) {
  const PostRun run(kBelowAll, kAboveAll, {});
  EXPECT_TRUE(run.TakeTouched()) << "whoever made it reads it";
  EXPECT_FALSE(run.TakeTouched());
  run.Touch();
  run.Touch();
  EXPECT_TRUE(run.TakeTouched());
  EXPECT_FALSE(run.TakeTouched());
}

struct Packing {
  const char* name;
  std::int64_t first_score;
  std::int64_t score_span;
  std::uint64_t ids_max;
  std::size_t entry_bytes;
};
void PrintTo(const Packing& packing, std::ostream* out) { *out << packing.name; }

class PostRunPacking : public ::testing::TestWithParam<Packing> {};

// Scores collide often, ids come from the whole range: each step is compared with a set.
TEST_P(PostRunPacking, RandomStepsEqualASet) {
  const Packing& packing = GetParam();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t end) { return random() % end; };
    std::set<PostPlace> model;
    PostRun run(kBelowAll, kAboveAll, {});
    for (int step = 0; step < 300; ++step) {
      if (below(3) == 0 && !model.empty()) {
        const auto gone =
            std::next(model.begin(), static_cast<std::ptrdiff_t>(below(model.size())));
        run.Remove(gone->post);
        model.erase(gone);
      } else {
        const auto fifth = static_cast<std::int64_t>(below(5));
        const PostPlace post{packing.first_score + packing.score_span / 4 * fifth,
                             PostId(1 + below(packing.ids_max))};
        run.Add(post);
        model.insert(post);
      }
      if (below(40) == 0 && !model.empty()) {
        const std::size_t kept = 1 + below(model.size());
        while (model.size() > kept) model.erase(model.begin());
        run.KeepNewest(kept);
        run = PostRun::Joined(PostRun(kBelowAll, run.low(), {}), run);
      }
      ASSERT_EQ(PostsOf(run), std::vector(model.begin(), model.end()));
      for (const PostPlace& key : model) {
        ASSERT_EQ(run.PlaceOf(Next(key)) - run.PlaceOf(key), 1U);
      }
    }
  }
}

TEST_P(PostRunPacking, FullItTakesItsEntriesAndLittleMore) {
  const Packing& packing = GetParam();
  std::vector<PostPlace> posts;
  for (std::uint64_t i = 0; i < kNewestHeld; ++i) {
    const auto part = static_cast<std::int64_t>(i);
    posts.push_back(Post(packing.first_score + packing.score_span / 31 * part,
                         packing.ids_max - kNewestHeld + i));
  }
  PostRun run = PostRun::Below(kAboveAll, std::vector(posts.rbegin(), posts.rend()), kNewestHeld);
  EXPECT_EQ(run.bytes(), kNewestHeld * packing.entry_bytes);
  run.Add(Post(posts.back().score, packing.ids_max));
  EXPECT_LE(run.bytes(), (kNewestHeld + 8) * packing.entry_bytes);
  for (std::uint64_t i = 0; i < kNewestHeld; ++i) run.Remove(posts[i].post);
  EXPECT_LE(run.bytes(), 8 * packing.entry_bytes) << "room that is not used is given back";
}

INSTANTIATE_TEST_SUITE_P(
    Widths, PostRunPacking,
    ::testing::Values(
        //      name            first score    span                      ids up to      entry
        Packing{"Narrow", 1'655'884'250'592, std::int64_t{1} << 39, 0xFFFF'FFFF, 9},
        Packing{"WideIds", 1'655'884'250'592, std::int64_t{1} << 39, kPostIdMax, 13},
        Packing{"WideScores", 0, kScoreMax, 0xFFFF'FFFF, 12},
        Packing{"Wide", 0, kScoreMax, kPostIdMax, 16}, Packing{"AllAtOnce", kScoreMax, 0, 40, 9}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::reader
