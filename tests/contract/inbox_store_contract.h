// What every adapter's tables of inboxes do. Its test includes this and instantiates
// InboxStoreContract with its TablesFactory.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/inbox_store.h"
#include "common/ports/shown_reader.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class InboxStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  static constexpr Generation kFirst{1};
  static constexpr Partition kP{3};
  static constexpr InboxStood kBegun{Offset(5), Offset(4)};
  inline static const std::string kStand = "1/1/1/1";
  static constexpr std::int64_t kMaker = std::numeric_limits<std::int64_t>::min() + 1;

  InboxStoreContract()
      : tables_(GetParam().make()),
        lanes_(tables_->NewStore()),
        store_(OpenInboxes(*lanes_)),
        reader_(tables_->NewReader()) {
    const std::vector<InboxStart> starts = {{streams::kPosts, kP, kBegun},
                                            {streams::kFeeds, kP, kBegun}};
    EXPECT_TRUE(store_->Begin(kFirst, starts));
  }

  static InboxOwner Of(std::uint64_t owner) { return {kP, UserId(owner)}; }
  static InboxEntry Entry(std::int64_t score, std::uint64_t author = 7) {
    return {score, UserId(author), PostId(static_cast<std::uint64_t>(score))};
  }
  static InboxMove MoveOf(InboxStood from, std::int64_t events) {
    return {kFirst,
            kP,
            from,
            {Offset(from.next_record.value + events), Offset(from.next_event.value + events)}};
  }

  Status Wake(std::vector<UserId> owners, std::int64_t day = 100) {
    const InboxWake wake{MoveOf(looked_, 1), std::move(owners), kStand, day};
    const Status woken = store_->Wake(wake);
    if (woken) looked_ = wake.move.to;
    return woken;
  }
  Status Deliver(std::vector<std::pair<std::uint64_t, InboxPart>> parts) {
    InboxDelivery delivery{MoveOf(delivered_, 1), {}};
    for (const auto& [owner, part] : parts) {
      delivery.parts.emplace_back(UserId(owner), EncodeInboxPart(part));
    }
    const Status delivered = store_->Deliver(delivery);
    if (delivered) delivered_ = delivery.move.to;
    return delivered;
  }
  void Make(std::uint64_t owner, InboxPart part, InboxEntry floor = kInboxWhole) {
    const InboxHead head{.of = Of(owner), .follows_at = Offset(9), .floor = floor, .maker = kMaker};
    EXPECT_TRUE(store_->Renew(Of(owner), kStand, kMaker));
    EXPECT_TRUE(Must(store_->Join({head, std::move(part)})));
    EXPECT_TRUE(Must(store_->Finish(Of(owner), kMaker)));
  }
  std::optional<InboxView> Look(std::uint64_t owner) {
    const InboxQuestion question{Of(owner), kFirst, kG1};
    auto view = Must(store_->Read(question));
    const auto told = Must(OpenShown(*reader_)->Inbox(question));
    EXPECT_EQ(view.has_value(), told.has_value());
    if (view) {
      EXPECT_EQ(view->inbox.all, told->inbox.all);
      EXPECT_EQ(view->head, told->head);
      EXPECT_EQ(view->delivered, told->delivered);
    }
    return view;
  }
  std::vector<InboxEntry> Posted(std::uint64_t owner) { return Look(owner)->inbox.all.posted; }
  std::vector<std::uint64_t> ActiveOf(std::vector<InboxOwner> owners) {
    std::vector<std::uint64_t> active;
    for (const ActiveInbox& inbox : Must(store_->Active(owners, true))) {
      active.push_back(inbox.owner.value);
    }
    std::ranges::sort(active);
    return active;
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> lanes_;
  std::unique_ptr<InboxStore> store_;
  std::unique_ptr<ProjectionReader> reader_;
  InboxStood looked_ = kBegun;
  InboxStood delivered_ = kBegun;
};

