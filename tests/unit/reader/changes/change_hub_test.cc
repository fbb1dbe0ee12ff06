#include "reader/changes/change_hub.h"

#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/http/router.h"
#include "common/ports/record_marks.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "reader/changes/change_proof.h"
#include "reader/changes/change_routes.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/changes/told.h"

namespace fanfold::reader {
namespace {

using fanfold::testing::MemoryRecord;
using fanfold::testing::WaitUntil;
using testing::EventsIn;
using testing::kPartitions;
using testing::Received;

const Placement kPlacement = Placement::Modulo({kPartitions, 1});

// A client that reads: asks for the next part when it has one.
class Client {
 public:
  explicit Client(http::BodySource source) : source_(std::move(source)) { Ask(); }
  ~Client() { source_ = nullptr; }

  // Reads until so many changes have been told.
  [[nodiscard]] std::vector<std::string> Read(std::size_t changes) {
    (void)WaitUntil([&] {
      if (received_.parts() == asked_ && !received_.ended()) Ask();
      return received_.Changes().size() >= changes || received_.ended();
    });
    return received_.Changes();
  }
  void Greet() {
    (void)WaitUntil([&] { return received_.parts() == asked_; });
  }
  [[nodiscard]] bool Ends() {
    return WaitUntil([&] {
      if (received_.parts() == asked_ && !received_.ended()) Ask();
      return received_.ended();
    });
  }
  [[nodiscard]] const Received& received() const { return received_; }

 private:
  void Ask() {
    ++asked_;
    source_(received_.Sink());
  }

  http::BodySource source_;
  Received received_;
  int asked_ = 0;
};

class ChangeHubTest : public ::testing::Test {
 protected:
  ChangeHubTest() {
    board_.SetDeployment(Deployment{kPlacement, {}});
    Restart();
  }

  void Restart() {
    router_ = http::Router();
    hub_ = std::make_unique<ChangeHub>(
        log_, board_,
        [this](Shard) -> Result<std::unique_ptr<ProjectionReader>> {
          return std::make_unique<fanfold::testing::MemoryReader>(tables_, kPlacement);
        },
        clock_, metrics_);
    AddChangeRoutes(router_, *hub_, metrics_);
  }
  // With its outcome, in the subject's partition.
  void Follow(std::uint64_t subject, std::uint64_t object) {
    const Partition partition = kPlacement.PartitionOf(UserId(subject));
    const Offset at(std::ssize(log_.Records(topics::kRelationEvents, partition)));
    log_.Put(topics::kRelationEvents, partition, std::to_string(subject), "the event");
    Tell(at, subject, object);
  }
  void Tell(Offset event, std::uint64_t subject, std::uint64_t object) {
    const Partition partition = kPlacement.PartitionOf(UserId(subject));
    log_.Put(topics::kRelationOutcomes, partition, std::to_string(subject),
             EncodeOutcome({.kind = OutcomeKind::kFollowed,
                            .position = {partition, event},
                            .event_id = "e",
                            .subject = UserId(subject),
                            .object = UserId(object),
                            .at_ms = 1,
                            .since_ms = 1,
                            .rejected = {},
                            .parked = {},
                            .trace = {}}));
  }
  http::Response Get(const std::string& query, const std::string& last_id = "",
                     PrincipalPtr who = nullptr, const std::string& accept = "*/*") {
    http::Headers headers;
    (void)headers.Add("Accept", accept);
    if (!last_id.empty()) (void)headers.Add("Last-Event-ID", last_id);
    http::Request request;
    request.path = "/v1/changes";
    request.query = query;
    request.headers = &headers;
    request.principal = std::move(who);
    const auto answer = std::make_shared<std::promise<http::Response>>();
    router_(request, http::Reply([answer](http::Response response) {
              answer->set_value(std::move(response));
            }));
    return answer->get_future().get();
  }
  http::BodySource Open(const std::string& query, const std::string& last_id = "") {
    http::Response answer = Get(query, last_id);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.content_type, "text/event-stream");
    return answer.stream;
  }

