// The fold of posts on real tables: decided by lanes, published cut, recovered, applied by another
// generation, loaded, and what verify and repair make of it.
#include "projector/posts/post_fold.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "common/ports/post_reader.h"
#include "common/sqlite/connection.h"
#include "projector/posts/post_rows.h"
#include "tests/unit/projector/fold_on_tables.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr auto kPosts = projections::kPosts;
constexpr Generation kG2{2};

const PostFold kFold{kPosts};

class PostFoldTest : public FoldOnTables {
 protected:
  PostFoldTest() : FoldOnTables(kFold) {}

  [[nodiscard]] Partition Home(std::uint64_t author) const {
    return placement_.PartitionOf(UserId(author));
  }
  void Post(std::uint64_t author, std::uint64_t post, std::int64_t at_ms,
            const std::string& content) {
    Put(author, EncodePostEvent(
                    {"e", PostEventType::kPost, UserId(author), PostId(post), at_ms, 3, content}));
  }
  void Delete(std::uint64_t author, std::uint64_t post) {
    Put(author,
        EncodePostEvent({"e", PostEventType::kDeletePost, UserId(author), PostId(post), 5}));
  }

  // As the lane of profiles does.
  void End(std::uint64_t author) {
    sqlite::Connection hand(database_.path(), {});
    hand.Execute(
        "INSERT INTO erasures (user_id, version, asked_ms, ends, stage) VALUES (?1, 1, 0, CAST(?2 "
        "AS BLOB), 7)",
        author, std::string(R"({"v":1,"ends":{},"stays":true})"));
  }

  std::unique_ptr<ShardWorker> NewWorker(Generation generation = kG1) {
    auto worker = std::make_unique<ShardWorker>(
        fold_, WorkPlace{placement_, Shard(0), generation}, "test",
        WorkerPorts{log_, NewSqliteLaneStore(tables_), clock_, series_});
    EXPECT_TRUE(worker->Open());
    worker->OrderToDecide(generation == kG1);
    worker->Gain(AllPartitions());
    return worker;
  }
  void Settle(ShardWorker& worker, int steps = 20) {
    for (int i = 0; i < steps; ++i) {
      worker.Step(0);
      clock_.now_ms += 1'000;
    }
  }
  void Fold(Generation generation = kG1) {
    const auto worker = NewWorker(generation);
    Settle(*worker);
    worker->Lose(AllPartitions());
  }

