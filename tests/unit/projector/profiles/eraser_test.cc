// Erasing on real tables of two shards, with the lanes of every projection beside it.
#include "projector/profiles/eraser.h"

#include <array>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/ports/edge_kind.h"
#include "common/ports/feed_kind.h"
#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"
#include "common/relation/codec.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/folds.h"
#include "projector/runtime/shard_worker.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr std::int32_t kPartitions = 4;
constexpr std::int32_t kShards = 2;
constexpr auto kFollow = EventType::kFollow;

struct RowCase {
  std::string name;
  Direction list;
  RowKey key;
  Edge edge;
  bool ends;
};
void PrintTo(const RowCase& row, std::ostream* out) { *out << row.name; }

class EndsOfARow : public ::testing::TestWithParam<RowCase> {};

// The streams ended at 5 in every partition when the account did.
TEST_P(EndsOfARow, AsFarAsTheDeletionReaches) {
  Erasure erasure{{UserId(7), Version(1)}, 0, {}, {}};
  erasure.ends[streams::kRelations].assign(kPartitions, Offset(5));
  const RowImage row{GetParam().key, StateOf(GetParam().edge)};
  EventIds ids(1);
  const auto events =
      EndsOfEdges({erasure, kPartitions, 77, ids}, GetParam().list, std::span(&row, 1));
  ASSERT_EQ(events.size(), GetParam().ends ? 1U : 0U);
  if (events.empty()) return;
  EXPECT_EQ(events[0].type, EventType::kUnfollow);
  const bool is_fan = GetParam().list == Direction::kFans;
  EXPECT_EQ(events[0].subject, UserId(is_fan ? 9 : 7));
  EXPECT_EQ(events[0].object, UserId(is_fan ? 7 : 9));
  EXPECT_EQ(events[0].by, is_fan ? AskedBy::kObject : AskedBy::kSubject);
  EXPECT_EQ(events[0].if_version, GetParam().edge.version);
  EXPECT_EQ(events[0].at_ms, 77);
}

constexpr RowKey kOfSeven{UserId(7), UserId(9)};
INSTANTIATE_TEST_SUITE_P(
    Rows, EndsOfARow,
    ::testing::Values(
        RowCase{"Followed", Direction::kFollowing, kOfSeven, {true, 3, Version(2)}, true},
        RowCase{"Fan", Direction::kFans, kOfSeven, {true, 3, Version(2)}, true},
        RowCase{"TheLastBelow", Direction::kFans, kOfSeven, {true, 3, Version(5)}, true},
        RowCase{"TheFirstAfter", Direction::kFans, kOfSeven, {true, 3, Version(6)}, false},
        RowCase{"Ended", Direction::kFans, kOfSeven, {false, 3, Version(2)}, false}),
    [](const auto& param_info) { return param_info.param.name; });

struct PostCase {
  std::string name;
  bool active;
  std::int64_t version;
  bool ends;
};
void PrintTo(const PostCase& post, std::ostream* out) { *out << post.name; }

class EndsOfAPost : public ::testing::TestWithParam<PostCase> {};

TEST_P(EndsOfAPost, AsFarAsTheDeletionReaches) {
  Erasure erasure{{UserId(7), Version(1)}, 0, {}, {}};
  erasure.ends[streams::kPosts].assign(kPartitions, Offset(5));
  const RowImage row{KeyOf(UserId(7), PostId(9)),
                     StateOf(PostRow{.post_type = 1,
                                     .content = "said",
                                     .score = 3,
                                     .active = GetParam().active,
                                     .version = Version(GetParam().version)})};
  EventIds ids(1);
  const auto events = EndsOfPosts({erasure, kPartitions, 77, ids}, std::span(&row, 1));
  ASSERT_EQ(events.size(), GetParam().ends ? 1U : 0U);
  if (events.empty()) return;
  EXPECT_FALSE(events[0].event_id.empty());
  EXPECT_EQ(events[0], (PostEvent{.event_id = events[0].event_id,
                                  .type = PostEventType::kDeletePost,
                                  .author = UserId(7),
                                  .post_id = PostId(9),
                                  .at_ms = 77}));
}

INSTANTIATE_TEST_SUITE_P(Posts, EndsOfAPost,
                         ::testing::Values(PostCase{"TheLastBelow", true, 5, true},
                                           PostCase{"TheFirstAfter", true, 6, false},
                                           PostCase{"Deleted", false, 2, false}),
                         [](const auto& param_info) { return param_info.param.name; });

class EndsOfAShown : public ::testing::TestWithParam<PostCase> {};

