// What every adapter's rows of posts do. Its test includes this and instantiates
// PostStoreContract with its TablesFactory.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/ports/post_store.h"
#include "common/ports/repair_base.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class PostStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  static constexpr LaneId kLane{projections::kPosts, kG1, Partition(0)};

  PostStoreContract()
      : tables_(GetParam().make()), store_(tables_->NewStore()), reader_(tables_->NewReader()) {}

  static PostWrite Post(std::uint64_t author, std::uint64_t post, std::int64_t score,
                        std::string content, std::int64_t version) {
    return {KeyOf(UserId(author), PostId(post)),
            {.post_type = 7,
             .content = std::move(content),
             .score = score,
             .active = true,
             .version = Version(version)}};
  }
  static PostWrite Deleted(std::uint64_t author, std::uint64_t post, std::int64_t score,
                           std::int64_t version) {
    PostWrite write = Post(author, post, score, "", version);
    write.row.active = false;
    return write;
  }
  static ListedPost Listed(const PostWrite& write) {
    return {{write.row.score, PostOf(write.key)}, write.row.post_type, write.row.content};
  }

  // In one transaction that carries the lane on by one event, and decides it.
  void Write(std::vector<PostWrite> posts) {
    if (!lane_) lane_ = TakeOne(*store_, kLane, kDeciding);
    LaneProgress to = lane_->progress;
    to.next_offset = Next(to.next_offset);
    to.event_offset = to.next_offset;
    PostWrites writes;
    writes.posts = std::move(posts);
    LaneBatch batch;
    batch.projection = projections::kPosts;
    batch.moves = {{kLane, lane_->fence, kDeciding, lane_->progress.next_offset, to}};
    batch.rows = &writes;
    const Status done = store_->Commit(batch);
    ASSERT_TRUE(done) << done.error().message;
    lane_->progress = to;
  }

  std::vector<PostRow> Load(const std::vector<RowKey>& keys) {
    return Must(OpenPostStore(*store_, projections::kPosts, kG1)->Load(keys));
  }
  PostView Page(std::uint64_t author, const std::optional<PostPlace>& after = {},
                std::size_t limit = 100) {
    return Must(OpenPosts(*reader_)->Page(kG1, UserId(author), Partition(0), after, limit));
  }
  StretchesView Stretches(const std::vector<PostStretch>& asked, std::size_t limit) {
    return Must(OpenPosts(*reader_)->Stretches(kG1, asked, limit));
  }
  PostView One(std::uint64_t author, std::uint64_t post) {
    return Must(OpenPosts(*reader_)->One(kG1, UserId(author), Partition(0), PostId(post)));
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<ProjectionReader> reader_;
  std::optional<TakenLane> lane_;
};

TEST_P(PostStoreContract, ADeciderIsToldAllButTheContent) {
  Write({Post(1, 2, 30, "a", 1), Deleted(1, 5, 20, 2), Post(4, 1, 10, "b", 3)});
  const std::vector<PostRow> rows =
      Load({KeyOf(UserId(1), PostId(2)), KeyOf(UserId(1), PostId(3)), KeyOf(UserId(1), PostId(5)),
            KeyOf(UserId(4), PostId(1))});
  ASSERT_EQ(rows.size(), 4U);
  PostRow posted = Post(1, 2, 30, "a", 1).row;
  posted.content.clear();
  EXPECT_EQ(rows[0], posted);
  EXPECT_EQ(rows[1], PostRow());
  EXPECT_EQ(rows[2], Deleted(1, 5, 20, 2).row);
  EXPECT_EQ(rows[3].score, 10);
  EXPECT_TRUE(Load({}).empty());
}

TEST_P(PostStoreContract, ManyAreLoadedAtOnce) {
  std::vector<PostWrite> writes;
  std::vector<RowKey> keys;
  for (std::uint64_t post = 1; post <= 3'000; ++post) {
    if (post % 3 != 0) writes.push_back(Post(9, post, static_cast<std::int64_t>(post), "c", 1));
    keys.push_back(KeyOf(UserId(9), PostId(post)));
  }
  Write(writes);
  const std::vector<PostRow> rows = Load(keys);
  ASSERT_EQ(rows.size(), keys.size());
  for (std::uint64_t post = 1; post <= 3'000; ++post) {
    EXPECT_EQ(rows[post - 1].score, post % 3 != 0 ? static_cast<std::int64_t>(post) : 0) << post;
  }
}

