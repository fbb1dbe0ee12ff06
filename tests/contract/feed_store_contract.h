// What every adapter's rows of feed state do. Its test includes this and instantiates
// FeedStoreContract with its TablesFactory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ports/feed_kind.h"
#include "common/ports/feed_store.h"
#include "common/ports/repair_base.h"
#include "common/ports/shown_reader.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class FeedStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  static constexpr LaneId kLane{projections::kFeed, kG1, Partition(0)};

  FeedStoreContract()
      : tables_(GetParam().make()), store_(tables_->NewStore()), reader_(tables_->NewReader()) {}

  static FeedWrite Shown(std::uint64_t owner, std::uint64_t shown, std::uint64_t author,
                         std::uint64_t post, std::int64_t version) {
    return {KeyOf(UserId(owner), ShownId(shown)),
            {.author = UserId(author),
             .post_id = PostId(post),
             .at_ms = 77,
             .active = true,
             .version = Version(version)}};
  }
  static FeedWrite Looked(std::uint64_t owner, std::int64_t version) {
    return Shown(owner, 0, 0, 0, version);
  }
  static FeedWrite Forgotten(std::uint64_t owner, std::uint64_t shown, std::int64_t version) {
    FeedWrite write{KeyOf(UserId(owner), ShownId(shown)), FeedRow()};
    write.row.version = Version(version);
    return write;
  }
  static ShownPost Told(const FeedWrite& write) {
    return {write.row.author, write.row.post_id, write.row.version};
  }

  // In one transaction that carries the lane on by one event.
  void Write(std::vector<FeedWrite> shown) {
    if (!lane_) lane_ = TakeOne(*store_, kLane, kApplying);
    LaneProgress to = lane_->progress;
    to.next_offset = Next(to.next_offset);
    to.event_offset = to.next_offset;
    FeedWrites writes;
    writes.shown = std::move(shown);
    LaneBatch batch;
    batch.projection = projections::kFeed;
    batch.moves = {{kLane, lane_->fence, kApplying, lane_->progress.next_offset, to}};
    batch.rows = &writes;
    const Status done = store_->Commit(batch);
    ASSERT_TRUE(done) << done.error().message;
    lane_->progress = to;
  }

  ShownPage Look(std::uint64_t owner, Version before, std::size_t rows) {
    return Must(OpenShown(*reader_)->Page(kG1, UserId(owner), before, rows));
  }
  std::vector<ShownPost> Page(std::uint64_t owner) {
    return Look(owner, ShownReader::kAboveAll, 100).posts;
  }
  std::vector<bool> WereShown(std::uint64_t owner, const std::vector<RowKey>& posts) {
    return Must(OpenShown(*reader_)->WereShown(kG1, UserId(owner), posts));
  }
  static RowKey Post(std::uint64_t author, std::uint64_t post) {
    return {UserId(author), UserId(post)};
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<ProjectionReader> reader_;
  std::optional<TakenLane> lane_;
};

TEST_P(FeedStoreContract, WhatWasShownLastComesFirstWithoutLooks) {
  const FeedWrite first = Shown(1, 900, 5, 50, 3);
  const FeedWrite second = Shown(1, 7, 6, 60, 4);
  Write({Looked(1, 5), second, first, Shown(2, 8, 9, 90, 6)});
  EXPECT_EQ(Page(1), (std::vector{Told(second), Told(first)}));
  EXPECT_TRUE(Page(3).empty());
}

TEST_P(FeedStoreContract, ARepeatKeepsTheFirstPlace) {
  const FeedWrite first = Shown(1, 10, 5, 50, 3);
  const FeedWrite other = Shown(1, 11, 5, 51, 4);
  const FeedWrite namesake = Shown(1, 13, 6, 50, 6);
  Write({first, other, Shown(1, 12, 5, 50, 5), namesake});
  EXPECT_EQ(Page(1), (std::vector{Told(namesake), Told(other), Told(first)}));
}

