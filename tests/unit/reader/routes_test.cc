#include "reader/routes.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "common/http/openapi.h"
#include "reader/answers.h"
#include "reader/changes/change_routes.h"
#include "tests/support/memory_log.h"
#include "tests/support/openapi_routes.h"
#include "tests/support/service_routes.h"
#include "tests/unit/http/raw_client.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using testing::FakeClock;
using testing::FakeTables;

// The whole reader but for sockets, database and log.
class ReaderRoutesTest : public ::testing::Test {
 protected:
  ReaderRoutesTest() {
    AddReaderRoutes(router_, executor_, metrics_, tenants_);
    AddChangeRoutes(router_, changes_, metrics_);
    tables_.SetAllLanes(5);
    tables_.edges = {{UserId(10), UserId(30), 7}, {UserId(30), UserId(10), 9}};
    board_.SetDeployment(Deployment{Placement::Modulo({4, 2}), {}});
    Look();
    for (std::int32_t p = 0; p < 4; ++p)
      board_.ObserveEnd(streams::kRelations, Partition(p), Offset(5));
    board_.EndsRoundOver(streams::kRelations, true);
  }

  void Look() {
    for (std::int32_t s = 0; s < 2; ++s) board_.SetLanes(Shard(s), tables_.LanesOf(Shard(s)));
  }

  std::future<http::Response> Start(const std::string& path, const std::string& query = "",
                                    http::Method method = http::Method::kGet,
                                    const std::string& body = "") {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.body = body;
    auto answer = std::make_shared<std::promise<http::Response>>();
    router_(request, http::Reply([answer](http::Response response) {
              answer->set_value(std::move(response));
            }));
    return answer->get_future();
  }
  http::Response Get(const std::string& path, const std::string& query = "") {
    return Start(path, query).get();
  }

  static std::string LagOf(const http::Response& response) {
    for (const auto& [name, value] : response.headers) {
      if (name == "Fanfold-Lag-Ms") return value;
    }
    return "none";
  }

  FakeClock clock_;
  FakeTables tables_;
  Metrics metrics_;
  const std::vector<std::unique_ptr<Tenant>> tenants_ = NewTenants({2, 1 << 20}, live_, metrics_);
  http::Router router_;
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};  // follows nothing: the tables answer
  PositionGate gate_{board_, FollowsRelations(live_)};
  ReadExecutor executor_{board_, live_, gate_, waits_, pool_, clock_, metrics_};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{testing::FactoryOf(tables_), 2, metrics_.GetGauge("fanfold_reader_queue", "")};
  fanfold::testing::MemoryLog log_{4};
  ChangeHub changes_{log_, board_, testing::FactoryOf(tables_), clock_, metrics_};
};

TEST_F(ReaderRoutesTest, AnswersEachRoute) {
  EXPECT_EQ(Get("/v1/users/10/following", "viewer=30").body,
            R"({"items":[{"user_id":"30","since":7,"relation":"self"}],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/10/fans").body,
            R"({"items":[{"user_id":"30","since":9}],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/10/friends", "offset=0").body,
            R"({"items":[{"user_id":"30","since":9}],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/10/following/common", "with=10").body,
            R"({"items":[{"user_id":"30","since":7}],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/10/fans/known", "viewer=10").body,
            R"({"items":[{"user_id":"30","since":9,"relation":"friend"}],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/10/fans/export").body, "{\"user_id\":\"30\",\"since\":9}\n");
  const std::string counts = R"({"user_id":"10","following":1,"fans":1,"friends":1})";
  EXPECT_EQ(Get("/v1/users/10/counts").body, counts);
  EXPECT_EQ(Get("/v1/counts", "ids=10,10").body, R"({"items":[)" + counts + "," + counts + "]}");
  const std::string relations = R"({"user_id":"10","items":[{"user_id":"30","relation":"friend"},)"
                                R"({"user_id":"10","relation":"self"}]})";
  EXPECT_EQ(Get("/v1/users/10/relations", "to=30,10").body, relations);
  EXPECT_EQ(
      Start("/v1/users/10/relations", "", http::Method::kPost, R"({"to":[30,"10"]})").get().body,
      relations);
  EXPECT_EQ(Get("/v1/users/30/suggestions").body, R"({"items":[]})");
  tables_.edges.push_back({UserId(30), UserId(7), 11});
  EXPECT_EQ(Get("/v1/users/10/suggestions", "limit=1").body,
            R"({"items":[{"user_id":"7","score":1,"via":["30"]}]})");
  const Json projections = Json::parse(Get("/v1/projections").body);
  EXPECT_EQ(projections.at("projections").at(1).at("positions"), "0:4,1:4,2:4,3:4");
  EXPECT_EQ(projections.at("projections").at(1).at("lag_events"), 0);
}