TEST_P(PostStoreContract, TheNewestComeFirstBesideTheirLane) {
  Write({Post(1, 2, 30, "a", 1), Post(1, 3, 30, "b", 1), Deleted(1, 4, 40, 1),
         Post(1, 9, 20, "c", 1), Post(2, 5, 99, "other", 1)});
  const PostView view = Page(1);
  EXPECT_EQ(view.posts, (std::vector{Listed(Post(1, 3, 30, "b", 1)), Listed(Post(1, 2, 30, "a", 1)),
                                     Listed(Post(1, 9, 20, "c", 1))}));
  EXPECT_EQ(view.position, Offset(1));
  EXPECT_FALSE(view.rewound);
  EXPECT_EQ(view.repair_mark, 0U);
  const PostView nothing = Page(77);
  EXPECT_TRUE(nothing.posts.empty());
  EXPECT_EQ(nothing.position, Offset(1));
}

TEST_P(PostStoreContract, PagesOfEveryLengthMeet) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<PostWrite> writes;
  for (std::uint64_t post = 1; post <= 12; ++post) {
    writes.push_back(Post(1, post, static_cast<std::int64_t>(post / 3), std::to_string(post), 1));
  }
  writes.push_back(Post(1, kPostIdMax, kMax, "last", 1));
  Write(writes);
  std::vector<ListedPost> all;
  for (const PostWrite& write : writes) all.push_back(Listed(write));
  std::ranges::sort(all, std::greater(), &ListedPost::place);
  for (std::size_t limit = 1; limit <= all.size() + 1; ++limit) {
    std::vector<ListedPost> walked;
    std::optional<PostPlace> after;
    while (true) {
      const std::vector<ListedPost> page = Page(1, after, limit).posts;
      walked.insert(walked.end(), page.begin(), page.end());
      if (page.size() < limit) break;
      after = page.back().place;
    }
    EXPECT_EQ(walked, all) << limit;
  }
  // Behind a place where nothing stands.
  EXPECT_EQ(Page(1, PostPlace{3, PostId(1)}, 1).posts.at(0).place, (PostPlace{2, PostId(8)}));
}

// Both sides of every bound that is a post, between two, or beyond all.
TEST_P(PostStoreContract, StretchesBeginAtTheirBoundsAndAreCut) {
  constexpr std::int64_t kScoreEnd = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kIdEnd = std::numeric_limits<std::uint64_t>::max();
  std::vector<PostWrite> writes = {Post(1, kPostIdMax, 4, "", 1), Deleted(1, 2, 3, 1),
                                   Post(2, 1, 2, "", 1)};
  for (std::uint64_t post = 3; post <= 10; ++post) {
    writes.push_back(Post(1, post, static_cast<std::int64_t>(post / 3), "", 1));
  }
  Write(writes);
  std::vector<PostPlace> all;
  for (const PostWrite& write : writes) {
    if (write.key.user == UserId(1) && write.row.active) all.push_back(Listed(write).place);
  }
  std::ranges::sort(all);
  std::vector<PostPlace> bounds = all;
  bounds.insert(bounds.end(), {{std::numeric_limits<std::int64_t>::min(), PostId(0)},
                               {kScoreEnd, PostId(kIdEnd)},
                               {2, PostId(0)},
                               {2, PostId(kPostIdMax + 1)},
                               {4, PostId(kPostIdMax)},
                               {4, PostId(kPostIdMax + 1)},
                               {7, PostId(1)}});
  using Side = PostStretch::Side;
  std::vector<PostStretch> asked;
  for (const PostPlace& bound : bounds) {
    asked.push_back({UserId(1), Side::kBelow, bound});
    asked.push_back({UserId(1), Side::kAtOrAbove, bound});
  }
  for (const std::size_t limit : {1U, 3U, 20U}) {
    const StretchesView view = Stretches(asked, limit);
    ASSERT_EQ(view.stretches.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool below = asked[i].side == Side::kBelow;
      std::vector<PostPlace> expected;
      for (const PostPlace& place : all) {
        if ((place < asked[i].bound) == below) expected.push_back(place);
      }
      if (below) std::ranges::reverse(expected);
      expected.resize(std::min(expected.size(), limit));
      EXPECT_EQ(view.stretches[i], expected)
          << asked[i].bound.score << ' ' << asked[i].bound.post.value << ' ' << below;
    }
  }
}

