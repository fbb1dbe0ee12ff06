#include "writer/routes.h"

#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "common/http/openapi.h"
#include "tests/support/openapi_routes.h"
#include "tests/support/service_routes.h"
#include "tests/unit/writer/fakes.h"
#include "writer/feed/shown_routes.h"
#include "writer/metered_appender.h"
#include "writer/posts/post_routes.h"
#include "writer/profiles/profile_routes.h"

namespace fanfold::writer {
namespace {

using http::Method;
using Json = nlohmann::json;

std::optional<std::string> HeaderOf(const http::Response& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

class RoutesTest : public ::testing::Test {
 protected:
  RoutesTest() {
    service_.Connect(1, NewMeteredAppender(topics::kRelationEvents,
                                           std::make_unique<FakeAppender>(topic_), metrics_));
    AddWriterRoutes(router_, service_, metrics_);
  }

  void Send(Method method, const std::string& target, const std::string& body = "") {
    const std::size_t mark = std::min(target.find('?'), target.size());
    http::Request request;
    request.method = method;
    request.path = std::string_view(target).substr(0, mark);
    request.query = std::string_view(target).substr(std::min(mark + 1, target.size()));
    request.body = body;
    request.headers = &headers_;
    router_(request, http::Reply([this](http::Response response) {
              responses_.push_back(std::move(response));
            }));
  }

  http::Response Ask(Method method, const std::string& target, const std::string& body = "") {
    Send(method, target, body);
    if (responses_.empty()) {
      ADD_FAILURE() << "no answer to " << target;
      return {};
    }
    return responses_.back();
  }

  void Decide(OutcomeKind kind, std::optional<RejectReason> reason = std::nullopt) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.rejected = reason;
    outcome.event_id = topic_.records.back().event.event_id;
    outcome.position = {Partition(0), Offset(42)};
    waiters_.Deliver(outcome);
  }

  http::Headers headers_;
  FakeClock clock_;
  FakeTopic topic_;
  Metrics metrics_;
  OutcomeWaiters waiters_{clock_, 10};
  std::vector<http::Response> responses_;
  CommandService service_{waiters_, clock_, 1};
  http::Router router_;
};

TEST_F(RoutesTest, PutLogsAFollow) {
  const http::Response response = Ask(Method::kPut, "/v1/users/1/following/2");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"event_id":"00000000000000010000000000000000","position":"0:0"})");
  EXPECT_EQ(HeaderOf(response, "Fanfold-Position"), "0:0");
  EXPECT_EQ(topic_.records.at(0).event.type, EventType::kFollow);
}

TEST_F(RoutesTest, DeleteLogsAnUnfollow) {
  EXPECT_EQ(Ask(Method::kDelete, "/v1/users/1/following/2").status, 202);
  const Event& event = topic_.records.at(0).event;
  EXPECT_EQ(event.type, EventType::kUnfollow);
  EXPECT_EQ(event.subject, UserId(1));
  EXPECT_EQ(event.by, AskedBy::kSubject);
}

TEST_F(RoutesTest, DeleteOfAFanLogsAnUnfollowByTheObject) {
  EXPECT_EQ(Ask(Method::kDelete, "/v1/users/1/fans/2").status, 202);
  const Event& event = topic_.records.at(0).event;
  EXPECT_EQ(event.type, EventType::kUnfollow);
  EXPECT_EQ(event.subject, UserId(2));
  EXPECT_EQ(event.object, UserId(1));
  EXPECT_EQ(event.by, AskedBy::kObject);
}

TEST_F(RoutesTest, ABodyOfPutIsIgnored) {
  EXPECT_EQ(Ask(Method::kPut, "/v1/users/1/following/2", "{}").status, 202);
}

struct RefusedCase {
  std::string name;
  Method method;
  std::string target;
  std::string body;
  int status;
  std::string code;
};
void PrintTo(const RefusedCase& refused, std::ostream* out) { *out << refused.name; }