TEST_P(EndsOfAShown, AsFarAsTheDeletionReaches) {
  Erasure erasure{{UserId(7), Version(1)}, 0, {}, {}};
  erasure.ends[streams::kFeeds].assign(kPartitions, Offset(5));
  for (const std::uint64_t shown : {0U, 9U}) {
    const RowImage row{KeyOf(UserId(7), ShownId(shown)),
                       StateOf(FeedRow{.author = UserId(3),
                                       .post_id = PostId(4),
                                       .at_ms = 5,
                                       .active = GetParam().active,
                                       .version = Version(GetParam().version)})};
    EventIds ids(1);
    const auto events = EndsOfShown({erasure, kPartitions, 77, ids}, std::span(&row, 1));
    ASSERT_EQ(events.size(), GetParam().ends ? 1U : 0U);
    if (events.empty()) return;
    EXPECT_FALSE(events[0].event_id.empty());
    EXPECT_EQ(events[0], (FeedEvent{.event_id = events[0].event_id,
                                    .type = FeedEventType::kForget,
                                    .owner = UserId(7),
                                    .at_ms = 77,
                                    .shown_id = ShownId(shown)}));
  }
}

INSTANTIATE_TEST_SUITE_P(Shown, EndsOfAShown,
                         ::testing::Values(PostCase{"TheLastBelow", true, 5, true},
                                           PostCase{"TheFirstAfter", true, 6, false},
                                           PostCase{"Forgotten", false, 2, false}),
                         [](const auto& param_info) { return param_info.param.name; });

class EraserTest : public ::testing::Test {
 protected:
  EraserTest() { MakeTables(); }
  // Empty ones.
  void MakeTables() {
    for (std::int32_t s = 0; s < kShards; ++s) {
      const auto at = static_cast<std::size_t>(s);
      tables_[at].reset();
      databases_[at] = std::make_unique<MemoryDatabase>();
      tables_[at] =
          Must(OpenSqliteTables(databases_[at]->path(), Shard(s), {kPartitions, kShards}, clock_));
    }
  }

  const std::shared_ptr<SqliteTables>& TablesOf(Shard shard) const {
    return tables_[static_cast<std::size_t>(shard.value)];
  }

  void Relate(EventType type, std::uint64_t subject, std::uint64_t object) {
    const Event event{"e", type, UserId(subject), UserId(object), ++at_ms_, AskedBy::kSubject, {},
                      {},  {}};
    log_.Put(topics::kRelationEvents, placement_.PartitionOf(event.subject),
             ToString(event.subject), EncodeEvent(event));
  }
  void Delete(std::uint64_t user) {
    UserDeleted deleted;
    for (const Stream stream : kErasedStreams) deleted.ends[stream] = Ends(stream);
    DeleteAt(user, deleted);
  }
  // That stays, with where the log ends now.
  void End(std::uint64_t user) {
    UserDeleted deleted;
    for (const Stream stream : kErasedStreams) deleted.ends[stream] = Ends(stream);
    deleted.stays = true;
    DeleteAt(user, deleted);
  }
  void Restore(std::uint64_t user) {
    log_.Put(topics::kUserEvents, placement_.PartitionOf(UserId(user)), ToString(UserId(user)),
             EncodeProfileEvent({"e", UserId(user), 5, UserRestored{}}));
  }
  void Publish(PostEventType type, std::uint64_t author, std::uint64_t post) {
    const PostEvent event{.event_id = "p",
                          .type = type,
                          .author = UserId(author),
                          .post_id = PostId(post),
                          .at_ms = ++at_ms_};
    log_.Put(topics::kPostEvents, placement_.PartitionOf(event.author), ToString(event.author),
             EncodePostEvent(event));
  }
  // Shows a post of 5; without one the owner looked.
  void Show(std::uint64_t owner, std::uint64_t shown, std::uint64_t post = 0) {
    FeedEvent event;
    event.owner = UserId(owner);
    event.at_ms = ++at_ms_;
    if (post > 0) {
      event.type = FeedEventType::kShown;
      event.shown_id = ShownId(shown);
      event.author = UserId(5);
      event.post_id = PostId(post);
    }
    log_.Put(topics::kFeedEvents, placement_.PartitionOf(event.owner), ToString(event.owner),
             EncodeFeedEvent(event));
  }
  void DeleteAt(std::uint64_t user, const UserDeleted& deleted) {
    log_.Put(topics::kUserEvents, placement_.PartitionOf(UserId(user)), ToString(UserId(user)),
             EncodeProfileEvent({"e", UserId(user), 5, deleted}));
  }
  std::vector<Offset> Ends(Stream stream = streams::kRelations) {
    std::vector<Offset> ends;
    for (const LogBounds& bounds : Must(log_.AllBounds(stream.events(), kPartitions))) {
      ends.push_back(bounds.end);
    }
    return ends;
  }