// However few posts they are: what reads much tells of it.
TEST_P(FeedStoreContract, ItLooksAtNoMoreRowsThanAsked) {
  const FeedWrite first = Shown(1, 10, 5, 50, 3);
  const FeedWrite other = Shown(1, 11, 5, 51, 4);
  Write({Looked(1, 7), first, other, Shown(1, 12, 5, 50, 5), Shown(1, 13, 5, 51, 6)});
  const auto look = [&](std::int64_t before, std::size_t rows) {
    return Look(1, Version(before), rows);
  };
  EXPECT_TRUE(look(100, 3).posts.empty()) << "a look and two repeats";
  EXPECT_EQ(look(100, 3).rows, 3U);
  EXPECT_EQ(look(100, 3).last, Version(5));
  EXPECT_EQ(look(100, 4).posts, std::vector{Told(other)});
  EXPECT_EQ(look(5, 2).posts, (std::vector{Told(other), Told(first)}));
  EXPECT_EQ(look(5, 3).rows, 2U);
  EXPECT_EQ(look(5, 3).last, Version(3));
  EXPECT_EQ(look(3, 3).rows, 0U);
  EXPECT_EQ(look(3, 3).last, Version(0));
}

TEST_P(FeedStoreContract, OfWhatIsForgottenTheNextTimeCounts) {
  const FeedWrite again = Shown(1, 12, 5, 50, 5);
  Write({Shown(1, 10, 5, 50, 3), Shown(1, 11, 5, 51, 4), again});
  Write({Forgotten(1, 10, 6), Forgotten(1, 11, 7)});
  EXPECT_EQ(Page(1), (std::vector{Told(again)}));
  EXPECT_EQ(WereShown(1, {Post(5, 50), Post(5, 51)}), (std::vector{true, false}));
  Write({Forgotten(1, 12, 8)});
  EXPECT_TRUE(Page(1).empty());
}

TEST_P(FeedStoreContract, PagesOfEveryLengthMeet) {
  std::vector<FeedWrite> writes;
  std::vector<ShownPost> all;
  for (std::uint64_t i = 1; i <= 12; ++i) {
    writes.push_back(Shown(1, i, 5, i, static_cast<std::int64_t>(2 * i)));
    all.insert(all.begin(), Told(writes.back()));
  }
  for (std::uint64_t i = 1; i <= 5; ++i) {
    writes.push_back(Shown(1, 100 + i, 5, i, static_cast<std::int64_t>(100 + i)));
  }
  Write(writes);
  for (std::size_t rows = 1; rows <= writes.size() + 1; ++rows) {
    std::vector<ShownPost> walked;
    Version before = ShownReader::kAboveAll;
    while (true) {
      const ShownPage page = Look(1, before, rows);
      walked.insert(walked.end(), page.posts.begin(), page.posts.end());
      if (page.rows < rows) break;
      before = page.last;
    }
    EXPECT_EQ(walked, all) << rows;
  }
}

TEST_P(FeedStoreContract, WhichOfManyWereShownIsToldInTheOrderAsked) {
  std::vector<FeedWrite> writes;
  std::vector<RowKey> asked;
  std::vector<bool> expected;
  for (std::uint64_t post = ShownReader::kPostsMax; post > 0; --post) {
    if (post % 3 == 0) writes.push_back(Shown(1, post, post, 7, static_cast<std::int64_t>(post)));
    asked.push_back(Post(post, 7));
    expected.push_back(post % 3 == 0);
  }
  std::ranges::reverse(writes);
  Write(writes);
  EXPECT_EQ(WereShown(1, asked), expected);
  EXPECT_EQ(WereShown(2, {Post(3, 7)}), std::vector{false});
  EXPECT_EQ(WereShown(1, {Post(3, 8), Post(7, 3)}), (std::vector{false, false}));
  EXPECT_TRUE(WereShown(1, {}).empty());
}