TEST_P(InboxStoreContract, BeginsWhereItDidFirst) {
  const std::vector<InboxStart> again = {{streams::kPosts, kP, {Offset(9), Offset(9)}},
                                         {streams::kPosts, Partition(1), {Offset(2), Offset(2)}}};
  ASSERT_TRUE(store_->Begin(kFirst, again));
  EXPECT_EQ(
      Must(store_->Stood(kFirst, streams::kPosts)),
      (std::map<Partition, InboxStood>{{kP, kBegun}, {Partition(1), {Offset(2), Offset(2)}}}));
  EXPECT_TRUE(Must(store_->Stood(Generation(2), streams::kPosts)).empty());
}

TEST_P(InboxStoreContract, AWakeMakesHeadsOnceAndTellsTheDay) {
  ASSERT_TRUE(Wake({UserId(1), UserId(kUserIdMax)}, 100));
  ASSERT_TRUE(Wake({UserId(1)}, 101));
  const auto heads = Must(store_->Heads(kP, UserId(0), 10));
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(heads[0], (InboxHead{.of = Of(1), .stand = kStand, .active_day = 101}));
  EXPECT_EQ(heads[1], (InboxHead{.of = Of(kUserIdMax), .stand = kStand, .active_day = 100}));
  EXPECT_EQ(Must(store_->Heads(kP, UserId(1), 10)).size(), 1U);
  EXPECT_EQ(Must(store_->Heads(kP, UserId(0), 1)).size(), 1U);
  EXPECT_TRUE(Must(store_->Heads(Partition(2), UserId(0), 10)).empty());
}

TEST_P(InboxStoreContract, WhoeverStandsElsewhereIsFencedAndChangesNothing) {
  ASSERT_TRUE(Wake({UserId(1)}));
  InboxWake wake{MoveOf(kBegun, 1), {UserId(2)}, kStand, 100};
  EXPECT_EQ(CodeName(store_->Wake(wake)), ToString(ErrorCode::kFenced));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {}, {}}}}));
  InboxDelivery delivery{MoveOf(kBegun, 1), {{UserId(1), EncodeInboxPart({{Entry(4)}, {}, {}})}}};
  EXPECT_EQ(CodeName(store_->Deliver(delivery)), ToString(ErrorCode::kFenced));
  delivery.move = MoveOf(delivered_, 1);
  delivery.move.inboxes = Generation(2);
  EXPECT_EQ(CodeName(store_->Deliver(delivery)), ToString(ErrorCode::kFenced));
  EXPECT_EQ(Must(store_->Heads(kP, UserId(0), 10)).size(), 1U);
  EXPECT_EQ(Posted(1), std::vector{Entry(3)});
  EXPECT_EQ(Must(store_->Stood(kFirst, streams::kPosts))[kP], delivered_);
}

TEST_P(InboxStoreContract, TellsWhoIsActiveAndOfHowManyParts) {
  ASSERT_TRUE(Wake({UserId(1), UserId(2)}));
  ASSERT_TRUE(Deliver({{2, {{Entry(3)}, {}, {}}}}));
  std::vector<InboxOwner> owners = {{Partition(1), UserId(1)}, Of(2), Of(3)};
  const auto active = Must(store_->Active(owners, true));
  ASSERT_EQ(active.size(), 1U);
  EXPECT_EQ(active[0].owner, UserId(2));
  EXPECT_EQ(active[0].parts, 1U);
  EXPECT_EQ(Must(store_->Active(owners, false)).at(0).parts, 0U);
  EXPECT_TRUE(Must(store_->Active({}, true)).empty());
  for (std::uint64_t owner = 10; owner < 2'500; ++owner) owners.push_back(Of(owner));
  EXPECT_EQ(ActiveOf(owners), std::vector<std::uint64_t>{2});
}

TEST_P(InboxStoreContract, IsReadWithAllThatItStandsOn) {
  EXPECT_FALSE(Look(1));
  ASSERT_TRUE(Wake({UserId(1)}));
  EXPECT_FALSE(Look(1)->head.made);
  Make(1, {{Entry(5), Entry(4), Entry(2, 8)}, {}, {}}, Entry(2));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {{UserId(7), PostId(5)}}, {UserId(8)}}}}));
  const InboxView view = *Look(1);
  EXPECT_TRUE(view.head.made);
  EXPECT_EQ(view.head.follows_at, Offset(9));
  EXPECT_EQ(view.inbox.floor, Entry(2));
  EXPECT_EQ(view.inbox.all.posted, (std::vector{Entry(4), Entry(3)}));
  EXPECT_EQ(view.delivered, (std::vector{std::pair(kP, delivered_.next_event)}));
  EXPECT_FALSE(view.following);
}