  // All lanes of these projections to the log's end.
  void Fold(const std::vector<Projection>& projections = AllProjections()) {
    for (const Projection projection : projections) {
      const auto fold = NewFold(projection, FollowLimit(1'000));
      ProjectorMetrics series(metrics_, projection);
      for (std::int32_t s = 0; s < kShards; ++s) {
        ShardWorker worker(
            *fold, WorkPlace{placement_, Shard(s), kG1}, "test",
            WorkerPorts{log_, NewSqliteLaneStore(TablesOf(Shard(s))), clock_, series});
        ASSERT_TRUE(worker.Open());
        std::vector<Partition> all;
        for (std::int32_t p = 0; p < kPartitions; ++p) all.emplace_back(p);
        worker.Gain(all);
        for (int i = 0; i < 30; ++i) {
          worker.Step(0);
          clock_.now_ms += 1'000;
        }
        worker.Lose(all);
      }
    }
  }

  TaskPorts Ports() {
    return {log_,
            [this](Shard shard) { return NewSqliteProjectionReader(TablesOf(shard)); },
            [this](Shard shard) { return NewSqliteTableSnapshot(TablesOf(shard)); },
            [this](Shard shard) -> Result<std::unique_ptr<LaneStore>> {
              return NewSqliteLaneStore(TablesOf(shard));
            },
            placement_.shape(),
            [this](Partition partition) { return !not_ours_.contains(partition); },
            clock_,
            metrics_};
  }
  EraseRound Round(Eraser& eraser) {
    EraseRound round = eraser.Round([](std::int64_t) { return true; });
    for (const Error& failure : round.failures) ADD_FAILURE() << failure.message;
    return round;
  }
  // Rounds and folds in turn until nothing is left to erase: how many events it took.
  std::int64_t EraseAll() {
    Eraser eraser(Ports());
    std::int64_t appended = 0;
    for (int i = 0; i < 50; ++i) {
      appended += Round(eraser).appended;
      clock_.now_ms += Reach::kSeenMs;
      const EraseRound round = Round(eraser);
      appended += round.appended;
      if (round.open == 0) return appended;
      Fold();
    }
    ADD_FAILURE() << "it does not end";
    return appended;
  }

  UserCounts CountsOf(std::uint64_t user) {
    const std::vector<UserId> users = {UserId(user)};
    const auto reader = Must(NewSqliteProjectionReader(TablesOf(placement_.ShardOf(users[0]))));
    return Must(reader->Counts({}, users)).at(0);
  }
  std::vector<std::uint64_t> PostsOf(std::uint64_t author) {
    const UserId user(author);
    const auto reader = Must(NewSqliteProjectionReader(TablesOf(placement_.ShardOf(user))));
    const auto view = Must(OpenPosts(*reader)->Page(kG1, user, placement_.PartitionOf(user), {},
                                                    PostReader::kPageMax));
    std::vector<std::uint64_t> posts;
    for (const ListedPost& post : view.posts) posts.push_back(post.place.post.value);
    return posts;
  }
  // Times that something was shown and is not forgotten; 0: the owner looked.
  std::vector<std::uint64_t> ShownTo(std::uint64_t owner) {
    const UserId user(owner);
    const auto snapshot = Must(NewSqliteTableSnapshot(TablesOf(placement_.ShardOf(user))));
    std::vector<std::uint64_t> times;
    for (const RowImage& row :
         Must(snapshot->Rows(projections::kFeed, kG1, std::nullopt, user, 1'000))) {
      if (row.key.user == user && IsActiveFeedRow(row.state)) times.push_back(row.key.other.value);
    }
    return times;
  }
  std::vector<Erasure> ErasuresOf(std::uint64_t user) {
    const std::vector<UserId> users = {UserId(user)};
    const auto reader = Must(NewSqliteProjectionReader(TablesOf(placement_.ShardOf(users[0]))));
    return Must(OpenProfiles(*reader)->Read(kG1, users)).erasures;
  }

  Erasure OpenOf(std::uint64_t user) {
    const auto reader = Must(NewSqliteProjectionReader(TablesOf(placement_.ShardOf(UserId(user)))));
    const ErasureKey before{UserId(user), Version(0)};
    return Must(OpenProfiles(*reader)->OpenErasures(before, 1)).at(0);
  }
  std::uint64_t OfAnotherShard(std::uint64_t user) const {
    std::uint64_t other = user + 1'000;
    while (placement_.ShardOf(UserId(other)) == placement_.ShardOf(UserId(user))) ++other;
    return other;
  }

  const Placement placement_ = Placement::Modulo({kPartitions, kShards});
  MemoryLog log_{kPartitions};
  ManualClock clock_;
  std::int64_t at_ms_ = 0;
  std::array<std::unique_ptr<MemoryDatabase>, kShards> databases_;
  std::array<std::shared_ptr<SqliteTables>, kShards> tables_;
  Metrics metrics_;
  std::set<Partition> not_ours_;
};

TEST_F(EraserTest, AllRelationsOfTheAccountEndAndNobodyElses) {
  for (std::uint64_t other = 10; other < 20; ++other) {
    Relate(kFollow, 1, other);
    Relate(kFollow, other, 1);
    Relate(kFollow, other, 2);
  }
  Relate(EventType::kUnfollow, 1, 11);
  Delete(1);
  Fold();
  EXPECT_EQ(EraseAll(), 9 + 10);
  EXPECT_EQ(CountsOf(1), (UserCounts{UserId(1), 0, 0, 0}));
  for (std::uint64_t other = 10; other < 20; ++other) {
    EXPECT_EQ(CountsOf(other), (UserCounts{UserId(other), 1, 0, 0}));
  }
  EXPECT_EQ(CountsOf(2).fans, 10);
  const auto erasures = ErasuresOf(1);
  ASSERT_EQ(erasures.size(), 1U);
  EXPECT_EQ(erasures[0].progress.stage, EraseStage::kDone);
  EXPECT_EQ(erasures[0].progress.appended[streams::kRelations], Ends());
}

// Their ids stay used.
TEST_F(EraserTest, AllPostsOfTheAccountEndAndNobodyElses) {
  for (std::uint64_t post = 1; post <= 5; ++post) {
    Publish(PostEventType::kPost, 1, post);
    Publish(PostEventType::kPost, 2, post);
  }
  Publish(PostEventType::kDeletePost, 1, 3);
  Relate(kFollow, 2, 1);
  Delete(1);
  Publish(PostEventType::kPost, 1, 6);
  Fold();
  EXPECT_EQ(EraseAll(), 1 + 4) << "what was deleted is not deleted again";
  EXPECT_EQ(PostsOf(1), std::vector<std::uint64_t>{6}) << "what came after the deletion stays";
  EXPECT_EQ(PostsOf(2).size(), 5U);
  Publish(PostEventType::kPost, 1, 1);
  Fold();
  EXPECT_EQ(PostsOf(1), std::vector<std::uint64_t>{6});
  std::vector<Offset> awaited = Ends(streams::kPosts);
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    if (Partition(p) != placement_.PartitionOf(UserId(1))) awaited[p] = Offset(0);
  }
  --awaited[placement_.PartitionOf(UserId(1)).value].value;  // the last post
  EXPECT_EQ(ErasuresOf(1)[0].progress.appended[streams::kPosts], awaited) << "own lane's alone";
}

TEST_F(EraserTest, PagesOfPostsGoOnWhereTheLastOneEnded) {
  constexpr auto kPosts = static_cast<std::int64_t>(Eraser::kPageRows) + 5;
  for (std::int64_t post = 1; post <= kPosts; ++post) {
    Publish(PostEventType::kPost, 1, static_cast<std::uint64_t>(post));
  }
  Delete(1);
  Fold();
  // A new process each time.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Round(*std::make_unique<Eraser>(Ports())).appended, 0);
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kPosts);
  EXPECT_EQ(Round(*std::make_unique<Eraser>(Ports())).appended, std::int64_t{Eraser::kPageRows});
  EXPECT_EQ(EraseAll(), 5);
  EXPECT_TRUE(PostsOf(1).empty());
}

TEST_F(EraserTest, PostsWaitUntilTheirTablesHoldWhatTheLogHeld) {
  Publish(PostEventType::kPost, 1, 1);
  Delete(1);
  Fold({projections::kProfiles, projections::kFollowing, projections::kFans});
  Eraser eraser(Ports());
  for (int i = 0; i < 3; ++i) (void)Round(eraser);
  EXPECT_EQ(ErasuresOf(1)[0].progress, (ErasureProgress{EraseStage::kPosts, UserId(0), {}}));
  Fold();
  EXPECT_EQ(Round(eraser).appended, 1);
  EXPECT_EQ(Round(eraser).appended, 0) << "nothing was shown to the user";
  EXPECT_EQ(Round(eraser).waiting, 1) << "until the tables have the deletion";
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kAppended);
  EXPECT_EQ(EraseAll(), 0);
}

TEST_F(EraserTest, WhatWasShownToTheAccountIsForgottenAndNobodyElses) {
  for (std::uint64_t i = 1; i <= 4; ++i) {
    Show(1, i, 50 + i);
    Show(2, i, 50 + i);
  }
  Show(1, 0);
  Show(2, 0);
  Delete(1);
  Show(1, 9, 60);
  Fold();
  EXPECT_EQ(ShownTo(1), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 9}));
  EXPECT_EQ(EraseAll(), 4 + 1) << "the look too, whose row has no id";
  EXPECT_EQ(ShownTo(1), std::vector<std::uint64_t>{9}) << "what came after the deletion stays";
  EXPECT_EQ(ShownTo(2).size(), 5U);
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kDone);
}