TEST_P(FeedStoreContract, OfARowThatIsThereTheNewerCounts) {
  Write({Shown(1, 10, 5, 50, 5)});
  Write({Shown(1, 10, 6, 60, 4)});
  EXPECT_EQ(Page(1), (std::vector{Told(Shown(1, 10, 5, 50, 5))}));
  Write({Forgotten(1, 10, 6)});
  Write({Shown(1, 10, 5, 50, 5)});
  EXPECT_TRUE(Page(1).empty());
  Write({Shown(1, 10, 7, 70, 7)});
  EXPECT_EQ(Page(1), (std::vector{Told(Shown(1, 10, 7, 70, 7))}));
}

TEST_P(FeedStoreContract, TheGreatestNumbersAreKept) {
  const FeedWrite write =
      Shown(kUserIdMax, kUserIdMax, kUserIdMax, kPostIdMax, ShownReader::kAboveAll.value - 1);
  Write({write});
  EXPECT_EQ(Page(kUserIdMax), std::vector{Told(write)});
  EXPECT_EQ(WereShown(kUserIdMax, {Post(kUserIdMax, kPostIdMax)}), std::vector{true});
}

TEST_P(FeedStoreContract, ASnapshotReadsRowsByKey) {
  const FeedWrite look = Looked(1, 3);
  const FeedWrite first = Shown(1, 2, 5, 50, 1);
  const FeedWrite gone = Forgotten(2, 9, 4);
  Write({look, first, gone});
  const auto snapshot = tables_->NewSnapshot();
  const auto images =
      Must(snapshot->Rows(projections::kFeed, kG1, std::nullopt, UserId(kUserIdMax), 10));
  ASSERT_EQ(images.size(), 3U);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const FeedWrite& write = *std::array{&look, &first, &gone}[i];
    EXPECT_EQ(images[i].key, write.key);
    EXPECT_EQ(images[i].state, StateOf(write.row));
    EXPECT_EQ(IsActiveFeedRow(images[i].state), write.row.active);
  }
  EXPECT_EQ(Must(snapshot->Rows(projections::kFeed, kG1, look.key, UserId(1), 10)).size(), 1U);
}

// A record of the topic.
inline std::string FeedRecordThatSays(const FeedWrite& write) {
  FeedEvent event;
  event.type = write.row.active ? FeedEventType::kShown : FeedEventType::kForget;
  event.owner = write.key.user;
  event.at_ms = write.row.at_ms;
  event.shown_id = ShownOf(write.key);
  event.author = write.row.author;
  event.post_id = write.row.post_id;
  return EncodeFeedEvent(event);
}

TEST_P(FeedStoreContract, ARepairWritesWhatTheRecordsSay) {
  const FeedWrite wrong = Shown(1, 2, 5, 50, 1);
  const FeedWrite extra = Shown(1, 3, 5, 51, 2);
  const FeedWrite right = Shown(2, 1, 5, 50, 3);
  Write({wrong, extra, right});
  const FeedWrite mended = Shown(1, 2, 6, 60, 1);
  const FeedWrite missing = Forgotten(1, 9, 8);
  RepairScope scope;
  scope.projection = projections::kFeed;
  scope.partitions = {Partition(0)};
  scope.rows = {wrong.key, extra.key, missing.key};
  scope.users = {UserId(1)};
  scope.reason = "test";
  const RepairBase base = Must(ReadRepairBase(
      *tables_->NewSnapshot(), scope, [] { return true; }, TableSnapshot::kTallyRowsMax));
  const RepairDone done =
      Must(tables_->NewOperations()->Repair(scope, base, [&](const RepairView&) {
        return std::vector<RowToBe>{{StateOf(mended.row), FeedRecordThatSays(mended)},
                                    {},
                                    {StateOf(missing.row), FeedRecordThatSays(missing)}};
      }));
  EXPECT_EQ(done.rows.size(), 3U);
  EXPECT_EQ(Page(1), std::vector{Told(mended)});
  EXPECT_EQ(Page(2), std::vector{Told(right)});
  const auto rows =
      Must(tables_->NewSnapshot()->Rows(projections::kFeed, kG1, mended.key, UserId(1), 10));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].state, StateOf(missing.row));
}

}  // namespace fanfold::testing