TEST_F(ReaderRoutesTest, TellsTheRelationToOne) {
  EXPECT_EQ(Get("/v1/users/10/following/30").body, R"({"user_id":"30","relation":"friend"})");
  EXPECT_EQ(Get("/v1/users/10/following/7").body, R"({"user_id":"7","relation":"none"})");
  EXPECT_EQ(Get("/v1/users/10/following/10").body, R"({"user_id":"10","relation":"self"})");
  EXPECT_EQ(Get("/v1/users/10/following/0").status, 400);
  EXPECT_EQ(Get("/v1/users/10/following/common", "with=10").status, 200) << "is no id";
}

TEST_F(ReaderRoutesTest, WordsAreTheSameEverywhere) {
  const auto detail = [this](const std::string& path, const std::string& query = "") {
    return Json::parse(Get(path, query).body).at("detail").get<std::string>();
  };
  EXPECT_EQ(detail("/v1/users/10/relations"), "to is missing");
  EXPECT_EQ(detail("/v1/counts"), "ids is missing");
  EXPECT_EQ(detail("/v1/users/10/following/common"), "with is missing");
  EXPECT_EQ(detail("/v1/users/10/fans/known"), "viewer is missing");
  const std::string grammar = " is no id: an id is a decimal number from 1 to 2^63−1";
  EXPECT_EQ(detail("/v1/users/10/relations", "to="), "to" + grammar);
  EXPECT_EQ(detail("/v1/users/x/fans"), "the user in the path" + grammar);
  EXPECT_EQ(detail("/v1/users/10/following/x"), "the other user in the path" + grammar);
  EXPECT_EQ(detail("/v1/users/1/posts/x"), "the post in the path" + grammar);
  EXPECT_EQ(detail("/v1/changes", "user=x"), "user" + grammar);
  EXPECT_EQ(detail("/v1/users/10/fans", "colour=red"), "unknown parameter \"colour\"");
  EXPECT_TRUE(detail("/v1/users/10/followers").contains("/v1/users/{id}/fans"));
}

TEST_F(ReaderRoutesTest, RefusesPlainly) {
  EXPECT_EQ(Get("/v1/users/10/nothing").status, 404);
  EXPECT_EQ(Get("/v1/users/0/fans").status, 400);
  EXPECT_EQ(Get("/v1/users/10/fans", "offset=1").status, 400);
  EXPECT_EQ(Start("/v1/users/10/fans", "", http::Method::kPost).get().status, 405);
  EXPECT_EQ(Get("/v1/users/10/counts", "min_position=4:0").status, 400) << "there are 4 partitions";
}

TEST_F(ReaderRoutesTest, TellsTheLagOfWhatWasRead) {
  EXPECT_EQ(LagOf(Get("/v1/users/10/counts")), "0");
  const Partition own = tables_.placement.PartitionOf(UserId(10));
  board_.ObserveEnd(streams::kRelations, own, Offset(6));
  clock_.Advance(70);
  EXPECT_EQ(LagOf(Get("/v1/users/10/following")), "70");
  const Partition other((own.value + 1) % 4);
  board_.ObserveEnd(streams::kRelations, other, Offset(6));
  tables_.SetLane(projections::kFollowing, own, tables_.placement.ShardOf(own), 6);
  clock_.Advance(70);
  EXPECT_EQ(LagOf(Get("/v1/users/10/following")), "0") << "the lanes are looked at again";
  EXPECT_EQ(LagOf(Get("/v1/users/10/fans")), "140");
}