TEST_F(EraserTest, PagesOfWhatWasShownGoOnWhereTheLastOneEnded) {
  constexpr auto kTimes = std::int64_t{Eraser::kPageRows} + 5;
  for (std::int64_t i = 1; i <= kTimes; ++i) Show(1, static_cast<std::uint64_t>(i), 7);
  Show(1, 0);
  Delete(1);
  Fold();
  EXPECT_EQ(EraseAll(), kTimes + 1);
  EXPECT_TRUE(ShownTo(1).empty());
}

// As one of a writer that knew no posts.
TEST_F(EraserTest, OfAStreamWithoutEndsNothingEnds) {
  Publish(PostEventType::kPost, 1, 1);
  Relate(kFollow, 1, 2);
  UserDeleted deleted;
  deleted.ends[streams::kRelations] = Ends();
  DeleteAt(1, deleted);
  Fold();
  EXPECT_EQ(EraseAll(), 1);
  EXPECT_EQ(PostsOf(1).size(), 1U);
}

TEST_F(EraserTest, PagesGoOnWhereTheLastOneEnded) {
  constexpr auto kFans = static_cast<std::int64_t>(Eraser::kPageRows) + 5;
  for (std::int64_t fan = 10; fan < 10 + kFans; ++fan) {
    Relate(kFollow, static_cast<std::uint64_t>(fan), 1);
  }
  Delete(1);
  Fold();
  // A new process each time.
  EXPECT_EQ(Round(*std::make_unique<Eraser>(Ports())).appended, 0);
  EXPECT_EQ(Round(*std::make_unique<Eraser>(Ports())).appended, std::int64_t{Eraser::kPageRows});
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kFans);
  Fold();
  EXPECT_EQ(EraseAll(), 5);
  EXPECT_EQ(CountsOf(1).fans, 0);
}