  std::string IdBehind(std::size_t changes) {
    Client client(Open("from=earliest"));
    (void)client.Read(changes);
    return client.received().LastId();
  }

  const SystemClock clock_;
  Metrics metrics_;
  fanfold::testing::MemoryLog log_{kPartitions};
  fanfold::testing::MemoryTables tables_;
  PositionBoard board_{clock_, {kPartitions, 1}};
  http::Router router_;
  std::unique_ptr<ChangeHub> hub_;
};

TEST_F(ChangeHubTest, TellsFromNowOn) {
  Follow(1, 2);
  Client client(Open(""));
  client.Greet();
  Follow(1, 3);
  Follow(1, 4);
  const auto changes = client.Read(2);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_NE(changes[0].find(R"("object":"3")"), std::string::npos);
}

TEST_F(ChangeHubTest, TellsTheLogThenWhatComes) {
  for (std::uint64_t user = 1; user <= 1'000; ++user) Follow(user, 5'000);
  log_.Put(topics::kUserEvents, kPlacement.PartitionOf(UserId(7)), "7",
           EncodeProfileEvent({"e", UserId(7), 5, UserDeleted()}));
  Client client(Open("from=earliest"));
  EXPECT_EQ(client.Read(1'001).size(), 1'001U);
  Follow(1, 2);
  EXPECT_EQ(client.Read(1'002).size(), 1'002U);
  // Another has waited all the while.
  Client of_one(Open("from=earliest&user=7"));
  EXPECT_EQ(of_one.Read(2).size(), 2U);
}

TEST_F(ChangeHubTest, GoesOnWhereItWasCut) {
  for (std::uint64_t user = 1; user <= 300; ++user) Follow(user, 5'000);
  std::vector<std::string> had;
  std::string id;
  for (int round = 0; round < 4; ++round) {
    Client client(Open(id.empty() ? "from=earliest" : "", id));
    (void)client.Read(50);
    // What came in one part is taken in part.
    std::size_t taken = 0;
    for (const auto& event : EventsIn(client.received().text())) {
      if (taken == 50) break;
      if (!event.id.empty()) id = event.id;
      if (event.type.empty()) continue;
      had.push_back(event.data);
      ++taken;
    }
  }
  Client rest(Open("from=3:1", id));  // the id beats it
  for (const auto& event : rest.Read(100)) had.push_back(event.substr(event.find('{')));
  EXPECT_EQ(had.size(), 300U);
  const std::set<std::string> once(had.begin(), had.end());
  EXPECT_EQ(once.size(), had.size());
}

TEST_F(ChangeHubTest, CopiesAreToldOnce) {
  Follow(1, 2);
  Follow(1, 3);
  Tell(Offset(0), 1, 2);
  Tell(Offset(1), 1, 3);
  Follow(1, 4);
  Client client(Open("from=earliest"));
  EXPECT_EQ(client.Read(3).size(), 3U);
  const std::string at = std::to_string(kPlacement.PartitionOf(UserId(1)).value);
  Client behind(Open("from=" + at + ":1"));
  EXPECT_EQ(behind.Read(1).size(), 1U);
}

// A log of which some was lost, or that was put in the place of the one before.
TEST_F(ChangeHubTest, AnotherLogIsTold) {
  const Partition partition = kPlacement.PartitionOf(UserId(1));
  for (std::uint64_t object = 2; object < 12; ++object) Follow(1, object);
  const std::string id = IdBehind(10);
  Restart();
  EXPECT_EQ(Get("", id).status, 200) << "the same";
  for (const std::size_t events : {3U, 10U, 20U}) {
    for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
      log_.Records(topic, partition).clear();
    }
    for (std::uint64_t object = 50; object < 50 + events; ++object) Follow(1, object);
    Restart();
    const http::Response refused = Get("", id);
    EXPECT_EQ(refused.status, 410) << events;
    EXPECT_NE(refused.body.find(R"("code":"log_changed")"), std::string::npos);
    EXPECT_NE(refused.body.find(R"("from":"earliest")"), std::string::npos);
  }
  Client told(Get("", id, nullptr, "text/event-stream").stream);
  EXPECT_EQ(told.Read(2), std::vector<std::string>{R"(log_changed:{"from":"earliest"})"});
  EXPECT_TRUE(told.received().ended());
  Client again(Open("", told.received().LastId()));
  EXPECT_EQ(again.Read(20).size(), 20U) << "whoever comes back with its id reads all";
}

TEST_F(ChangeHubTest, AFromBeyondTheEndIsOfAnotherLog) {
  Follow(1, 2);
  const std::string at = std::to_string(kPlacement.PartitionOf(UserId(1)).value);
  EXPECT_EQ(Get("from=" + at + ":1").status, 410);
  log_.Put(topics::kRelationEvents, kPlacement.PartitionOf(UserId(1)), "1", "to be decided");
  EXPECT_EQ(Get("from=" + at + ":1").status, 200) << "what is not decided yet is waited for";
}

TEST_F(ChangeHubTest, WhatRetentionHasTakenIsNotWaitedFor) {
  const Partition partition = kPlacement.PartitionOf(UserId(1));
  for (std::uint64_t object = 2; object < 12; ++object) Follow(1, object);
  for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
    log_.Cut(topic, partition, Offset(4));
  }
  Restart();
  Client client(Open("from=earliest"));
  EXPECT_EQ(client.Read(6).size(), 6U) << "the first is the first that is held";
  EXPECT_EQ(Get(fmt::format("from={}:2", partition.value)).status, 410);
  EXPECT_EQ(Get(fmt::format("from={}:3", partition.value)).status, 200);
}

// They carry no proof.
TEST_F(ChangeHubTest, IdsOfReleasesBeforeAreTaken) {
  for (std::uint64_t object = 2; object < 12; ++object) Follow(1, object);
  std::string id = "1-0-0-0-0-0-0";
  id[kPlacement.PartitionOf(UserId(1)) == Partition(0) ? 2 : 4] = '4';
  Client client(Open("", id));
  EXPECT_EQ(client.Read(6).size(), 6U);
  EXPECT_TRUE(client.received().LastId().starts_with("c2-")) << "and do from then on";
}

TEST_F(ChangeHubTest, WhoBringsAPlaceWaitsForNoLogThatIsAway) {
  Follow(1, 2);
  const std::string id = IdBehind(1);
  Restart();
  log_.BeAway(true);
  EXPECT_EQ(Get("", id).status, 503);
  EXPECT_EQ(Get("from=earliest").status, 503);
  Client client(Get("", id, nullptr, "text/event-stream").stream);
  EXPECT_TRUE(client.Ends()) << "an EventSource comes back after a 200 alone";
  EXPECT_EQ(client.received().Changes(), std::vector<std::string>());
}

TEST_F(ChangeHubTest, WordsOfTheLogAreForNobodyElse) {
  Follow(1, 2);
  const std::string id = IdBehind(1);
  Restart();
  log_.BeAway(true);
  const std::string body = Get("", id).body;
  EXPECT_TRUE(body.contains("the log cannot be read; the process logs why")) << body;
  ::testing::internal::CaptureStderr();
  const Error told = ToldOfLog({ErrorCode::kOutOfRange, "Broker: gone"}, clock_);
  EXPECT_TRUE(::testing::internal::GetCapturedStderr().contains("Broker: gone"));
  EXPECT_EQ(told.message, OtherEvents().message);
}

TEST_F(ChangeHubTest, SaysWhoFollowsBack) {
  tables_.edges[{projections::kFollowing, Generation(1), EdgeKey{UserId(2), UserId(1)}}] = {
      true, 1, Version(1)};
  Client client(Open("from=earliest"));
  client.Greet();
  (void)client.Read(0);
  Follow(3, 2);
  Follow(1, 2);
  const auto changes = client.Read(2);
  ASSERT_EQ(changes.size(), 2U);
  const auto is_hinted = [](const std::string& change) {
    return change.find(R"("became_friends":true)") != std::string::npos;
  };
  for (const auto& change : changes) {
    EXPECT_EQ(is_hinted(change), change.find(R"("subject":"1")") != std::string::npos) << change;
  }
}

TEST_F(ChangeHubTest, AGapEndsThemAndTheyComeAgain) {
  Client client(Open(""));
  client.Greet();
  Follow(1, 2);
  EXPECT_EQ(client.Read(1).size(), 1U);
  Tell(Offset(7), 1, 9);
  EXPECT_TRUE(client.Ends());
}

TEST_F(ChangeHubTest, WaitsForALogThatIsAway) {
  log_.BeAway(true);
  Client client(Open(""));
  EXPECT_EQ(client.received().parts(), 0);
  log_.BeAway(false);
  client.Greet();
  Follow(1, 2);
  EXPECT_EQ(client.Read(1).size(), 1U);
}

TEST_F(ChangeHubTest, WhoGoesWhileTheLogIsAwayTakesNoPlace) {
  log_.BeAway(true);
  for (std::size_t i = 0; i <= ChangeBoard::kListenersMax; ++i) Client client(Open(""));
  log_.BeAway(false);
  Client client(Open(""));
  client.Greet();
  Follow(1, 2);
  EXPECT_EQ(client.Read(1).size(), 1U);
}

TEST_F(ChangeHubTest, AllEndWithTheProcess) {
  Client waits(Open(""));
  waits.Greet();
  Client unread(Open("from=earliest"));
  hub_->Retire();
  EXPECT_TRUE(waits.Ends());
  EXPECT_TRUE(unread.Ends());
  EXPECT_EQ(Get("").status, 503);
}

TEST_F(ChangeHubTest, SoManyReadTheLog) {
  Follow(1, 2);
  Client first(Open(""));
  first.Greet();
  std::vector<http::BodySource> unread;
  for (std::size_t i = 0; i < ChangeHub::kCatchUpsMax; ++i) {
    unread.push_back(Open("from=earliest"));
  }
  EXPECT_EQ(Get("from=earliest").status, 503);
  EXPECT_EQ(Get("from=earliest", "", nullptr, "text/event-stream").status, 200)
      << "an EventSource is told to come again";
  EXPECT_EQ(Get("").status, 200) << "who begins now reads no log";
  unread.pop_back();
  EXPECT_TRUE(WaitUntil([&] { return Get("from=earliest").status == 200; }));
}

TEST_F(ChangeHubTest, OfOneTokenFewerReadTheLog) {
  Follow(1, 2);
  Client first(Open(""));
  first.Greet();
  const auto who = [](const char* name) {
    return std::make_shared<const Principal>(Principal{.name = name, .scopes = Scopes::All()});
  };
  std::vector<http::BodySource> unread;
  for (std::size_t i = 0; i < ChangeHub::kCatchUpsOfOneMax; ++i) {
    unread.push_back(Get("from=earliest", "", who("one")).stream);
  }
  EXPECT_EQ(Get("from=earliest", "", who("one")).status, 503);
  EXPECT_EQ(Get("from=earliest", "", who("other")).status, 200);
}

// What it tells would be somebody else's.
TEST_F(ChangeHubTest, AnotherLogThanTheTablesIsNotTold) {
  LaneStatus decider;
  decider.lane = {projections::kFollowing, Generation(1), kPlacement.PartitionOf(UserId(1))};
  decider.deciding = true;
  decider.progress = {Offset(1), Offset(1), Offset(1), Offset(1), {Offset(0), 77}, {Offset(0), 77}};
  board_.SetLanes(Shard(0), {decider});
  Follow(1, 2);
  EXPECT_EQ(Get("from=earliest").status, 503);
  Client client(Open(""));
  EXPECT_TRUE(client.Ends());
  EXPECT_EQ(client.received().Changes(), std::vector<std::string>());
}

// Whoever could not look does not know what became of it meanwhile.
TEST_F(ChangeHubTest, ALogThatWasAwayIsProvedBeforeItIsTold) {
  Follow(1, 2);
  const Partition partition = kPlacement.PartitionOf(UserId(1));
  const MemoryRecord first = log_.Records(topics::kRelationOutcomes, partition).front();
  LaneStatus fans;
  fans.lane = {projections::kFans, Generation(1), partition};
  fans.progress.next_offset = Offset(1);
  fans.progress.applied_mark = {Offset(0), DigestOf(*first.key, *first.value)};
  board_.SetLanes(Shard(0), {fans});
  Client client(Open(""));
  client.Greet();
  Follow(1, 3);
  EXPECT_EQ(client.Read(1).size(), 1U);
  log_.BeAway(true);
  const int before = log_.polls_in_vain();
  ASSERT_TRUE(WaitUntil([&] { return log_.polls_in_vain() > before + 10; }));
  for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
    log_.Records(topic, partition).clear();
  }
  for (std::uint64_t object = 50; object < 55; ++object) Follow(1, object);
  log_.BeAway(false);
  EXPECT_TRUE(client.Ends());
  EXPECT_EQ(client.received().Changes().size(), 1U);
}

TEST_F(ChangeHubTest, AJudgementEndsWithTheProcess) {
  Follow(1, 2);
  const std::string id = IdBehind(1);
  Follow(1, 3);
  Restart();
  Client(Open("")).Greet();
  log_.BeSilent(std::numeric_limits<int>::max());
  const int before = log_.readers_opened();
  std::future<http::Response> judged = std::async(std::launch::async, [&] { return Get("", id); });
  ASSERT_TRUE(WaitUntil([&] { return log_.readers_opened() > before; }));
  hub_.reset();
  EXPECT_EQ(judged.get().status, 503);
}

struct RefusalCase {
  std::string name;
  std::string query;
  std::string last_id;
  int status;
  std::string code;
};
void PrintTo(const RefusalCase& refusal, std::ostream* out) { *out << refusal.name; }

class Refusals : public ChangeHubTest, public ::testing::WithParamInterface<RefusalCase> {};

TEST_P(Refusals, AreToldPlainly) {
  const http::Response answer = Get(GetParam().query, GetParam().last_id);
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_NE(answer.body.find("\"" + GetParam().code + "\""), std::string::npos) << answer.body;
  EXPECT_EQ(answer.stream, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    All, Refusals,
    ::testing::Values(RefusalCase{"User", "user=0", "", 400, "invalid_argument"},
                      RefusalCase{"Type", "types=followed,liked", "", 400, "invalid_argument"},
                      RefusalCase{"NoType", "types=", "", 400, "invalid_argument"},
                      RefusalCase{"From", "from=now", "", 400, "invalid_argument"},
                      RefusalCase{"Partition", "from=2:0", "", 400, "invalid_argument"},
                      RefusalCase{"Offset", "from=0:9223372036854775807", "", 400,
                                  "invalid_argument"},
                      RefusalCase{"Unknown", "limit=3", "", 400, "unknown_parameter"},
                      RefusalCase{"Id", "", "1-2", 400, "invalid_cursor"},
                      RefusalCase{"IdAsFrom", "from=1-0-0-0-0-0-0", "", 400,
                                  "from takes positions: an id belongs into the header "
                                  "Last-Event-ID"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(ChangeHubTest, AUsersTokenFollowsHimAlone) {
  const auto who = std::make_shared<const Principal>(
      Principal{.name = "u", .scopes = Scopes::All(), .user = UserId(7)});
  EXPECT_EQ(Get("", "", who).status, 403);
  EXPECT_EQ(Get("user=7", "", who).status, 200);
}

}  // namespace
}  // namespace fanfold::reader