TEST_P(PostStoreContract, StretchesOfManyAuthorsAreOneViewWithTheirLanes) {
  std::vector<PostWrite> writes;
  std::vector<PostStretch> asked;
  for (std::uint64_t author = 1; author <= PostReader::kStretchesMax; ++author) {
    if (author % 3 != 0) writes.push_back(Post(author, author, 5, "", 1));
    asked.push_back({UserId(author), PostStretch::Side::kBelow, {9, PostId(1)}});
  }
  EXPECT_TRUE(Stretches(asked, 2).at.lanes.empty());
  Write(writes);
  const LaneId other{projections::kPosts, kG1, Partition(3)};
  TakeOne(*store_, other, kDeciding);
  const StretchesView view = Stretches(asked, 2);
  for (std::uint64_t author = 1; author <= PostReader::kStretchesMax; ++author) {
    const std::vector<PostPlace> one = {{5, PostId(author)}};
    EXPECT_EQ(view.stretches[author - 1], author % 3 != 0 ? one : std::vector<PostPlace>())
        << author;
  }
  ASSERT_EQ(view.at.lanes.size(), 2U);
  EXPECT_EQ(view.at.lanes[0].partition, Partition(0));
  EXPECT_EQ(view.at.lanes[0].position, Offset(1));
  EXPECT_FALSE(view.at.lanes[0].rewound);
  EXPECT_EQ(view.at.lanes[1].partition, Partition(3));
  EXPECT_EQ(view.at.lanes[1].position, Offset(0));
  EXPECT_EQ(view.at.repair_mark, 0U);
}

// Also of one whose newest posts have one score, or were deleted, or who has none.
TEST_P(PostStoreContract, TheNewestOfEachAlone) {
  constexpr std::int64_t kScoreEnd = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kIdEnd = std::numeric_limits<std::uint64_t>::max();
  Write({Post(1, 5, 30, "", 1), Post(1, 6, 30, "", 1), Post(1, 9, 20, "", 1), Post(2, 1, 10, "", 1),
         Deleted(2, 2, 50, 1), Deleted(3, 1, 9, 1), Post(5, kPostIdMax, kScoreEnd, "", 1)});
  std::vector<PostStretch> asked;
  for (const std::uint64_t author : {5U, 4U, 3U, 2U, 1U}) {
    asked.push_back({UserId(author), PostStretch::Side::kBelow, {kScoreEnd, PostId(kIdEnd)}});
  }
  const StretchesView view = Stretches(asked, 1);
  using Places = std::vector<PostPlace>;
  EXPECT_EQ(view.stretches,
            (std::vector{Places{{kScoreEnd, PostId(kPostIdMax)}}, Places(), Places(),
                         Places{{10, PostId(1)}}, Places{{30, PostId(6)}}}));
  ASSERT_EQ(view.at.lanes.size(), 1U);
  EXPECT_EQ(view.at.lanes[0].position, Offset(1));
}

TEST_P(PostStoreContract, PostsAreToldInTheOrderAsked) {
  Write({Post(4, 1, 10, "a", 1), Deleted(1, 5, 20, 1), Post(1, 2, 30, "b", 1)});
  const std::vector<RowKey> asked = {KeyOf(UserId(4), PostId(1)), KeyOf(UserId(1), PostId(5)),
                                     KeyOf(UserId(9), PostId(9)), KeyOf(UserId(1), PostId(2))};
  const PostsView view = Must(OpenPosts(*reader_)->Among(kG1, asked));
  const std::vector<std::optional<ListedPost>> expected = {
      Listed(Post(4, 1, 10, "a", 1)), std::nullopt, std::nullopt, Listed(Post(1, 2, 30, "b", 1))};
  EXPECT_EQ(view.posts, expected);
  ASSERT_EQ(view.at.lanes.size(), 1U);
  EXPECT_EQ(view.at.lanes[0].position, Offset(1));
}

TEST_P(PostStoreContract, OneIsThereUntilItIsDeleted) {
  Write({Post(1, 2, 30, "a", 1)});
  EXPECT_EQ(One(1, 2).posts, std::vector{Listed(Post(1, 2, 30, "a", 1))});
  EXPECT_EQ(One(1, 2).position, Offset(1));
  EXPECT_TRUE(One(1, 3).posts.empty());
  EXPECT_TRUE(One(2, 2).posts.empty());
  Write({Deleted(1, 2, 30, 2)});
  EXPECT_TRUE(One(1, 2).posts.empty());
}

TEST_P(PostStoreContract, EveryByteOfAContentIsKept) {
  const std::string odd = "a'b\"c\\d%_\n\t \xc3\xa9\xf0\x9f\x98\x80" + std::string("\0x", 2);
  Write({Post(1, 1, 1, odd, 1), Post(1, 2, 2, "", 1), Post(1, 3, 3, std::string(4'096, '\''), 1)});
  EXPECT_EQ(One(1, 1).posts.at(0).content, odd);
  EXPECT_EQ(One(1, 2).posts.at(0).content, "");
  EXPECT_EQ(One(1, 3).posts.at(0).content, std::string(4'096, '\''));
}

