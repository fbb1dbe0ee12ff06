// The fold of feed state on real tables: by lanes, by a load, and what verify and repair make of
// it.
#include "projector/feed/feed_fold.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/ports/feed_kind.h"
#include "common/ports/shown_reader.h"
#include "common/sqlite/connection.h"
#include "tests/unit/projector/fold_on_tables.h"

namespace fanfold::testing {
namespace {

const projector::FeedFold kFold{projections::kFeed, {}};

class FeedFoldTest : public FoldOnTables {
 protected:
  FeedFoldTest() : FoldOnTables(kFold) {}

  void Show(std::uint64_t owner, std::uint64_t shown, std::uint64_t author, std::uint64_t post) {
    FeedEvent event = EventOf(FeedEventType::kShown, owner, shown);
    event.author = UserId(author);
    event.post_id = PostId(post);
    Put(owner, EncodeFeedEvent(event));
  }
  void Forget(std::uint64_t owner, std::uint64_t shown) {
    Put(owner, EncodeFeedEvent(EventOf(FeedEventType::kForget, owner, shown)));
  }
  void Look(std::uint64_t owner) {
    Put(owner, EncodeFeedEvent(EventOf(FeedEventType::kActive, owner, 0)));
  }
  static FeedEvent EventOf(FeedEventType type, std::uint64_t owner, std::uint64_t shown) {
    FeedEvent event;
    event.event_id = "e";
    event.type = type;
    event.owner = UserId(owner);
    event.at_ms = 5;
    event.shown_id = ShownId(shown);
    return event;
  }
  // "author:post" of each, last shown first.
  std::vector<std::string> History(std::uint64_t owner, Generation generation = kG1) {
    std::vector<std::string> posts;
    for (const ShownPost& shown :
         Must(OpenShown(*NewReader())->Page(generation, UserId(owner), ShownReader::kAboveAll, 100))
             .posts) {
      posts.push_back(ToString(shown.author) + ':' + std::to_string(shown.post.value));
    }
    return posts;
  }
  // Looks and what is forgotten too.
  std::vector<RowImage> Rows(Generation generation) {
    return Must(
        Must(NewSqliteTableSnapshot(tables_))
            ->Rows(projections::kFeed, generation, std::nullopt, UserId(kUserIdMax), 1'000));
  }
};

using Posts = std::vector<std::string>;

TEST_F(FeedFoldTest, EachTimeIsARowAndARepeatKeepsItsPlace) {
  Show(1, 10, 5, 50);
  Show(1, 11, 5, 51);
  Show(1, 12, 5, 50);
  Show(2, 10, 6, 60);
  Look(1);
  Fold();
  EXPECT_EQ(History(1), (Posts{"5:51", "5:50"}));
  EXPECT_EQ(History(2), (Posts{"6:60"}));
  EXPECT_EQ(Rows(kG1).size(), 5U);
}

TEST_F(FeedFoldTest, WhatIsForgottenStaysSoWhateverIsFoldedAgain) {
  Show(1, 10, 5, 50);
  Forget(1, 10);
  Forget(1, 11);  // before it comes
  Fold();
  EXPECT_TRUE(History(1).empty());
  Show(1, 11, 5, 51);
  Fold();
  EXPECT_EQ(History(1), (Posts{"5:51"})) << "the newest record of a row counts";
}

TEST_F(FeedFoldTest, WhatCannotBeReadIsParkedForItsReasonAndPassed) {
  Show(1, 10, 5, 50);
  Put(1, "garbage");
  Show(1, 11, 5, 51);
  Fold();
  EXPECT_EQ(History(1), (Posts{"5:51", "5:50"}));
  const std::vector<ParkedRow> parked = Parked();
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].reason, ParkReason::kMalformed);
  EXPECT_EQ(parked[0].offset, Offset(1));
}

TEST_F(FeedFoldTest, ALoadedGenerationIsTheSame) {
  for (std::uint64_t i = 1; i <= 90; ++i) Show(1 + i % 7, i % 30, 5 + i % 3, i % 11 + 1);
  Put(3, "garbage");
  for (std::uint64_t i = 1; i <= 10; ++i) Forget(1 + i % 7, i);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    Look(i);
  }
  Fold();
  MakeSecond(/*loaded=*/true);
  const std::vector<RowImage> folded = Rows(kG1);
  const std::vector<RowImage> loaded = Rows(Generation(2));
  ASSERT_EQ(loaded.size(), folded.size());
  for (std::size_t i = 0; i < folded.size(); ++i) {
    EXPECT_EQ(loaded[i].key, folded[i].key);
    EXPECT_EQ(loaded[i].state, folded[i].state) << i;
  }
  for (std::uint64_t owner = 1; owner <= 7; ++owner) {
    EXPECT_EQ(History(owner, Generation(2)), History(owner)) << owner;
  }
}

TEST_F(FeedFoldTest, WhatIsNotAsTheTopicSaysIsFoundAndMended) {
  for (std::uint64_t owner = 1; owner <= 9; ++owner) {
    Show(owner, 10, 5, 50);
    Look(owner);
  }
  Forget(7, 10);
  Fold();
  EXPECT_EQ(Verify().found, 0U);
  sqlite::Connection hand(database_.path(), {});
  hand.Execute("UPDATE shown_g1 SET post_id = 51 WHERE owner_id = 3 AND shown_id = 10");
  hand.Execute("UPDATE shown_g1 SET version = version + 9 WHERE owner_id = 4 AND shown_id = 10");
  hand.Execute("DELETE FROM shown_g1 WHERE owner_id = 5 AND shown_id = 0");
  hand.Execute("UPDATE shown_g1 SET at_ms = 6 WHERE owner_id = 6 AND shown_id = 0");
  hand.Execute("UPDATE shown_g1 SET active = 1 WHERE owner_id = 7 AND shown_id = 10");
  hand.Execute("UPDATE shown_g1 SET active = 2 WHERE owner_id = 8 AND shown_id = 10");
  hand.Execute("INSERT INTO shown_g1 VALUES (77, 1, 5, 50, 5, 1, 3)");
  const projector::VerifyReport found = Verify();
  EXPECT_EQ(KindsIn(found),
            (std::vector<std::string>{"wrong_shown 3", "wrong_version 4", "missing_row 5",
                                      "wrong_shown 6", "wrong_shown 7", "wrong_shown 8",
                                      "extra_row 77"}));
  EXPECT_EQ(Mend(found), 7);
  EXPECT_EQ(Verify().found, 0U);
  EXPECT_EQ(History(3), (Posts{"5:50"}));
  EXPECT_TRUE(History(7).empty());
  EXPECT_EQ(History(8), (Posts{"5:50"}));
}

}  // namespace
}  // namespace fanfold::testing