TEST_F(ReaderRoutesTest, WaitsForThePosition) {
  const std::string at = std::to_string(tables_.placement.PartitionOf(UserId(10)).value) + ":5";
  std::future<http::Response> answer = Start("/v1/users/10/following", "min_position=" + at);
  waits_.Recheck();
  EXPECT_EQ(waits_.size(), 1U);
  tables_.SetAllLanes(6);
  Look();
  waits_.Recheck();
  EXPECT_EQ(answer.get().status, 200);
}

TEST_F(ReaderRoutesTest, AReachedPositionIsNotWaitedFor) {
  EXPECT_EQ(Get("/v1/users/10/following", "min_position=0:4,1:4,2:4,3:4&timeout_ms=0").status, 200);
}

TEST_F(ReaderRoutesTest, RefusesAPositionNotReachedInTime) {
  std::future<http::Response> answer =
      Start("/v1/users/10/following", "min_position=1:5&timeout_ms=300");
  clock_.Advance(300);
  waits_.Recheck();
  const http::Response response = answer.get();
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(LagOf(response), "0");
  const Json problem = Json::parse(response.body);
  EXPECT_EQ(problem.at("code"), "position_not_reached");
  EXPECT_NE(problem.at("detail").get<std::string>().find("lag 0 events"), std::string::npos);
}

TEST_F(ReaderRoutesTest, AWaitEndsWithItsConnection) {
  const auto server = http::Serve(router_);
  auto client = std::make_optional<http::RawClient>(server->port());
  client->Send(http::Get("/v1/users/10/counts?min_position=1:5"));
  while (waits_.size() == 0) std::this_thread::yield();  // bounded by the test's time
  client.reset();
  while (waits_.size() != 0) waits_.Recheck();
}

// The outcomes were read past the position, but those of another generation's lists: what is
// answered comes from tables that are behind.
TEST_F(ReaderRoutesTest, APositionThatTheReaderPassedIsWaitedForInTablesThatDoNotFollowIt) {
  live_.SetRead({Generation(2), Generation(2)});
  live_.Start(tables_.placement, std::vector<Offset>(4, Offset(6)));
  std::future<http::Response> answer =
      Start("/v1/users/10/counts", "min_position=0:5&timeout_ms=300");
  while (waits_.size() == 0 && answer.wait_for(1ms) != std::future_status::ready) continue;
  clock_.Advance(300);
  waits_.Recheck();
  EXPECT_EQ(answer.get().status, 409);
}

TEST_F(ReaderRoutesTest, TheTimeRunsOnceThroughBothWaits) {
  live_.SetRead({Generation(2), Generation(2)});
  live_.Start(tables_.placement, std::vector<Offset>(4, Offset(5)));
  std::future<http::Response> answer =
      Start("/v1/users/10/counts", "min_position=0:5&timeout_ms=300");
  ASSERT_EQ(waits_.size(), 1U) << "for the reader";
  clock_.Advance(200);
  live_.Start(tables_.placement, std::vector<Offset>(4, Offset(6)));
  waits_.Recheck();
  while (waits_.size() == 0 && answer.wait_for(1ms) != std::future_status::ready) continue;
  ASSERT_EQ(waits_.size(), 1U) << "for the tables";
  clock_.Advance(100);
  waits_.Recheck();
  ASSERT_EQ(answer.wait_for(0ms), std::future_status::ready);
  EXPECT_EQ(answer.get().status, 409);
}

// What a route needs beside the user in its path.
std::string RequiredQuery(const std::string& route) {
  if (route.ends_with("/common")) return "with=30&";
  if (route.ends_with("/known")) return "viewer=30&";
  if (route.ends_with("/relations")) return "to=30&";
  return route.ends_with("v1/counts") || route.ends_with("v1/users") ? "ids=30&" : "";
}

