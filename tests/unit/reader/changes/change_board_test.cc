#include "reader/changes/change_board.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/split_mix.h"
#include "reader/changes/event_stream.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/reader/changes/told.h"

namespace fanfold::reader {
namespace {

using testing::EventsIn;
using testing::kPartitions;
using testing::Received;

using Lines = std::vector<std::string>;

class ChangeBoardTest : public ::testing::Test {
 protected:
  // One who follows, asked for parts by hand.
  struct Follower {
    ListenerPtr listener;
    Received received;
  };

  void Start() { board_.Start(ChangePlace(kPartitions)); }
  Follower Join(const ChangeFilter& filter = {}, ChangeStart start = FromNow(),
                PrincipalPtr who = nullptr) {
    return {board_.Join({filter, std::move(start), std::move(who)}), {}};
  }
  // Of the record that tells the event, in this log.
  static std::uint64_t DigestAt(Position position) {
    return static_cast<std::uint64_t>(100 * position.partition.value + position.offset.value + 1);
  }
  // Of relations, each with the events before these.
  static ChangePlace At(const std::vector<std::int64_t>& next) {
    ChangePlace place(kPartitions);
    for (std::size_t p = 0; p < next.size(); ++p) {
      const Position last{Partition(static_cast<std::int32_t>(p)), Offset(next[p] - 1)};
      if (next[p] > 0) place.Pass({streams::kRelations, last}, DigestAt(last));
    }
    return place;
  }
  static ChangeFilter Of(std::uint64_t user) { return {.user = UserId(user)}; }
  void Ask(Follower& follower) { board_.Ask(follower.listener, follower.received.Sink()); }
  // Past the greeting, to where the follower waits.
  void Wait(Follower& follower) {
    Ask(follower);
    Ask(follower);
  }

  // The next event of this partition.
  ToldEvent Event(Partition partition, bool changes, std::uint64_t user, std::uint64_t other) {
    const Position position{partition, std::exchange(next_[partition], Next(next_[partition]))};
    const StreamPosition event{streams::kRelations, position};
    if (!changes) return {event, DigestAt(position), nullptr};
    return {event, DigestAt(position),
            std::make_shared<Change>(Change{.event = event,
                                            .type = change_types::kFollowed,
                                            .user = UserId(user),
                                            .other = UserId(other),
                                            .members = ""})};
  }
  void Follow(std::uint64_t user, std::uint64_t other, std::int32_t partition = 0) {
    const auto told = Event(Partition(partition), true, user, other);
    board_.Publish(std::span(&told, 1));
  }
  static std::string Line(const std::string& position) {
    return R"(followed:{"position":")" + position + R"("})";
  }