TEST_P(InboxStoreContract, NamesWhomItsOwnerHasFollowedOrLeftSince) {
  ASSERT_TRUE(Wake({UserId(1)}));
  Make(1, {});
  TakenLane lane = TakeOne(*lanes_, FollowingLane(kP.value));
  CommitAndFollow(*lanes_, lane,
                  BatchOf(lane, 12,
                          {Row(1, 20, true, 1, 9), Row(1, 21, true, 1, 10),
                           Row(1, 22, false, 1, 11), Row(2, 23, true, 1, 12)}));
  const InboxView view = *Look(1);
  EXPECT_EQ(view.changed, (std::vector{UserId(21), UserId(22)}));
  EXPECT_EQ(view.following, lane.progress.event_offset);
  ASSERT_TRUE(tables_->NewOperations()->Rewind(lane.lane, Offset(2)));
  EXPECT_FALSE(Look(1)->following);
}

TEST_P(InboxStoreContract, WhoeverRenewedItLastMakesItOnce) {
  ASSERT_TRUE(Wake({UserId(1)}));
  const InboxMade made{{.of = Of(1), .maker = kMaker}, {}};
  EXPECT_FALSE(Must(store_->Join(made)));
  EXPECT_FALSE(Must(store_->Finish(Of(1), kMaker)));
  ASSERT_TRUE(store_->Renew(Of(1), kStand, kMaker));
  EXPECT_TRUE(Must(store_->Join(made)));
  ASSERT_TRUE(store_->Renew(Of(1), kStand, 7));
  EXPECT_FALSE(Must(store_->Join(made)));
  EXPECT_FALSE(Must(store_->Finish(Of(1), kMaker)));
  EXPECT_FALSE(Look(1)->head.made);
  Make(1, {});
  EXPECT_FALSE(Must(store_->Join(made)));
  EXPECT_FALSE(Must(store_->Finish(Of(1), kMaker)));
  EXPECT_FALSE(Must(store_->Join({{.of = Of(2), .maker = kMaker}, {}})));
}

TEST_P(InboxStoreContract, OneThatIsJoinedAgainSaysWhatCameLast) {
  ASSERT_TRUE(Wake({UserId(1)}));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {}, {}}}}));
  const InboxHead head{.of = Of(1)};
  EXPECT_TRUE(Must(store_->Join({head, {{Entry(9)}, {}, {}}})));
  ASSERT_TRUE(store_->Compact(std::vector{Of(1)}, 10));
  EXPECT_TRUE(Must(store_->Join({head, {{Entry(8)}, {}, {}}})));
  const std::vector<InboxEntry> posted = Posted(1);
  EXPECT_TRUE(std::ranges::find(posted, Entry(3)) != posted.end()) << "what was delivered stays";
  EXPECT_TRUE(std::ranges::find(posted, Entry(8)) != posted.end());
}

TEST_P(InboxStoreContract, OneThatIsMadeAnewIsEmptyAndForAnotherStand) {
  ASSERT_TRUE(Wake({UserId(1)}));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {}, {}}}}));
  Make(1, {{Entry(4)}, {}, {}}, Entry(2));
  ASSERT_TRUE(store_->Renew(Of(1), "1/2/1/1", InboxStore::kNobody));
  const InboxView view = *Look(1);
  EXPECT_EQ(view.inbox.all, InboxPart());
  EXPECT_EQ(view.inbox.floor, kInboxWhole);
  EXPECT_FALSE(view.head.made);
  EXPECT_EQ(view.head.stand, "1/2/1/1");
  EXPECT_EQ(Must(store_->Heads(kP, UserId(0), 1)).at(0).active_day, 100);
  EXPECT_EQ(view.head.maker, InboxStore::kNobody);
  EXPECT_EQ(view.head.follows_at, Offset(0));
}

