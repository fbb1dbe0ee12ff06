#include "cli/inspect/explain.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/relation/codec.h"
#include "common/stream/slot.h"
#include "operations/explain/edge_history.h"
#include "operations/explain/stray_events.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::kPartitions;
using Json = nlohmann::json;

constexpr std::int32_t kShards = 2;
constexpr UserId kSubject(1);
constexpr UserId kObject(2);
const Placement kPlacement = Placement::Modulo({kPartitions, kShards});

Event EventOf(EventType type, UserId subject = kSubject, UserId object = kObject) {
  Event event;
  event.event_id = "e";
  event.type = type;
  event.subject = subject;
  event.object = object;
  event.at_ms = 100;
  return event;
}

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() { fake_.session.json = true; }

  // At the next offset of the subject's partition, with the outcome it leads to where one is given.
  Position Put(const Event& event, std::optional<OutcomeKind> kind = std::nullopt,
               const std::string& key = "1") {
    fake_.backend.log.Of(topics::kRelationEvents)[home_].push_back({key, EncodeEvent(event), 5});
    const Position position = LastEvent();
    if (kind) PutOutcome(event, position, *kind);
    return position;
  }
  void PutOutcome(const Event& event, Position position, OutcomeKind kind) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.position = position;
    outcome.subject = event.subject;
    outcome.object = event.object;
    outcome.since_ms = 100;
    if (kind == OutcomeKind::kParked) outcome.parked = ParkReason::kKeyMismatch;
    if (kind == OutcomeKind::kRejected) outcome.rejected = RejectReason::kSuperseded;
    fake_.backend.log.Of(topics::kRelationOutcomes)[home_].push_back(
        {"1", EncodeOutcome(outcome), 6});
  }
  void PutBytes(const std::string& key, const std::string& value) {
    fake_.backend.log.Of(topics::kRelationEvents)[home_].push_back({key, value, 5});
    Outcome outcome = Park(LastEvent(), ParkReason::kMalformed, "");
    fake_.backend.log.Of(topics::kRelationOutcomes)[home_].push_back(
        {key, EncodeOutcome(outcome), 6});
  }
  // Both rows as they are, both lanes at the events' end or at `position`.
  void SetRows(std::optional<Edge> edge, std::optional<std::int64_t> position = std::nullopt) {
    const EdgeView view{edge, EdgeCount(edge && edge->active ? 1 : 0),
                        Offset(position.value_or(LastEvent().offset.value + 1))};
    Shard(kSubject).edges[{projections::kFollowing, {kSubject, kObject}}] = view;
    Shard(kObject).edges[{projections::kFans, {kObject, kSubject}}] = view;
  }
  testing::FakeShard& Shard(UserId user) {
    return fake_.backend.shard_states[static_cast<std::size_t>(kPlacement.ShardOf(user).value)];
  }
  ExitCode Explain() { return RunExplain(fake_.session, {kSubject, kObject}); }
  [[nodiscard]] Json Told() const { return Json::parse(fake_.out.text()); }

  FakeSession fake_{kPartitions, kShards};
  const std::size_t home_ = static_cast<std::size_t>(kPlacement.PartitionOf(kSubject).value);

 private:
  [[nodiscard]] Position LastEvent() const {
    const auto& records = fake_.backend.log.Of(topics::kRelationEvents)[home_];
    return {Partition(static_cast<std::int32_t>(home_)),
            Offset(static_cast<std::int64_t>(records.size()) - 1)};
  }
};

TEST_F(ExplainTest, EventsStandWithTheirOutcomes) {
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  Put(EventOf(EventType::kFollow, kSubject, UserId(9)), OutcomeKind::kFollowed);
  Put(EventOf(EventType::kFollow), OutcomeKind::kUnchanged);
  Event replayed = EventOf(EventType::kUnfollow);
  replayed.by = AskedBy::kObject;
  replayed.if_version = Version(7);
  replayed.replay_of = Position{Partition(3), Offset(4)};
  Put(replayed, OutcomeKind::kRejected);
  Put(EventOf(EventType::kFollow), OutcomeKind::kParked, "7");
  Put(EventOf(EventType::kUnfollow));
  SetRows(Edge{true, 100, Version(1)}, 5);
  EXPECT_EQ(Explain(), ExitCode::kFine) << fake_.err.text();
  const Json told = Told();
  ASSERT_EQ(told["events"].size(), 5U) << told;
  std::vector<std::string> outcomes;
  for (const Json& event : told["events"]) {
    outcomes.push_back(event["outcome"].dump() + ' ' + event["reason"].dump());
  }
  EXPECT_EQ(outcomes, (std::vector<std::string>{R"("followed" null)", R"("unchanged" null)",
                                                R"("rejected" "superseded")",
                                                R"("parked" "key_mismatch")", "null null"}));
  EXPECT_EQ(told["events"][2]["replay_of"], "3:4");
  EXPECT_EQ(told["events"][2]["if_version"], 7);
  EXPECT_EQ(told["events"][2]["by"], "object");
  EXPECT_EQ(told["rows"][0]["verdict"], "agrees") << told;
  EXPECT_EQ(told["rows"][1]["verdict"], "agrees") << told;
}