  fanfold::testing::ManualClock clock_;
  Metrics metrics_;
  std::map<Partition, Offset> next_;
  ChangeBoard board_{kPartitions, clock_, metrics_};
};

TEST_F(ChangeBoardTest, WhoWaitsIsToldWhatHeWants) {
  Start();
  Follower all = Join();
  Follower subject = Join(Of(1));
  Follower object = Join(Of(2));
  Follower nobody = Join(Of(3));
  ChangeFilter posts = Of(1);
  posts.types.reset().set(4);
  Follower other_types = Join(posts);
  for (Follower* one : {&all, &subject, &object, &nobody, &other_types}) Wait(*one);
  Follow(1, 2);
  for (const Follower* one : {&all, &subject, &object}) {
    EXPECT_EQ(one->received.Changes(), Lines{Line("0:0")});
  }
  for (const Follower* one : {&nobody, &other_types}) {
    EXPECT_EQ(one->received.parts(), 1) << "the greeting";
  }
}

TEST_F(ChangeBoardTest, WhatIsOfOneUserIsToldToo) {
  Start();
  Follower all = Join();
  Follower author = Join(Of(1));
  Wait(all);
  Wait(author);
  Follow(1, 0);
  EXPECT_EQ(all.received.Changes(), Lines{Line("0:0")});
  EXPECT_EQ(author.received.Changes(), Lines{Line("0:0")});
}

TEST_F(ChangeBoardTest, TheGreetingSaysWhereHeStands) {
  Start();
  Follow(1, 2);
  Follower one = Join();
  Ask(one);
  EXPECT_EQ(one.received.text(), "retry: 1000\nid: " + EncodeChangePlace(At({1})) + "\n\n");
}

TEST_F(ChangeBoardTest, WhoDoesNotReadReadsOnLater) {
  Start();
  Follower slow = Join(Of(1));
  Wait(slow);
  Follow(1, 2);
  Follow(3, 4);
  Follow(1, 5, 1);
  Follow(6, 1);
  EXPECT_EQ(slow.received.Changes(), Lines{Line("0:0")}) << "one part is owed, and one is given";
  Ask(slow);
  EXPECT_EQ(slow.received.Changes(), (Lines{Line("0:0"), Line("1:0"), Line("0:2")}));
  Ask(slow);
  EXPECT_EQ(slow.received.parts(), 3) << "it waits again";
  Follow(1, 7);
  EXPECT_EQ(slow.received.Changes().size(), 4U);
}

TEST_F(ChangeBoardTest, BeginsBehindTheLastThatWasSeen) {
  Start();
  for (int i = 0; i < 3; ++i) Follow(1, 2);
  Follow(1, 2, 1);
  Follower behind = Join({}, FromBehind{{streams::kRelations, {Partition(0), Offset(1)}}});
  Wait(behind);
  EXPECT_EQ(behind.received.Changes(), Lines{Line("0:2")}) << "of partition 1 from now";
  Follower first = Join({}, FromTheFirst());
  Wait(first);
  EXPECT_EQ(first.received.Changes().size(), 4U);
}

// Another reader may have been further.
TEST_F(ChangeBoardTest, WhatHeHasHadIsNotToldAgain) {
  Start();
  Follower one = Join({}, ChangeId{At({2}), {}});
  Wait(one);
  Follow(1, 2);
  Follow(1, 2, 1);
  EXPECT_EQ(one.received.Changes(), Lines{Line("1:0")});
  EXPECT_EQ(one.received.LastId(), EncodeChangePlace(At({2, 1}))) << "it does not fall back";
  Ask(one);
  Follow(1, 2);
  EXPECT_EQ(one.received.parts(), 2);
  Follow(1, 2);
  EXPECT_EQ(one.received.Changes(), (Lines{Line("1:0"), Line("0:2")}));
}

// Each of thousands would hold the whole of it.
TEST_F(ChangeBoardTest, OfMuchThatComesAtOnceThoseWhoWaitAreToldSoMuch) {
  Start();
  Follower one = Join();
  Wait(one);
  std::vector<ToldEvent> told;
  for (std::uint64_t other = 2; other < 1'002; ++other) {
    told.push_back(Event(Partition(0), true, 1, other));
  }
  const std::size_t before = one.received.text().size();
  board_.Publish(told);
  const std::size_t at_once = one.received.text().size() - before;
  EXPECT_GE(at_once, ChangeBoard::kPublishedBytesMax);
  EXPECT_LT(at_once, 2 * ChangeBoard::kPublishedBytesMax);
  while (one.received.Changes().size() < told.size()) {
    const std::size_t had = one.received.Changes().size();
    Ask(one);
    ASSERT_GT(one.received.Changes().size(), had);
  }
  EXPECT_EQ(one.received.Changes().size(), told.size());
}

// Whoever asks next would wait while all of it is looked at.
TEST_F(ChangeBoardTest, WhoWantsLittleOfMuchIsToldHowFarTheyHaveCome) {
  Start();
  constexpr auto kEvents = static_cast<std::int64_t>(3 * ChangeBoard::kLookedAtMax);
  for (std::int64_t i = 0; i < kEvents; ++i) Follow(1, 2);
  Follower one = Join(Of(9), FromTheFirst());
  Ask(one);
  for (int asked = 1; asked < 3; ++asked) {
    Ask(one);
    EXPECT_EQ(one.received.parts(), 1 + asked);
    const auto looked_at = static_cast<std::int64_t>(ChangeBoard::kLookedAtMax) * asked;
    EXPECT_EQ(one.received.LastId(), EncodeChangePlace(At({looked_at})));
  }
  Ask(one);
  EXPECT_EQ(one.received.parts(), 3) << "they have come to the end, and wait";
  Follow(9, 2);
  EXPECT_EQ(one.received.Changes().size(), 1U);
}

struct ClaimCase {
  std::string name;
  std::vector<std::int64_t> next;
  bool is_proved;
  Claim::Says says;
};
void PrintTo(const ClaimCase& claim, std::ostream* out) { *out << claim.name; }

class Claims : public ChangeBoardTest, public ::testing::WithParamInterface<ClaimCase> {
 protected:
  Claim::Says Judged(std::uint64_t digest_differs_by) {
    ChangePlace place = At(GetParam().next);
    place.At(streams::kRelations, Partition(0)).before += digest_differs_by;
    const auto proof = GetParam().is_proved ? place.Proof() : std::nullopt;
    for (ChangePlace::Stand& stand : place.stands()) stand.before = 0;
    return board_.Judge(Join({}, ChangeId{place, proof}).listener)->says;
  }
};

// Begins at 1:3, and holds three events more of partition 0 and one of partition 1.
TEST_P(Claims, AreJudgedByTheWindow) {
  board_.Start(At({3}));
  next_[Partition(0)] = Offset(3);
  Follow(1, 2);
  const ToldEvent unchanged = Event(Partition(0), false, 1, 2);
  board_.Publish(std::span(&unchanged, 1));
  Follow(1, 2);
  Follow(1, 2, 1);
  EXPECT_EQ(Judged(0), GetParam().says);
  const bool fails = GetParam().says == Claim::Says::kHolds && GetParam().is_proved;
  EXPECT_EQ(Judged(1), fails ? Claim::Says::kFails : GetParam().says) << "of another log";
}

INSTANTIATE_TEST_SUITE_P(
    All, Claims,
    ::testing::Values(ClaimCase{"Floor", {3}, true, Claim::Says::kHolds},
                      ClaimCase{"Within", {4, 1}, true, Claim::Says::kHolds},
                      ClaimCase{"BehindWhatChangedNothing", {5}, true, Claim::Says::kHolds},
                      ClaimCase{"End", {6, 1}, true, Claim::Says::kHolds},
                      ClaimCase{"Before", {2}, true, Claim::Says::kOpen},
                      ClaimCase{"BeforeUnproved", {2}, false, Claim::Says::kOpen},
                      ClaimCase{"Beyond", {7}, true, Claim::Says::kOpen},
                      ClaimCase{"BeyondUnproved", {6, 2}, false, Claim::Says::kOpen},
                      ClaimCase{"Unproved", {4}, false, Claim::Says::kHolds}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(ChangeBoardTest, WhomTheWindowHasLeftBehindIsToldByTheLog) {
  Start();
  Follower slow = Join();
  Wait(slow);
  Follow(1, 2);
  EXPECT_EQ(board_.IsBehind(slow.listener), std::nullopt);
  const std::size_t fill =
      ChangeBoard::kWindowBytesMax / (ChangeWindow::kChangeBytes + ChangeWindow::kEventBytes) + 10;
  for (std::size_t i = 0; i < fill; ++i) Follow(3, 4);
  const auto place = board_.IsBehind(slow.listener);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->At(streams::kRelations, Partition(0)).next, Offset(1));
  Ask(slow);
  EXPECT_TRUE(slow.received.ended()) << "rather than to leave something out";
  Follower first = Join({}, FromTheFirst());
  EXPECT_TRUE(board_.IsBehind(first.listener).has_value());
  ChangePlace read(kPartitions);
  read.At(streams::kRelations, Partition(0)).next = next_[Partition(0)];
  board_.StandAt(first.listener, read);
  Ask(first);
  EXPECT_EQ(first.received.parts(), 0) << "it has read all";
  Follow(5, 6);
  EXPECT_EQ(first.received.Changes().size(), 1U);
}

TEST_F(ChangeBoardTest, LongSilenceIsBrokenByACheckpoint) {
  Start();
  Follower one = Join(Of(1));
  Wait(one);
  Follow(3, 4);
  board_.Sweep();
  EXPECT_EQ(one.received.parts(), 1);
  clock_.now_ms += ChangeBoard::kCheckpointMs;
  board_.Sweep();
  EXPECT_EQ(one.received.parts(), 2);
  EXPECT_EQ(one.received.LastId(), EncodeChangePlace(At({1})));
  Ask(one);
  board_.Sweep();
  EXPECT_EQ(one.received.parts(), 2) << "not again at once";
}

TEST_F(ChangeBoardTest, EndsWithItsToken) {
  Start();
  const auto credential = std::make_shared<Credential>();
  const auto who = [&](std::int64_t expires_ms) {
    return std::make_shared<const Principal>(
        Principal{.name = "t", .scopes = {}, .expires_ms = expires_ms, .by = credential});
  };
  Follower expires = Join({}, FromNow(), who(clock_.now_ms + 10));
  Follower lasts = Join({}, FromNow(), who(Principal::kNever));
  Wait(expires);
  Wait(lasts);
  board_.Sweep();
  EXPECT_FALSE(expires.received.ended());
  clock_.now_ms += 10;
  board_.Sweep();
  EXPECT_TRUE(expires.received.ended());
  EXPECT_FALSE(lasts.received.ended());
  credential->ended = true;
  board_.Sweep();
  EXPECT_TRUE(lasts.received.ended());
  EXPECT_EQ(board_.FloorFor(lasts.listener), std::nullopt) << "nor is it told the log";
}

TEST_F(ChangeBoardTest, WhoseTokenHasEndedIsToldNothingMore) {
  Start();
  Follower one = Join({}, FromNow(),
                      std::make_shared<const Principal>(
                          Principal{.name = "t", .scopes = {}, .expires_ms = clock_.now_ms + 10}));
  Wait(one);
  clock_.now_ms += 10;
  Follow(1, 2);
  EXPECT_TRUE(one.received.Changes().empty());
  EXPECT_TRUE(one.received.ended());
}

TEST_F(ChangeBoardTest, SoManyMayFollow) {
  Start();
  std::vector<ListenerPtr> listeners;
  for (std::size_t i = 0; i < ChangeBoard::kListenersMax; ++i) {
    listeners.push_back(Join().listener);
    ASSERT_NE(listeners.back(), nullptr);
  }
  EXPECT_EQ(Join().listener, nullptr);
  board_.Leave(listeners.back());
  EXPECT_NE(Join().listener, nullptr);
}

TEST_F(ChangeBoardTest, WhoHasLeftIsToldNothing) {
  Start();
  Follower one = Join();
  Wait(one);
  board_.Leave(one.listener);
  EXPECT_TRUE(one.received.cut()) << "what was owed will not come";
  Follow(1, 2);
  Ask(one);
  EXPECT_EQ(one.received.Changes(), Lines());
}

TEST_F(ChangeBoardTest, AllEndsWithTheProcess) {
  Start();
  Follower waits = Join();
  Follower asks = Join();
  Wait(waits);
  board_.Retire();
  EXPECT_TRUE(waits.received.ended());
  Ask(asks);
  EXPECT_TRUE(asks.received.ended());
  EXPECT_EQ(Join().listener, nullptr);
}

TEST_F(ChangeBoardTest, AllEndsWhereThePlaceIsLost) {
  Start();
  Follower waits = Join();
  Wait(waits);
  board_.Lose();
  EXPECT_TRUE(waits.received.ended());
  Follower between = Join();
  Ask(between);
  EXPECT_TRUE(between.received.ended());
}

TEST_F(ChangeBoardTest, KnowsWhatIsFollowed) {
  Start();
  const std::vector told = {Event(Partition(0), true, 1, 2), Event(Partition(0), true, 3, 4),
                            Event(Partition(0), false, 1, 2)};
  EXPECT_EQ(board_.AreFollowed(told), (std::vector{false, false, false}));
  const Follower of_one = Join(Of(2));
  EXPECT_EQ(board_.AreFollowed(told), (std::vector{true, false, false}));
  const Follower of_all = Join();
  EXPECT_EQ(board_.AreFollowed(told), (std::vector{true, true, false}));
  board_.Leave(of_all.listener);
  board_.Leave(of_one.listener);
  EXPECT_EQ(board_.AreFollowed(told), (std::vector{false, false, false}));
}

// Above kPartitionsWithIdsMax.
TEST_F(ChangeBoardTest, ManyPartitionsHaveIdsBehindTheChanges) {
  ChangeBoard board(kPartitionsWithIdsMax + 1, clock_, metrics_);
  board.Start(ChangePlace(kPartitionsWithIdsMax + 1));
  Follower one{board.Join({}), {}};
  for (int i = 0; i < 2; ++i) board.Ask(one.listener, one.received.Sink());
  const std::vector told = {Event(Partition(0), true, 1, 2), Event(Partition(0), true, 1, 3)};
  board.Publish(told);
  const auto events = EventsIn(one.received.text());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].id, "");
  EXPECT_EQ(events[3].type, "");
  EXPECT_TRUE(events[3].id.starts_with("c2-2-0-"));
}

// A follower that is cut anywhere, and comes back with its last id, has had everything once.
class RandomCuts : public ChangeBoardTest, public ::testing::WithParamInterface<int> {
 protected:
  int asked_ = 0;  // parts
};

TEST_P(RandomCuts, MissAndRepeatNothing) {
  Start();
  SplitMix64 random(static_cast<std::uint64_t>(GetParam()));
  const ChangeFilter filter = GetParam() % 2 == 0 ? ChangeFilter() : Of(1);
  Follower one = Join(filter);
  Lines expected;
  Lines had;
  std::string id;
  for (int step = 0; step < 400; ++step) {
    std::vector<ToldEvent> told;
    for (std::uint64_t i = random.Below(4); i > 0; --i) {
      const Partition partition(static_cast<std::int32_t>(random.Below(kPartitions)));
      told.push_back(Event(partition, random.Below(3) > 0, 1 + random.Below(3), 4));
      const auto& change = told.back().change;
      if (change && filter.Wants(*change)) expected.push_back("followed:" + change->Json());
    }
    board_.Publish(told);
    if (random.Below(2) == 0 && one.received.parts() == asked_) {
      ++asked_;
      Ask(one);
    }
    if (random.Below(10) > 0) continue;
    // What was under way is lost but for a part of it.
    Lines got;
    for (const auto& event : EventsIn(one.received.text())) {
      if (random.Below(5) == 0) break;
      if (!event.id.empty()) id = event.id;
      if (!event.type.empty()) got.push_back(event.type + ":" + event.data);
    }
    had.insert(had.end(), got.begin(), got.end());
    board_.Leave(one.listener);
    const auto brought = DecodeChangeId(id, kPartitions);
    one = brought ? Join(filter, *brought) : Join(filter, FromTheFirst());
    ASSERT_EQ(board_.Judge(one.listener)->says, Claim::Says::kHolds) << "any id, at any time";
    asked_ = 0;
  }
  for (; one.received.parts() == asked_; ++asked_) Ask(one);
  const Lines rest = one.received.Changes();
  had.insert(had.end(), rest.begin(), rest.end());
  EXPECT_EQ(had, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCuts, ::testing::Range(0, 20));

// Goes on by nothing, and counts who waits.
class CountedSleeps final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override { return 1; }
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override { return 1; }
  void SleepMs(std::int64_t /*ms*/) const override { ++sleeps; }
  mutable int sleeps = 0;
};

// Whoever writes what they are told has others to serve.
TEST(ChangeBoard, ManyAreToldSoManyAtATime) {
  constexpr std::size_t kListeners = 100;
  const CountedSleeps clock;
  Metrics metrics;
  ChangeBoard board{kPartitions, clock, metrics};
  board.Start(ChangePlace(kPartitions));
  std::vector<ListenerPtr> listeners;
  std::vector<Received> received(kListeners);
  for (Received& each : received) {
    listeners.push_back(board.Join({{}, FromNow(), nullptr}));
    board.Ask(listeners.back(), each.Sink());
    board.Ask(listeners.back(), each.Sink());
  }
  EXPECT_EQ(clock.sleeps, 0);
  const StreamPosition event{streams::kRelations, {Partition(0), Offset(0)}};
  const ToldEvent told{event, 1,
                       std::make_shared<Change>(Change{.event = event,
                                                       .type = change_types::kFollowed,
                                                       .user = UserId(1),
                                                       .other = UserId(2),
                                                       .members = ""})};
  board.Publish(std::span(&told, 1));
  for (const Received& each : received) EXPECT_EQ(each.parts(), 2);
  EXPECT_EQ(clock.sleeps, 6);
  for (const ListenerPtr& listener : listeners) board.Leave(listener);
}

}  // namespace
}  // namespace fanfold::reader