TEST_F(EraserTest, WaitsUntilTheTablesHoldWhatTheLogHeld) {
  Relate(kFollow, 1, 2);
  Delete(1);
  Fold({projections::kProfiles});
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).waiting, 1);
  EXPECT_EQ(Round(eraser).waiting, 1);
  EXPECT_EQ(ErasuresOf(1)[0].progress, ErasureProgress());
  Fold({projections::kFollowing});
  EXPECT_EQ(Round(eraser).appended, 1) << "followings need no fans";
  EXPECT_EQ(Round(eraser).waiting, 1) << "followers do";
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kFans);
}

// A backup of an empty shard was restored between the look at the lanes and the page.
TEST_F(EraserTest, WaitsWhereThePageIsOfOlderTables) {
  Relate(kFollow, 1, 2);
  Delete(1);
  Fold();
  const MemoryDatabase older;
  const auto empty = Must(OpenSqliteTables(older.path(), placement_.ShardOf(UserId(1)),
                                           {kPartitions, kShards}, clock_));
  TaskPorts ports = Ports();
  ports.open_snapshot = [&](Shard) { return NewSqliteTableSnapshot(empty); };
  Eraser eraser(ports);
  EXPECT_EQ(Round(eraser).waiting, 1);
  EXPECT_EQ(ErasuresOf(1)[0].progress, ErasureProgress());
}

// Of partition 0's decider nothing is folded: who waits for it keeps nobody else waiting.
TEST_F(EraserTest, OneThatWaitsKeepsNobodyWaiting) {
  std::uint64_t stands = 1;
  while (placement_.PartitionOf(UserId(stands)) != Partition(0)) ++stands;
  std::uint64_t goes = 1;
  while (placement_.PartitionOf(UserId(goes)) != Partition(2)) ++goes;
  ASSERT_EQ(placement_.ShardOf(UserId(stands)), placement_.ShardOf(UserId(goes)));
  Relate(kFollow, stands, 999);
  Relate(kFollow, goes, 999);
  Fold({projections::kFollowing});
  Relate(kFollow, stands, 998);  // that is not folded yet
  Delete(stands);
  Delete(goes);
  Fold({projections::kProfiles});
  Eraser eraser(Ports());
  const EraseRound round = Round(eraser);
  EXPECT_EQ(round.waiting, 1);
  EXPECT_EQ(round.appended, 1);
}

// All that came before who decides knew of it.
TEST_F(EraserTest, AnEndThatStaysTakesWhatSlippedThrough) {
  Relate(kFollow, 1, 2);
  Relate(kFollow, 3, 1);
  End(1);
  Relate(kFollow, 1, 4);
  Relate(kFollow, 5, 1);
  Publish(PostEventType::kPost, 1, 7);
  Fold({projections::kFollowing, projections::kFans, projections::kPosts});
  EXPECT_EQ(CountsOf(1), (UserCounts{UserId(1), 2, 2, 0}));
  Fold();
  EXPECT_EQ(EraseAll(), 5);
  EXPECT_EQ(CountsOf(1), (UserCounts{UserId(1), 0, 0, 0}));
  EXPECT_TRUE(PostsOf(1).empty());
}

TEST_F(EraserTest, ItsReachIsFoundOutWhenWhoDecidesKnowsOfIt) {
  End(1);
  Fold();
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).waiting, 1);
  clock_.now_ms += Reach::kSeenMs - 1;
  EXPECT_EQ(Round(eraser).waiting, 1);
  Relate(kFollow, 1, 4);
  clock_.now_ms += 1;
  (void)Round(eraser);
  const auto open = OpenOf(1);
  EXPECT_EQ(open.progress.stage, EraseStage::kFollowing);
  EXPECT_EQ(open.ends[streams::kRelations], Ends());
}