TEST_P(InboxStoreContract, PartsWithoutAHeadAreToldAndTakenAway) {
  ASSERT_TRUE(Wake({UserId(1)}));
  ASSERT_TRUE(Deliver(
      {{1, {{Entry(3)}, {}, {}}}, {2, {{Entry(3)}, {}, {}}}, {kUserIdMax, {{Entry(3)}, {}, {}}}}));
  ASSERT_TRUE(Deliver({{2, {{Entry(4)}, {}, {}}}}));
  EXPECT_EQ(Must(store_->OwnersOfParts(UserId(0), 2)), (std::vector{UserId(1), UserId(2)}));
  EXPECT_EQ(Must(store_->OwnersOfParts(UserId(1), 9)),
            (std::vector{UserId(2), UserId(kUserIdMax)}));
  ASSERT_TRUE(store_->Renew(Of(2), kStand, kMaker));
  EXPECT_FALSE(Look(2));
  EXPECT_EQ(Must(store_->OwnersOfParts(UserId(0), 9)),
            (std::vector{UserId(1), UserId(kUserIdMax)}));
}

TEST_P(InboxStoreContract, OneThatIsDamagedSaysSoAndIsMadeAnewWhenCompacted) {
  ASSERT_TRUE(Wake({UserId(1), UserId(2)}));
  for (const std::uint64_t owner : {1, 2}) Make(owner, {{Entry(4)}, {}, {}}, Entry(2));
  EXPECT_FALSE(Look(1)->is_damaged);
  InboxDelivery delivery{MoveOf(delivered_, 1), {{UserId(1), "no part"}}};
  ASSERT_TRUE(store_->Deliver(delivery));
  delivered_ = delivery.move.to;
  EXPECT_TRUE(Look(1)->is_damaged);
  EXPECT_EQ(Posted(1), std::vector{Entry(4)});
  ASSERT_TRUE(Deliver({{2, {{Entry(5)}, {}, {}}}}));
  ASSERT_TRUE(store_->Compact(std::vector{Of(1), Of(2)}, 1));
  EXPECT_EQ(Look(1)->inbox.all, InboxPart());
  EXPECT_FALSE(Look(1)->is_damaged || Look(1)->head.made);
  EXPECT_EQ(Look(1)->head.stand, kStand);
  EXPECT_EQ(Posted(2), std::vector{Entry(5)});
}

TEST_P(InboxStoreContract, CompactedItIsOnePartThatSaysTheSame) {
  ASSERT_TRUE(Wake({UserId(1), UserId(2)}));
  Make(1, {{Entry(1), Entry(2), Entry(3)}, {}, {}});
  ASSERT_TRUE(Deliver({{1, {{Entry(5)}, {{UserId(7), PostId(2)}}, {}}}}));
  ASSERT_TRUE(Deliver({{1, {{Entry(4), Entry(6, 9)}, {}, {UserId(9)}}},
                       {2, {{Entry(4)}, {{UserId(7), PostId(2)}}, {}}}}));
  ASSERT_TRUE(store_->Compact(std::vector{Of(1)}, 3));
  const InboxView view = *Look(1);
  EXPECT_EQ(view.inbox.all, (InboxPart{{Entry(5), Entry(4), Entry(3)}, {}, {UserId(9)}}));
  EXPECT_EQ(view.inbox.floor, Entry(3));
  EXPECT_EQ(Must(store_->Active(std::vector{Of(1)}, true)).at(0).parts, 1U);
  // What is being made may be told yet of what was deleted.
  ASSERT_TRUE(store_->Compact(std::vector{Of(2)}, 3));
  EXPECT_EQ(Look(2)->inbox.all, (InboxPart{{Entry(4)}, {{UserId(7), PostId(2)}}, {}}));
  ASSERT_TRUE(store_->Compact(std::vector{Of(1), Of(2), Of(3)}, 3));
  EXPECT_EQ(Posted(1).size(), 3U);
  EXPECT_EQ(Posted(2).size(), 1U);
}