TEST_P(PostStoreContract, TheGreatestNumbersAreKept) {
  PostWrite write = Post(kUserIdMax, kPostIdMax, std::numeric_limits<std::int64_t>::max(), "c", 1);
  write.row.post_type = kPostTypeMax;
  Write({write});
  EXPECT_EQ(One(kUserIdMax, kPostIdMax).posts, std::vector{Listed(write)});
}

TEST_P(PostStoreContract, OfARowThatIsThereTheNewerCounts) {
  Write({Post(1, 2, 30, "a", 5)});
  Write({Post(1, 2, 1, "old", 4)});
  Write({Post(1, 2, 1, "same", 5)});
  EXPECT_EQ(One(1, 2).posts, std::vector{Listed(Post(1, 2, 30, "a", 5))});
  Write({Deleted(1, 2, 30, 6)});
  Write({Post(1, 2, 30, "a", 5)});
  EXPECT_EQ(Load({KeyOf(UserId(1), PostId(2))}).at(0), Deleted(1, 2, 30, 6).row);
}

TEST_P(PostStoreContract, ManyLongOnesAreOneTransaction) {
  std::vector<PostWrite> writes;
  for (std::uint64_t post = 1; post <= 1'000; ++post) {
    writes.push_back(Post(1, post, 1, std::string(4'096, '\\'), 1));
  }
  Write(writes);
  EXPECT_EQ(One(1, 1'000).posts, std::vector{Listed(writes.back())});
}

// A record of the topic, joined with its event.
inline std::string RecordThatSays(const PostWrite& write) {
  PostOutcome outcome;
  outcome.kind = write.row.active ? PostOutcomeKind::kPosted : PostOutcomeKind::kPostDeleted;
  outcome.position = {Partition(0), Offset(write.row.version.value - 1)};
  outcome.author = write.key.user;
  outcome.post_id = PostOf(write.key);
  outcome.score = write.row.score;
  outcome.post_type = write.row.post_type;
  if (write.row.active) outcome.content = write.row.content;
  return EncodePostOutcome(outcome);
}

TEST_P(PostStoreContract, ASnapshotReadsRowsByKey) {
  const PostWrite first = Post(1, 2, 30, "first", 1);
  const PostWrite right = Post(2, 1, 5, "right", 1);
  Write({first, Post(1, 3, 30, "", 1), right});
  const auto snapshot = tables_->NewSnapshot();
  const auto images =
      Must(snapshot->Rows(projections::kPosts, kG1, std::nullopt, UserId(kUserIdMax), 10));
  ASSERT_EQ(images.size(), 3U);
  EXPECT_EQ(images[0].key, first.key);
  EXPECT_EQ(images[0].state, StateOf(first.row));
  EXPECT_EQ(images[2].key, right.key);
  EXPECT_EQ(Must(snapshot->Rows(projections::kPosts, kG1, first.key, UserId(1), 10)).size(), 1U);
  EXPECT_EQ(Must(snapshot->Rows(projections::kPosts, kG1, std::nullopt, UserId(9), 2)).size(), 2U);
}

TEST_P(PostStoreContract, ARepairWritesWhatTheRecordsSay) {
  const PostWrite wrong = Post(1, 2, 30, "wrong", 1);
  const PostWrite extra = Post(1, 3, 30, "extra", 1);
  const PostWrite right = Post(2, 1, 5, "right", 1);
  Write({wrong, extra, right});
  const PostWrite mended = Post(1, 2, 31, "mended", 1);
  const PostWrite missing = Deleted(1, 9, 8, 1);
  RepairScope scope;
  scope.projection = projections::kPosts;
  scope.partitions = {Partition(0)};
  scope.rows = {wrong.key, extra.key, missing.key};
  scope.users = {UserId(1)};
  scope.reason = "test";
  const RepairBase base = Must(ReadRepairBase(
      *tables_->NewSnapshot(), scope, [] { return true; }, TableSnapshot::kTallyRowsMax));
  const RepairDone done =
      Must(tables_->NewOperations()->Repair(scope, base, [&](const RepairView&) {
        return std::vector<RowToBe>{{StateOf(mended.row), RecordThatSays(mended)},
                                    {},
                                    {StateOf(missing.row), RecordThatSays(missing)}};
      }));
  EXPECT_EQ(done.rows.size(), 3U);
  EXPECT_EQ(Page(1).posts, std::vector{Listed(mended)});
  EXPECT_EQ(Page(1).repair_mark, done.mark);
  EXPECT_EQ(Load({missing.key}).at(0), missing.row);
  EXPECT_EQ(Page(2).posts, std::vector{Listed(right)});
}

}  // namespace fanfold::testing