// On whichever shard: what they are asked is decided where nobody knows that it has ended.
TEST_F(EraserTest, AFollowThatReachesAnEndedAccountIsTakenBack) {
  const std::uint64_t other = OfAnotherShard(1);
  End(1);
  Fold();
  EXPECT_EQ(EraseAll(), 0);
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kDone);
  for (int times = 0; times < 2; ++times) {
    Relate(kFollow, other, 1);
    Fold();
    EXPECT_EQ(CountsOf(1).fans, 1);
    EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kUnmeasured);
    EXPECT_EQ(EraseAll(), 1);
    EXPECT_EQ(CountsOf(1).fans, 0);
    EXPECT_EQ(CountsOf(other).following, 0);
    EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kDone);
  }
  Fold({projections::kFans});
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kDone);
}

TEST_F(EraserTest, WhatCameAfterARestoreStays) {
  const std::uint64_t other = OfAnotherShard(1);
  Relate(kFollow, 1, 2);
  End(1);
  Restore(1);
  Fold();
  Relate(kFollow, 1, 4);
  Relate(kFollow, other, 1);
  Fold();
  EXPECT_EQ(EraseAll(), 1) << "what the deletion itself reaches";
  EXPECT_EQ(CountsOf(1), (UserCounts{UserId(1), 1, 1, 0}));
}

// Who erases has measured, and the restore is in the log: the tables of profiles are asked behind
// what was measured.
TEST_F(EraserTest, ARestoreThatTheTablesDoNotHoldYetIsWaitedFor) {
  const std::uint64_t other = OfAnotherShard(1);
  End(1);
  Fold();
  Eraser eraser(Ports());
  (void)Round(eraser);
  Restore(1);
  Relate(kFollow, other, 1);
  Fold({projections::kFollowing, projections::kFans});
  clock_.now_ms += Reach::kSeenMs;
  EXPECT_EQ(Round(eraser).waiting, 1);
  EXPECT_EQ(Round(eraser).waiting, 1);
  Fold({projections::kProfiles});
  EXPECT_EQ(EraseAll(), 0);
  EXPECT_EQ(CountsOf(1).fans, 1);
}

// Something reaches the account while its end is under way.
TEST_F(EraserTest, WhatReachesItMeanwhileBeginsItsEndAgain) {
  const std::uint64_t other = OfAnotherShard(1);
  End(1);
  Fold();
  Eraser eraser(Ports());
  (void)Round(eraser);
  clock_.now_ms += Reach::kSeenMs;
  (void)Round(eraser);
  ASSERT_EQ(OpenOf(1).progress.stage, EraseStage::kFollowing);
  Relate(kFollow, other, 1);
  Fold();
  EXPECT_EQ(OpenOf(1).progress.stage, EraseStage::kUnmeasured);
  EXPECT_EQ(EraseAll(), 1);
  EXPECT_EQ(CountsOf(1).fans, 0);
}

// Until it is restored nothing is its, whatever the event that ended it said.
TEST_F(EraserTest, AnEndThatStaysAndNamesNoEndsTakesAll) {
  Relate(kFollow, 1, 2);
  DeleteAt(1, {.ends = {}, .stays = true});
  Fold();
  EXPECT_EQ(EraseAll(), 1);
}

TEST_F(EraserTest, WhatCameAfterTheDeletionStays) {
  Relate(kFollow, 1, 2);
  Relate(kFollow, 3, 1);
  Delete(1);
  Relate(kFollow, 1, 4);
  Relate(kFollow, 5, 1);
  Fold();
  EXPECT_EQ(EraseAll(), 2);
  EXPECT_EQ(CountsOf(1), (UserCounts{UserId(1), 1, 1, 0}));
}

// A page was appended, and where it led was lost: what is appended twice is decided once.
TEST_F(EraserTest, TwiceIsOnce) {
  for (std::uint64_t other = 10; other < 15; ++other) Relate(kFollow, other, 1);
  Delete(1);
  Fold();
  Eraser first(Ports());
  EXPECT_EQ(Round(first).appended, 0);
  EXPECT_EQ(Round(first).appended, 5);
  const Erasure whole = OpenOf(1);
  const auto store = NewSqliteLaneStore(TablesOf(placement_.ShardOf(UserId(1))));
  Erasure back = whole;
  back.progress = {EraseStage::kFans, UserId(0), {}};
  ASSERT_TRUE(OpenErasures(*store)->Move(whole, back));
  EXPECT_EQ(Round(first).appended, 5);
  Fold();
  Relate(kFollow, 10, 1);
  Fold();
  EXPECT_EQ(EraseAll(), 0);
  EXPECT_EQ(CountsOf(1).fans, 1) << "who followed again meanwhile stays";
}

TEST_F(EraserTest, TablesThatAreFoldedAgainEraseNothingTwice) {
  Relate(kFollow, 1, 2);
  Relate(kFollow, 3, 1);
  Delete(1);
  Fold();
  EXPECT_EQ(EraseAll(), 2);
  MakeTables();
  Fold({projections::kProfiles});
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).waiting, 1) << "the tables hold the follow, or nothing yet";
  EXPECT_EQ(EraseAll(), 0);
}

TEST_F(EraserTest, ADeletionWithoutEndsEndsNothing) {
  Relate(kFollow, 1, 2);
  DeleteAt(1, {});
  Fold();
  EXPECT_EQ(EraseAll(), 0);
  EXPECT_EQ(CountsOf(1).following, 1);
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kDone);
}