TEST_F(ReaderRoutesTest, EveryReadWaitsForAPositionAndTellsItsLag) {
  for (const std::string& route : router_.Routes()) {
    SCOPED_TRACE(route);
    if (route == "GET /v1/changes") continue;  // which is the log's
    const bool is_get = route.starts_with("GET ");
    std::string path = route.substr(route.find('/'));
    for (const std::string_view name : {"{id}", "{subject}", "{object}", "{author}", "{post_id}"}) {
      if (const auto at = path.find(name); at != std::string::npos) {
        path.replace(at, name.size(), "10");
      }
    }
    const auto ask = [&](const std::string& position) {
      return is_get ? Start(path, RequiredQuery(route) + position)
                    : Start(path, position, http::Method::kPost, R"({"to":[30]})");
    };
    const http::Response reached = ask("min_position=1:4&timeout_ms=0").get();
    EXPECT_EQ(reached.status, 200);
    EXPECT_EQ(LagOf(reached), "0");
    std::future<http::Response> late = ask("min_position=1:5&timeout_ms=0");
    waits_.Recheck();
    const http::Response refused = late.get();
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(LagOf(refused), "0");
  }
}

TEST_F(ReaderRoutesTest, ShardAwayIs503AndNoWorkersBusiness) {
  tables_.away = true;
  EXPECT_EQ(Get("/v1/users/10/fans").status, 503);
  board_.SetShardFailed(tables_.placement.ShardOf(UserId(10)), {ErrorCode::kUnavailable, "gone"});
  tables_.away = false;
  const http::Response response = Get("/v1/users/10/fans");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Json::parse(response.body).at("code"), "store_unavailable");
}

TEST_F(ReaderRoutesTest, WordsOfADatabaseAreTheLogsAlone) {
  const std::string words = "can't connect through socket '/srv/mariadb.sock'";
  board_.SetShardFailed(tables_.placement.ShardOf(UserId(10)), {ErrorCode::kUnavailable, words});
  ::testing::internal::CaptureStderr();
  const http::Response response = Get("/v1/users/10/fans");
  EXPECT_TRUE(::testing::internal::GetCapturedStderr().contains(words));
  EXPECT_EQ(Json::parse(response.body).at("detail"), "the read failed; the process logs why");
}

TEST_F(ReaderRoutesTest, ExportGoesOutWholeThroughASocket) {
  std::string expected;
  for (std::size_t i = 2 * kExportPageMax + 1; i >= 1; --i) {
    tables_.edges.push_back({UserId(100 + i), UserId(20), static_cast<std::int64_t>(i)});
    expected += ToNdjson(std::vector<ListedUser>({{UserId(100 + i), static_cast<int>(i)}}));
  }
  const auto server = http::Serve(router_);
  http::RawClient client(server->port());
  client.Send("HEAD /v1/users/20/fans/export HTTP/1.1\r\n\r\n" +
              http::Get("/v1/users/20/fans/export") + http::Get("/v1/users/10/counts"));
  for (const bool is_head : {true, false}) {
    const http::Answer head = client.Read(true).value_or(http::Answer());
    EXPECT_TRUE(head.Has("\r\nContent-Type: application/x-ndjson")) << is_head;
    EXPECT_TRUE(head.Has("\r\nFanfold-Lag-Ms: 0"));
  }
  std::string lines;
  for (auto chunk = client.ReadChunk(); !chunk.value_or("").empty(); chunk = client.ReadChunk()) {
    lines += chunk.value_or("");
  }
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(client.Read().value_or(http::Answer()).status, 200);
}

TEST_F(ReaderRoutesTest, ExportIsRefusedAsAnyRead) {
  const std::string path = "/v1/users/10/fans/export";
  EXPECT_EQ(Get(path, "limit=5").status, 400);
  std::future<http::Response> late = Start(path, "min_position=1:5&timeout_ms=300");
  clock_.Advance(300);
  waits_.Recheck();
  EXPECT_EQ(late.get().status, 409);
  tables_.away = true;
  EXPECT_EQ(Get(path).status, 503);
}

TEST_F(ReaderRoutesTest, CountsRequests) {
  EXPECT_EQ(Get("/v1/users/10/fans").status, 200);
  const std::string text = metrics_.Text();
  EXPECT_NE(text.find("fanfold_reader_requests_total{code=\"200\","
                      "route=\"GET /v1/users/{id}/fans\"} 1"),
            std::string::npos)
      << text;
}

TEST_F(ReaderRoutesTest, TheSchemaNamesExactlyTheRoutes) {
  AddServiceRoutes(router_, metrics_);
  EXPECT_EQ(RoutesIn(http::OpenApi()), router_.Routes());
}

}  // namespace
}  // namespace fanfold::reader