TEST_P(InboxStoreContract, IsRemovedWhenItsOwnerHasNotLooked) {
  ASSERT_TRUE(Wake({UserId(1)}, 100));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {}, {}}}}));
  ASSERT_TRUE(store_->Remove(Of(1), 100));
  EXPECT_TRUE(Look(1));
  ASSERT_TRUE(store_->Remove(Of(1), 101));
  EXPECT_FALSE(Look(1));
  ASSERT_TRUE(Wake({UserId(1)}, 100));
  EXPECT_TRUE(Posted(1).empty()) << "its parts went with it";
  ASSERT_TRUE(store_->Remove(Of(1), InboxStore::kWhenever));
  EXPECT_FALSE(Look(1));
  // A delivery that asked earlier who is active comes when the owner is not any more.
  ASSERT_TRUE(Deliver({{1, {{Entry(4)}, {}, {}}}}));
  ASSERT_TRUE(Wake({UserId(1)}, 100));
  EXPECT_TRUE(Posted(1).empty());
}

TEST_P(InboxStoreContract, APulledAuthorIsPulledSinceHeWasFirst) {
  const auto pull = [&](const InboxMove& move, std::uint64_t author, std::int64_t since) {
    return store_->Deliver({move, {}, {{UserId(author), Offset(since)}}});
  };
  const InboxMove first = MoveOf(kBegun, 1);
  const InboxMove second = MoveOf(first.to, 1);
  ASSERT_TRUE(pull(first, 7, 3));
  ASSERT_TRUE(pull(second, 7, 9));
  EXPECT_EQ(CodeName(pull(second, 8, 4)), ToString(ErrorCode::kFenced));
  ASSERT_TRUE(pull(MoveOf(second.to, 1), kUserIdMax, 1));
  std::vector<UserId> asked = {UserId(7), UserId(8), UserId(kUserIdMax)};
  const auto pulled = Must(store_->Pulled(asked));
  ASSERT_EQ(pulled.size(), 2U);
  EXPECT_EQ(std::pair(pulled[0].author, pulled[0].since), std::pair(UserId(7), Offset(3)));
  ASSERT_TRUE(store_->Push(UserId(7)));
  EXPECT_EQ(Must(store_->Pulled(asked)).size(), 1U);
  EXPECT_TRUE(Must(store_->Pulled({})).empty());
}

TEST_P(InboxStoreContract, WhatIsLeftOfOthersIsDropped) {
  ASSERT_TRUE(Wake({UserId(1), UserId(2)}));
  ASSERT_TRUE(Deliver({{1, {{Entry(3)}, {}, {}}}}));
  ASSERT_TRUE(store_->Begin(Generation(2), std::vector{InboxStart{streams::kPosts, kP, kBegun}}));
  ASSERT_TRUE(store_->Renew(Of(2), "2/1/1/1", InboxStore::kNobody));
  while (Must(store_->Drop(Generation(2)))) {
  }
  EXPECT_FALSE(Look(1));
  EXPECT_TRUE(Look(2));
  EXPECT_TRUE(Must(store_->Stood(kFirst, streams::kPosts)).empty());
  EXPECT_FALSE(Must(store_->Stood(Generation(2), streams::kPosts)).empty());
  while (Must(store_->Drop(std::nullopt))) {
  }
  EXPECT_FALSE(Look(2));
  EXPECT_TRUE(Must(store_->Stood(Generation(2), streams::kPosts)).empty());
}

TEST_P(InboxStoreContract, TheCatalogSaysWhichAreRead) {
  EXPECT_EQ(Must(store_->Mode()), InboxMode());
  EXPECT_EQ(Must(reader_->ReadCatalog()).inboxes, std::nullopt);
  ASSERT_TRUE(store_->SetMode({Generation(1), true}));
  EXPECT_EQ(Must(store_->Mode()), (InboxMode{Generation(1), true}));
  EXPECT_EQ(Must(reader_->ReadCatalog()).inboxes, Generation(1));
  EXPECT_EQ(Must(reader_->ReadCatalog()).read, kReadG1);
  ASSERT_TRUE(store_->SetMode({Generation(1), false}));
  EXPECT_EQ(Must(store_->Mode()), (InboxMode{Generation(1), false}));
  EXPECT_EQ(Must(reader_->ReadCatalog()).inboxes, std::nullopt);
}

}  // namespace fanfold::testing