TEST_F(ExplainTest, TextTellsPositionOutcomeRowsAndLanes) {
  fake_.session.json = false;
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  Put(EventOf(EventType::kUnfollow));
  SetRows(Edge{true, 100, Version(1)}, 1);
  EXPECT_EQ(Explain(), ExitCode::kFine);
  const std::string text = fake_.out.text();
  for (const char* part : {"followed", "not decided yet", "1970-01-01T00:00:00.100Z", "following",
                           "fans", "1 of 2, running"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

struct StrayCase {
  const char* name;
  Event event;
  std::string key;
  ParkReason reason;
  bool told;
};

TEST_F(ExplainTest, EventsParkedInOtherPartitionsAreTold) {
  const Event ours = EventOf(EventType::kUnfollow);
  const Event foreign = EventOf(EventType::kFollow, UserId(7));
  const StrayCase kCases[] = {
      {"in a wrong partition", ours, "1", ParkReason::kWrongPartition, true},
      {"under a wrong key", ours, "7", ParkReason::kKeyMismatch, true},
      {"of another subject", foreign, "7", ParkReason::kWrongPartition, false},
      {"of another edge under our key", foreign, "1", ParkReason::kKeyMismatch, false},
      {"a reason that has no event", ours, "1", ParkReason::kMalformed, false},
  };
  SetRows(std::nullopt, 0);
  const std::size_t elsewhere = (home_ + 1) % static_cast<std::size_t>(kPartitions);
  std::vector<std::string> wanted;
  for (const StrayCase& test : kCases) {
    auto& records = fake_.backend.log.Of(topics::kRelationEvents)[elsewhere];
    const LaneId lane{projections::kFollowing, Generation(1),
                      Partition(static_cast<std::int32_t>(elsewhere))};
    const Offset offset(static_cast<std::int64_t>(records.size()));
    if (test.told) wanted.push_back(ToString(Position{lane.partition, offset}));
    records.push_back({test.key, EncodeEvent(test.event), 5});
    fake_.backend.shard_states[0].parked.push_back(
        {lane, offset, test.reason, "", "e", test.key, 5});
  }
  EXPECT_EQ(Explain(), ExitCode::kFine) << fake_.err.text();
  const Json told = Told();
  std::vector<std::string> strays;
  for (const Json& event : told["strays"]) strays.push_back(event["position"]);
  EXPECT_EQ(strays, wanted) << told;
  EXPECT_EQ(told["strays"][0]["reason"], "wrong_partition") << told;
  EXPECT_EQ(told["strays_are_all"], true);
  fake_.session.json = false;
  EXPECT_EQ(Explain(), ExitCode::kFine);
  EXPECT_NE(fake_.out.text().find("parked in partitions where they do not belong"),
            std::string::npos);
}

TEST_F(ExplainTest, SaysWhenNotEveryParkedRecordWasLookedAt) {
  SetRows(std::nullopt, 0);
  const LaneId lane{projections::kFollowing, Generation(1),
                    Partition(static_cast<std::int32_t>((home_ + 1) % kPartitions))};
  auto& parked = fake_.backend.shard_states[0].parked;
  for (std::size_t i = 0; i <= operations::kStraysReadMax; ++i) {
    parked.push_back(
        {lane, Offset(static_cast<std::int64_t>(i)), ParkReason::kKeyMismatch, "", "e", "7", 5});
  }
  EXPECT_EQ(Explain(), ExitCode::kFine) << fake_.err.text();
  EXPECT_EQ(Told()["strays_are_all"], false);
}

TEST_F(ExplainTest, OnlyTheNewestAreKeptAndTheOthersCounted) {
  constexpr std::int64_t kOlder = 3;
  const auto kept = static_cast<std::int64_t>(operations::EdgeHistory::kEventsKeptMax);
  for (std::int64_t i = 0; i < kept + kOlder; ++i) {
    Put(EventOf(EventType::kFollow), i == 0 ? OutcomeKind::kFollowed : OutcomeKind::kUnchanged);
  }
  SetRows(Edge{true, 100, Version(1)});
  EXPECT_EQ(Explain(), ExitCode::kFine) << "events that are not shown count for the rows";
  const Json told = Told();
  EXPECT_EQ(told["events"].size(), operations::EdgeHistory::kEventsKeptMax);
  EXPECT_EQ(told["events_left_out"], kOlder);
  EXPECT_EQ(told["events"][0]["outcome"], "unchanged");
}

TEST_F(ExplainTest, UnreadableRecordsOfTheSubjectAreCounted) {
  PutBytes("1", "garbage");
  PutBytes("1", R"({"v":99})");
  PutBytes("2", "garbage");
  SetRows(std::nullopt);
  EXPECT_EQ(Explain(), ExitCode::kFine);
  EXPECT_EQ(Told()["unreadable"], 2);
  EXPECT_TRUE(Told()["events"].empty());
}

struct RowCase {
  const char* name;
  std::optional<Edge> row;
  std::optional<std::int64_t> position;
  const char* verdict;
};

TEST_F(ExplainTest, RowsAreJudgedByTheOutcomesBelowTheirLane) {
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  Put(EventOf(EventType::kUnfollow), OutcomeKind::kUnfollowed);
  Put(EventOf(EventType::kFollow));
  const RowCase kCases[] = {
      {"nothing yet", std::nullopt, 0, "agrees"},
      {"followed", Edge{true, 100, Version(1)}, 1, "agrees"},
      {"unfollowed", Edge{false, 100, Version(2)}, 2, "agrees"},
      {"ahead of its lane", Edge{false, 100, Version(2)}, 1, "differs"},
      {"lost", std::nullopt, 1, "differs"},
      {"other since", Edge{true, 101, Version(1)}, 1, "differs"},
      {"other version", Edge{false, 100, Version(1)}, 2, "differs"},
      {"resurrected", Edge{true, 100, Version(2)}, 2, "differs"},
      {"outcome not in the topic yet", Edge{true, 100, Version(3)}, 3, "not_judged"},
  };
  for (const RowCase& test : kCases) {
    FakeSession fresh(kPartitions, kShards);
    fresh.session.json = true;
    fresh.backend.log = fake_.backend.log;
    SetRows(test.row, test.position);
    fresh.backend.shard_states = fake_.backend.shard_states;
    const ExitCode code = RunExplain(fresh.session, {kSubject, kObject});
    const Json told = Json::parse(fresh.out.text());
    for (const Json& row : told["rows"]) EXPECT_EQ(row["verdict"], test.verdict) << test.name;
    const bool differs = std::string(test.verdict) == "differs";
    EXPECT_EQ(code, differs ? ExitCode::kDifferent : ExitCode::kFine) << test.name;
  }
}

TEST_F(ExplainTest, RowOfARewoundLaneIsNotJudged) {
  fake_.session.json = false;
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  Put(EventOf(EventType::kUnfollow), OutcomeKind::kUnfollowed);
  SetRows(Edge{false, 100, Version(2)}, 1);
  for (testing::FakeShard& shard : fake_.backend.shard_states) {
    for (auto& [key, view] : shard.edges) view.rewound = true;
  }
  EXPECT_EQ(Explain(), ExitCode::kFine);
  const std::string text = fake_.out.text();
  EXPECT_NE(text.find("its lane was rewound"), std::string::npos) << text;
}

TEST_F(ExplainTest, WrongRowPointsToVerifyAndRepair) {
  fake_.session.json = false;
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  SetRows(std::nullopt);
  EXPECT_EQ(Explain(), ExitCode::kDifferent);
  const std::string text = fake_.out.text();
  EXPECT_NE(text.find("fanfold verify"), std::string::npos) << text;
  EXPECT_NE(text.find("fanfold repair"), std::string::npos) << text;
}

TEST_F(ExplainTest, HaltedLaneIsNamedWithItsReason) {
  Put(EventOf(EventType::kFollow), OutcomeKind::kFollowed);
  SetRows(Edge{true, 100, Version(1)});
  LaneStatus lane = testing::RunningLane(projections::kFans, static_cast<std::int32_t>(home_), 1);
  lane.state = LaneState::kHalted;
  lane.state_reason = "log_mismatch";
  Shard(kObject).lanes = {lane};
  EXPECT_EQ(Explain(), ExitCode::kFine);
  EXPECT_EQ(Told()["rows"][1]["lane"]["state"], "halted");
  EXPECT_EQ(Told()["rows"][1]["lane"]["reason"], "log_mismatch");
}

TEST_F(ExplainTest, NobodyFollowsHimself) {
  EXPECT_EQ(RunExplain(fake_.session, {kSubject, kSubject}), ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("cannot follow themselves"), std::string::npos);
}

}  // namespace
}  // namespace fanfold