TEST_F(EraserTest, WhoeverOwnsThePartitionErases) {
  Relate(kFollow, 1, 2);
  Delete(1);
  Fold();
  not_ours_ = {placement_.PartitionOf(UserId(1))};
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).open, 0);
  not_ours_.clear();
  EXPECT_EQ(Round(eraser).appended, 1);
}

TEST_F(EraserTest, WhatTheLogDoesNotTakeIsAppendedInTheNextRound) {
  for (std::uint64_t other = 10; other < 15; ++other) Relate(kFollow, other, 1);
  Delete(1);
  Fold();
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).appended, 0);
  log_.RefuseAppends(2);
  const EraseRound refused = eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(refused.failures.size(), 1U);
  EXPECT_EQ(refused.appended, 0);
  EXPECT_EQ(ErasuresOf(1)[0].progress, (ErasureProgress{EraseStage::kFans, UserId(0), {}}));
  Fold();
  EXPECT_EQ(EraseAll(), 2) << "those that it took have ended";
  EXPECT_EQ(CountsOf(1).fans, 0);
}

// Shard 1 does not answer. An account that waits for all shards holds up none that needs one alone.
TEST_F(EraserTest, AShardThatIsAwayDelaysWhoNeedsItAlone) {
  std::uint64_t waits = 1;
  while (placement_.ShardOf(UserId(waits)) != Shard(0)) ++waits;
  std::uint64_t goes = waits + 1;
  while (placement_.ShardOf(UserId(goes)) != Shard(0)) ++goes;
  Relate(kFollow, waits, 999);
  Relate(kFollow, goes, 999);
  Delete(waits);
  Fold();
  Eraser before(Ports());
  for (std::size_t i = 0; i < ErasedLists().size(); ++i) (void)Round(before);
  ASSERT_EQ(ErasuresOf(waits)[0].progress.stage, EraseStage::kAppended);
  Delete(goes);
  Fold();
  TaskPorts ports = Ports();
  int asked = 0;
  ports.open_reader = [&](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
    if (shard == Shard(0)) return NewSqliteProjectionReader(TablesOf(shard));
    ++asked;
    clock_.now_ms += 100;
    return Fail(ErrorCode::kUnavailable, "away");
  };
  ports.owns = [&](Partition partition) { return placement_.ShardOf(partition) == Shard(0); };
  Eraser eraser(ports);
  const EraseRound round = eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(round.appended, 1);
  EXPECT_EQ(round.failures.size(), 1U);
  for (int i = 0; i < 5; ++i) (void)eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(asked, 1) << "it is left alone for a while";
  clock_.now_ms += 100 * TablesLook::kRestFactor;
  (void)eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(asked, 2);
}

// What the log does not take from the first account it may take from the next.
TEST_F(EraserTest, AnAccountThatFailsIsTheLastOfTheNextRound) {
  std::uint64_t next = 2;
  while (placement_.ShardOf(UserId(next)) != placement_.ShardOf(UserId(1))) ++next;
  for (const std::uint64_t user : {std::uint64_t{1}, next}) Relate(kFollow, user, 999);
  for (const std::uint64_t user : {std::uint64_t{1}, next}) Delete(user);
  Fold();
  Eraser eraser(Ports());
  log_.RefuseAppends(1);
  EXPECT_EQ(eraser.Round([](std::int64_t) { return true; }).failures.size(), 1U);
  const auto stops_after_one = [](std::int64_t events) { return events == 0; };
  EXPECT_EQ(eraser.Round(stops_after_one).appended, 1);
  EXPECT_EQ(ErasuresOf(1)[0].progress, ErasureProgress());
  EXPECT_NE(ErasuresOf(next)[0].progress, ErasureProgress());
}

TEST_F(EraserTest, AStopIsHeardAmongAccountsThatWait) {
  for (std::uint64_t user = 1; user <= 50; ++user) Relate(kFollow, user, 999);
  for (std::uint64_t user = 1; user <= 50; ++user) Delete(user);
  Fold({projections::kProfiles});
  Eraser eraser(Ports());
  EXPECT_EQ(eraser.Round([](std::int64_t) { return false; }).open, 0);
}

TEST_F(EraserTest, PagesFollowEachOtherWithoutALookAtTheOthers) {
  constexpr auto kFans = static_cast<std::int64_t>(Eraser::kPageRows) + 5;
  for (std::int64_t fan = 10; fan < 10 + kFans; ++fan) {
    Relate(kFollow, static_cast<std::uint64_t>(fan), 1);
  }
  Delete(1);
  Fold();
  const auto pace = [](std::int64_t) { return true; };
  Eraser eraser(Ports());
  EraseRound round = eraser.Round(pace);
  EXPECT_TRUE(eraser.Again(pace, round));
  EXPECT_EQ(round.appended, std::int64_t{Eraser::kPageRows});
  EXPECT_TRUE(eraser.Again(pace, round));
  EXPECT_EQ(round.appended, kFans);
  EXPECT_TRUE(eraser.Again(pace, round)) << "the user published nothing";
  EXPECT_FALSE(eraser.Again(pace, round)) << "and was shown nothing";
  EXPECT_EQ(ErasuresOf(1)[0].progress.stage, EraseStage::kAppended);
}