class RoutesRefuse : public RoutesTest, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(RoutesRefuse, WithAProblemAndNoEvent) {
  const RefusedCase& refused = GetParam();
  const http::Response response = Ask(refused.method, refused.target, refused.body);
  EXPECT_EQ(response.status, refused.status);
  EXPECT_EQ(response.content_type, "application/problem+json");
  const Json problem = Json::parse(response.body);
  EXPECT_EQ(problem.at("code"), refused.code);
  EXPECT_EQ(problem.at("status"), refused.status);
  EXPECT_TRUE(topic_.records.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Table, RoutesRefuse,
    ::testing::Values(
        RefusedCase{"NotAnId", Method::kPut, "/v1/users/0/following/2", "", 400,
                    "invalid_argument"},
        RefusedCase{"SelfFollow", Method::kPut, "/v1/users/2/following/2", "", 422, "self_follow"},
        RefusedCase{"SelfUnfollow", Method::kDelete, "/v1/users/2/following/2", "", 422,
                    "self_follow"},
        RefusedCase{"OwnFan", Method::kDelete, "/v1/users/2/fans/2", "", 422, "self_follow"},
        RefusedCase{"UnknownParameter", Method::kPut, "/v1/users/1/following/2?at=5", "", 400,
                    "unknown_parameter"},
        RefusedCase{"WaitForSomethingElse", Method::kPut, "/v1/users/1/following/2?wait=applied",
                    "", 400, "invalid_argument"},
        RefusedCase{"TimeoutWithoutWait", Method::kPut, "/v1/users/1/following/2?timeout_ms=5", "",
                    400, "invalid_argument"},
        RefusedCase{"TimeoutTooLong", Method::kDelete,
                    "/v1/users/1/fans/2?wait=decided&timeout_ms=10001", "", 400,
                    "invalid_argument"},
        RefusedCase{"OtherMethod", Method::kPost, "/v1/users/1/following/2", "", 405,
                    "method_not_allowed"},
        RefusedCase{"OtherPath", Method::kPut, "/v1/users/1/following", "", 404, "not_found"},
        RefusedCase{"BatchNotJson", Method::kPost, "/v1/events", "follow", 400, "invalid_argument"},
        RefusedCase{"BatchWaits", Method::kPost, "/v1/events?wait=decided",
                    R"({"events":[{"type":"follow","subject":1,"object":2}]})", 400,
                    "unknown_parameter"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(RoutesTest, ALogThatIsAwayIs503WithRetryAfter) {
  topic_.on_append = [](const Event&) { return Error{ErrorCode::kUnavailable, "away"}; };
  const http::Response put = Ask(Method::kPut, "/v1/users/1/following/2");
  EXPECT_EQ(put.status, 503);
  EXPECT_EQ(Json::parse(put.body).at("code"), "log_unavailable");
  EXPECT_TRUE(HeaderOf(put, "Retry-After").has_value());
  const http::Response batch =
      Ask(Method::kPost, "/v1/events",
          R"({"events":[{"type":"follow","subject":1,"object":2},{"type":"x"}]})");
  EXPECT_EQ(batch.status, 503);
  EXPECT_EQ(Json::parse(batch.body).at("code"), "log_unavailable");
}

TEST_F(RoutesTest, AFullQueueIs503Overloaded) {
  topic_.on_append = [](const Event&) { return Error{ErrorCode::kOverloaded, "full"}; };
  const http::Response response = Ask(Method::kPut, "/v1/users/1/following/2");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Json::parse(response.body).at("code"), "overloaded");
}

TEST_F(RoutesTest, WaitDecidedAnswersTheOutcome) {
  Send(Method::kPut, "/v1/users/1/following/2?wait=decided");
  EXPECT_TRUE(responses_.empty());
  Decide(OutcomeKind::kFollowed);
  ASSERT_EQ(responses_.size(), 1U);
  EXPECT_EQ(responses_[0].status, 200);
  EXPECT_EQ(HeaderOf(responses_[0], "Fanfold-Position"), "0:42");
  EXPECT_EQ(
      responses_[0].body,
      R"({"event_id":"00000000000000010000000000000000","position":"0:42","outcome":"followed"})");
}

TEST_F(RoutesTest, WaitDecidedAnswersTheRejectionWithItsPosition) {
  Send(Method::kPut, "/v1/users/1/following/2?wait=decided");
  Decide(OutcomeKind::kRejected, RejectReason::kFollowLimit);
  ASSERT_EQ(responses_.size(), 1U);
  EXPECT_EQ(responses_[0].status, 422);
  EXPECT_EQ(HeaderOf(responses_[0], "Fanfold-Position"), "0:42");
  const Json problem = Json::parse(responses_[0].body);
  EXPECT_EQ(problem.at("code"), "follow_limit");
  EXPECT_EQ(problem.at("position"), "0:42");
  EXPECT_EQ(problem.at("event_id"), topic_.records[0].event.event_id);
}

TEST_F(RoutesTest, WaitDecidedAnswers202WhenTheTimeRanOut) {
  Send(Method::kDelete, "/v1/users/1/fans/2?wait=decided&timeout_ms=10");
  clock_.steady_ms += 10;
  waiters_.ExpireDue();
  ASSERT_EQ(responses_.size(), 1U);
  EXPECT_EQ(responses_[0].status, 202);
  EXPECT_EQ(HeaderOf(responses_[0], "Fanfold-Position"), "0:0");
  EXPECT_NE(metrics_.Text().find("fanfold_writer_wait_timeouts_total 1"), std::string::npos);
}

TEST_F(RoutesTest, ABatchOfGoodAndBadAnswersEachInOrder) {
  const http::Response response = Ask(
      Method::kPost, "/v1/events",
      R"({"events":[{"type":"follow","subject":"1","object":"2"},{"type":"like"},)"
      R"({"type":"follow","subject":3,"object":3},{"type":"remove_fan","subject":"1","object":2}]})");
  EXPECT_EQ(response.status, 202);
  const Json results = Json::parse(response.body).at("results");
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].at("position"), "0:0");
  EXPECT_EQ(results[0].at("event_id"), topic_.records.at(0).event.event_id);
  EXPECT_EQ(results[1].at("code"), "invalid_argument");
  EXPECT_FALSE(results[1].at("detail").get<std::string>().empty());
  EXPECT_EQ(results[2].at("code"), "self_follow");
  EXPECT_EQ(results[3].at("position"), "0:1");
  EXPECT_EQ(topic_.records.at(1).event.by, AskedBy::kObject);
}

TEST_F(RoutesTest, ABatchOfNothingButBadOnesIs202) {
  const http::Response response =
      Ask(Method::kPost, "/v1/events", R"({"events":[{"type":"follow","subject":3,"object":3}]})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(Json::parse(response.body).at("results").at(0).at("code"), "self_follow");
}

TEST_F(RoutesTest, EventsAreFoundByWhatTheirRequestWasCalled) {
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  ASSERT_TRUE(headers_.Add("X-Request-Id", "r1"));
  ASSERT_TRUE(headers_.Add("traceparent", parent));
  Ask(Method::kPut, "/v1/users/1/following/2");
  Ask(Method::kDelete, "/v1/users/1/fans/2");
  Ask(Method::kPost, "/v1/events",
      R"({"events":[{"type":"follow","subject":"1","object":"3"},)"
      R"({"type":"unfollow","subject":"1","object":"3"}]})");
  ASSERT_EQ(topic_.records.size(), 4U);
  for (const auto& record : topic_.records) EXPECT_EQ(record.event.trace, Trace("r1", parent));
  headers_.Clear();
  Ask(Method::kPut, "/v1/users/1/following/4");
  EXPECT_TRUE(topic_.records.back().event.trace.empty());
}

TEST_F(RoutesTest, WhatWasAppendedAndRefusedIsCounted) {
  Ask(Method::kPut, "/v1/users/1/following/2");
  Ask(Method::kPut, "/v1/users/1/following/1");
  const std::string text = metrics_.Text();
  EXPECT_NE(text.find("fanfold_writer_events_appended_total{topic=\"relation-events\"} 1"),
            std::string::npos);
  EXPECT_NE(text.find("fanfold_writer_refused_total{code=\"self_follow\"} 1"), std::string::npos);
  for (const char* told : {"log_unavailable", "overloaded"}) {
    const std::string line = std::string("fanfold_writer_refused_total{code=\"") + told + "\"} 0";
    EXPECT_NE(text.find(line), std::string::npos) << "an alert stands on it from the start";
  }
  EXPECT_NE(text.find("fanfold_writer_append_seconds_count 1"), std::string::npos);
  const std::string route = "route=\"PUT /v1/users/{subject}/following/{object}\"";
  const std::string requests = "fanfold_writer_requests_total{";
  EXPECT_NE(text.find(requests + "code=\"202\"," + route + "} 1"), std::string::npos) << text;
  EXPECT_NE(text.find(requests + "code=\"422\"," + route + "} 1"), std::string::npos);
  EXPECT_NE(text.find("fanfold_writer_request_seconds_count{" + route + "} 2"), std::string::npos);
}

TEST_F(RoutesTest, TheSchemaNamesExactlyTheRoutes) {
  AddServiceRoutes(router_, metrics_);
  FakeLog log;
  ProfileService profiles(log, log.partitions, clock_, 1);
  AddProfileRoutes(router_, profiles, metrics_);
  PostWaiters post_waiters(clock_, 1);
  PostService posts(post_waiters, log.partitions, clock_, 1, 2);
  AddPostRoutes(router_, posts, metrics_);
  ShownService shown(log.partitions, clock_, 1, 2);
  AddShownRoutes(router_, shown, metrics_);
  EXPECT_EQ(RoutesIn(http::OpenApi()), router_.Routes());
}

}  // namespace
}  // namespace fanfold::writer