  std::vector<ListedPost> PostsOf(std::uint64_t author, Generation generation = kG1) {
    return Must(OpenPosts(*NewReader())->Page(generation, UserId(author), Home(author), {}, 1'000))
        .posts;
  }
  std::vector<std::string> ContentsOf(std::uint64_t author, Generation generation = kG1) {
    std::vector<std::string> contents;
    for (const ListedPost& post : PostsOf(author, generation)) contents.push_back(post.content);
    return contents;
  }
  std::vector<std::string> Published(std::uint64_t author) {
    std::vector<std::string> values;
    for (const MemoryRecord& record : log_.Records(topics::kPostOutcomes, Home(author))) {
      values.push_back(record.value.value_or("null"));
    }
    return values;
  }
  std::vector<LaneStatus> Lanes() { return Must(NewReader()->Lanes()); }
};

TEST_F(PostFoldTest, AnEndedAccountPostsNothing) {
  Post(1, 10, 100, "before");
  Fold();
  End(1);
  Post(1, 11, 200, "of a stale client");
  Post(2, 11, 200, "another author's");
  Delete(1, 10);
  Fold();
  EXPECT_TRUE(ContentsOf(1).empty()) << "what takes back is taken";
  EXPECT_EQ(ContentsOf(2), std::vector<std::string>{"another author's"});
  const auto rejected = DecodePostOutcome(Published(1).at(1));
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->rejected, PostRejection::kUserDeleted);
}

TEST_F(PostFoldTest, AnIdIsUsedOnce) {
  Post(1, 10, 100, "first");
  Post(1, 10, 200, "again");
  Post(1, 11, 50, "older");
  Post(2, 10, 70, "another author's");
  Delete(1, 77);
  Fold();
  EXPECT_EQ(ContentsOf(1), (std::vector<std::string>{"first", "older"}));
  EXPECT_EQ(ContentsOf(2), std::vector<std::string>{"another author's"});
  Delete(1, 10);
  Post(1, 10, 300, "after its deletion");
  Post(1, 77, 80, "its id was free");
  Fold();
  EXPECT_EQ(ContentsOf(1), (std::vector<std::string>{"its id was free", "older"}));
  EXPECT_EQ(Verify().found, 0U);
}

TEST_F(PostFoldTest, OutcomesAreDenseAndWithoutContent) {
  Post(1, 10, 100, "text");
  Put(1, "garbage");
  Post(1, 10, 200, "text");
  Delete(1, 10);
  Fold();
  const std::vector<std::string> published = Published(1);
  ASSERT_EQ(published.size(), 4U);
  const char* kinds[] = {"posted", "parked", "unchanged", "post_deleted"};
  for (std::size_t i = 0; i < published.size(); ++i) {
    const auto outcome = ReadPostOutcomeRecord(published[i], Home(1), !kWholeOutcome);
    ASSERT_TRUE(outcome) << published[i];
    EXPECT_EQ(ToString(outcome->kind), kinds[i]);
    EXPECT_EQ(outcome->position, (Position{Home(1), Offset(static_cast<std::int64_t>(i))}));
    EXPECT_FALSE(published[i].contains("text")) << published[i];
    if (outcome->parked) continue;
    EXPECT_EQ(outcome->score, 100);
  }
  ASSERT_EQ(Parked().size(), 1U);
  EXPECT_EQ(Parked()[0].reason, ParkReason::kMalformed);
  EXPECT_EQ(Parked()[0].offset, Offset(1));
}

// What its rows lack, a rewound lane takes from the topic, joined, and from the outbox, whole.
TEST_F(PostFoldTest, WhatWasDecidedIsAppliedWholeByWhoTakesTheLane) {
  for (std::uint64_t post = 1; post <= 5; ++post) Post(1, post, 100, "p" + std::to_string(post));
  Fold();
  log_.HoldAppends(true);
  for (std::uint64_t post = 6; post <= 9; ++post) Post(1, post, 100, "p" + std::to_string(post));
  Delete(1, 7);
  {
    const auto worker = NewWorker();
    Settle(*worker, 3);
    log_.FailHeld();
  }
  log_.HoldAppends(false);
  ASSERT_EQ(Published(1).size(), 5U);
  const std::vector<ListedPost> before = PostsOf(1);
  ASSERT_EQ(before.size(), 8U);
  // As after a restore: the rows are gone, and so is the lane's progress.
  sqlite::Connection hand(database_.path(), {});
  hand.Execute("DELETE FROM posts_g1");
  ASSERT_TRUE(NewSqliteTableOperations(tables_)->Rewind({kPosts, kG1, Home(1)}, Offset(0)));
  Fold();
  EXPECT_EQ(PostsOf(1), before);
  EXPECT_EQ(Published(1).size(), 10U);
  EXPECT_EQ(Verify().found, 0U);
}

// The log lost the end of the events, and holds their outcomes: nothing is folded without content.
TEST_F(PostFoldTest, AnOutcomeWithoutItsEventHaltsWhoNeedsIt) {
  for (std::uint64_t post = 1; post <= 5; ++post) Post(1, post, 100, "p");
  Fold();
  log_.Records(topics::kPostEvents, Home(1)).resize(3);
  MakeSecond(false);
  const auto worker = NewWorker(kG2);
  Settle(*worker, 300);
  EXPECT_LE(PostsOf(1, kG2).size(), 3U);
  for (const ListedPost& post : PostsOf(1, kG2)) EXPECT_EQ(post.content, "p");
}

TEST_F(PostFoldTest, AnotherGenerationAppliesWhatWasDecided) {
  for (std::uint64_t author = 1; author <= 9; ++author) {
    for (std::uint64_t post = 1; post <= 9; ++post) {
      Post(author, post, static_cast<std::int64_t>(post % 4), "p" + std::to_string(post));
    }
    Delete(author, author);
  }
  Fold();
  MakeSecond(false);
  Fold(kG2);
  for (std::uint64_t author = 1; author <= 9; ++author) {
    EXPECT_EQ(PostsOf(author, kG2), PostsOf(author)) << author;
    EXPECT_EQ(PostsOf(author).size(), 8U);
  }
}

TEST_F(PostFoldTest, ALoadedGenerationIsTheSame) {
  for (std::uint64_t author = 1; author <= 20; ++author) {
    for (std::uint64_t post = 1; post <= 9; ++post) {
      Post(author, post, static_cast<std::int64_t>(post), std::string(50, 'c'));
    }
    if (author % 3 == 0) Delete(author, 4);
  }
  Put(7, "garbage");
  Fold();
  MakeSecond(true);
  for (std::uint64_t author = 1; author <= 20; ++author) {
    EXPECT_EQ(PostsOf(author, kG2), PostsOf(author)) << author;
  }
  Post(7, 100, 50, "after the load");
  Fold();
  Fold(kG2);
  EXPECT_EQ(PostsOf(7, kG2), PostsOf(7));
}

TEST_F(PostFoldTest, WhatIsNotAsTheTopicsSayIsFoundAndMended) {
  for (std::uint64_t author = 1; author <= 9; ++author) Post(author, 5, 10, "said");
  Delete(8, 5);
  Fold();
  EXPECT_EQ(Verify().found, 0U);
  sqlite::Connection hand(database_.path(), {});
  hand.Execute("UPDATE posts_g1 SET content = CAST('changed' AS BLOB) WHERE author_id = 3");
  hand.Execute("UPDATE posts_g1 SET version = version + 9 WHERE author_id = 4");
  hand.Execute("DELETE FROM posts_g1 WHERE author_id = 5");
  hand.Execute("UPDATE posts_g1 SET active = 2 WHERE author_id = 6");
  hand.Execute("UPDATE posts_g1 SET active = 1 WHERE author_id = 8");
  hand.Execute(
      "INSERT INTO posts_g1 (author_id, post_id, type, score, active, version, content) VALUES "
      "(77, 1, 0, 0, 1, 3, CAST('' AS BLOB))");
  const VerifyReport found = Verify();
  EXPECT_EQ(KindsIn(found),
            (std::vector<std::string>{"wrong_post 3", "wrong_version 4", "missing_row 5",
                                      "wrong_post 6", "wrong_post 8", "extra_row 77"}));
  EXPECT_EQ(Mend(found), 6);
  EXPECT_EQ(Verify().found, 0U);
  EXPECT_EQ(ContentsOf(3), std::vector<std::string>{"said"});
  EXPECT_TRUE(ContentsOf(8).empty());
}

TEST(PostRowsTest, TheLatestOfEachIsKeptAndCountedWithItsContent) {
  const auto value = [](std::int64_t offset, std::uint64_t post, bool deletes) {
    const PostRow row{3, "", 7, true, Version(1)};
    PostEvent event{"e", PostEventType::kPost, UserId(1), PostId(post), 7,
                    3,   std::string(900, 'c')};
    if (deletes) event = {"e", PostEventType::kDeletePost, UserId(1), PostId(post), 7};
    return EncodePostOutcome(
        Decide(deletes ? row : PostRow(), event, {Partition(0), Offset(offset)}));
  };
  const std::vector<std::string> values = {value(0, 9, false), value(1, 2, false),
                                           value(2, 9, true)};
  std::vector<LogRecord> records(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) records[i].value = values[i];
  PostRows rows;
  (void)rows.Read(records);
  rows.Keep(std::vector<std::size_t>{0, 1, 2});
  EXPECT_GT(rows.bytes(), 1'800U);
  rows.Seal();
  ASSERT_EQ(rows.writes().posts.size(), 2U);
  EXPECT_EQ(rows.writes().posts[0].key, KeyOf(UserId(1), PostId(2)));
  EXPECT_EQ(rows.writes().posts[1].row.version, Version(3));
  EXPECT_FALSE(rows.writes().posts[1].row.active);
  rows.Clear();
  EXPECT_EQ(rows.bytes(), 0U);
}

}  // namespace
}  // namespace fanfold::testing