// A page that takes its time, as its events have a rate, is the last of its round.
TEST_F(EraserTest, ARoundLastsUntilAllAreLookedAtAgain) {
  const std::vector<std::uint64_t> users = {1, 2, 3};
  for (const std::uint64_t user : users) Relate(kFollow, user, 999);
  for (const std::uint64_t user : users) Delete(user);
  Fold();
  Eraser eraser(Ports());
  const auto slow = [&](std::int64_t events) {
    clock_.now_ms += events * Eraser::kRoundMs;
    return true;
  };
  for (std::size_t i = 0; i < users.size(); ++i) {
    const EraseRound round = eraser.Round(slow);
    EXPECT_EQ(round.open, 3);
    EXPECT_EQ(round.appended, 1) << "of the next one each time";
  }
}

// Its pages are asked for by sessions of their own, each of which waits for it.
TEST_F(EraserTest, AShardThatFailsInARoundIsAskedOnceInIt) {
  std::set<std::uint64_t> there;
  std::set<std::uint64_t> elsewhere;
  for (std::uint64_t user = 1; there.size() < 3 || elsewhere.size() < 3; ++user) {
    (placement_.ShardOf(UserId(user)) == Shard(0) ? there : elsewhere).insert(user);
  }
  for (const auto* users : {&there, &elsewhere}) {
    for (const std::uint64_t user : *users) Relate(kFollow, user, 999);
    for (const std::uint64_t user : *users) Delete(user);
  }
  Fold();
  TaskPorts ports = Ports();
  int asked = 0;
  ports.open_snapshot = [&](Shard shard) -> Result<std::unique_ptr<TableSnapshot>> {
    if (shard == Shard(1)) return NewSqliteTableSnapshot(TablesOf(shard));
    ++asked;
    return Fail(ErrorCode::kUnavailable, "away");
  };
  Eraser eraser(ports);
  const EraseRound round = eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(round.failures.size(), 1U);
  EXPECT_EQ(round.appended, std::ssize(elsewhere));
}

// A failure may take as long as a round: it is not to end it, and the next one begins with whom it
// has kept waiting.
TEST_F(EraserTest, AFailureThatTakesLongKeepsNobodyElseWaiting) {
  std::set<std::uint64_t> there;
  std::set<std::uint64_t> elsewhere;
  for (std::uint64_t user = 1; there.size() < 2 || elsewhere.empty(); ++user) {
    auto& of = placement_.ShardOf(UserId(user)) == Shard(0) ? there : elsewhere;
    if (&of == &there || of.empty()) of.insert(user);
  }
  for (const auto* users : {&there, &elsewhere}) {
    for (const std::uint64_t user : *users) Relate(kFollow, user, 999);
    for (const std::uint64_t user : *users) Delete(user);
  }
  Fold();
  TaskPorts ports = Ports();
  bool is_away = true;
  ports.open_snapshot = [&](Shard shard) -> Result<std::unique_ptr<TableSnapshot>> {
    if (shard == Shard(1) || !is_away) return NewSqliteTableSnapshot(TablesOf(shard));
    is_away = false;  // the first of its accounts alone fails
    clock_.now_ms += Eraser::kRoundMs;
    return Fail(ErrorCode::kUnavailable, "away");
  };
  Eraser eraser(ports);
  const EraseRound round = eraser.Round([](std::int64_t) { return true; });
  EXPECT_EQ(round.appended, 1) << "of the other shard";
  const auto stops_after_one = [](std::int64_t events) { return events == 0; };
  EXPECT_EQ(eraser.Round(stops_after_one).appended, 1);
  EXPECT_EQ(ErasuresOf(*there.begin())[0].progress, ErasureProgress()) << "that failed is the last";
}

// A follow of what was active already has changed nothing: the edge is as old as it was.
TEST_F(EraserTest, AFollowMadeAnewWhileTheEdgeWasActiveGoesToo) {
  Relate(kFollow, 1, 2);
  Delete(1);
  Relate(kFollow, 1, 2);
  Fold();
  EXPECT_EQ(EraseAll(), 1);
  EXPECT_EQ(CountsOf(1).following, 0);
}

// Others that go on do not hide one that stands.
TEST_F(EraserTest, ItIsToldForHowLongAnAccountHasStood) {
  Relate(kFollow, 1, 2);
  Delete(1);
  Fold({projections::kProfiles});
  Eraser eraser(Ports());
  EXPECT_EQ(Round(eraser).still_ms, 0);
  clock_.now_ms += 5'000;
  EXPECT_EQ(Round(eraser).still_ms, 5'000);
  Fold();
  (void)Round(eraser);
  EXPECT_EQ(Round(eraser).still_ms, 0) << "it has gone on";
}

}  // namespace
}  // namespace fanfold::testing
