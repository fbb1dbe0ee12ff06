// From a request to the log, through the routes.
#include "writer/profiles/profile_routes.h"

#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/memory_log.h"
#include "tests/unit/writer/fakes.h"
#include "writer/metered_appender.h"

namespace fanfold::writer {
namespace {

using http::Method;
using Json = nlohmann::json;
using testing::MemoryLog;

class ProfileRoutesTest : public ::testing::Test {
 protected:
  ProfileRoutesTest() { AddProfileRoutes(router_, service_, metrics_); }

  void Connect() {
    auto appender = log_.NewAppender(topics::kUserEvents, {});
    service_.Connect(NewMeteredAppender(topics::kUserEvents, *std::move(appender), metrics_));
  }

  http::Response Ask(Method method, const std::string& target, const std::string& body = "") {
    const std::size_t mark = std::min(target.find('?'), target.size());
    http::Request request;
    request.method = method;
    request.path = std::string_view(target).substr(0, mark);
    request.query = std::string_view(target).substr(std::min(mark + 1, target.size()));
    request.body = body;
    request.principal = principal_;
    struct Answered {
      std::mutex mutex;
      std::optional<http::Response> response;
    };
    const auto answered = std::make_shared<Answered>();
    router_(request, http::Reply([answered](http::Response response) {
              const std::lock_guard lock(answered->mutex);
              answered->response = std::move(response);
            }));
    const bool came = Eventually([&] {
      const std::lock_guard lock(answered->mutex);
      return answered->response.has_value();
    });
    if (came) return *std::move(answered->response);
    ADD_FAILURE() << "no answer to " << target;
    return {};
  }

  static std::string HeaderOf(const http::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "none";
  }

  // Events of a user, read as whoever folds them reads them.
  std::vector<ProfileEvent> EventsOf(std::uint64_t user) {
    std::vector<ProfileEvent> events;
    const Partition home = PartitionOf(UserId(user), kPartitions);
    for (const testing::MemoryRecord& record : log_.Records(topics::kUserEvents, home)) {
      const auto event = ReadProfileRecord(record.key, record.value, home, kPartitions);
      EXPECT_TRUE(event.has_value()) << *record.value;
      if (event && event->user == UserId(user)) events.push_back(*event);
    }
    return events;
  }
  std::size_t Appended() {
    std::size_t count = 0;
    for (int p = 0; p < kPartitions; ++p) {
      count += log_.Records(topics::kUserEvents, Partition(p)).size();
    }
    return count;
  }

  static constexpr std::int32_t kPartitions = 4;
  FakeClock clock_;
  MemoryLog log_{kPartitions};
  Metrics metrics_;
  ProfileService service_{log_, kPartitions, clock_, 1};
  http::Router router_;
  PrincipalPtr principal_;
};

TEST_F(ProfileRoutesTest, PutLogsTheWholeProfile) {
  Connect();
  const std::string home = std::to_string(PartitionOf(UserId(7), kPartitions).value);
  const http::Response response =
      Ask(Method::kPut, "/v1/users/7/profile", R"({"verified":true,"name":"Ann é"})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"event_id":"00000000000000010000000000000000","position":)"
                           R"("user-events/)" +
                               home + ":0\"}");
  EXPECT_EQ(HeaderOf(response, "Fanfold-Position"), "user-events/" + home + ":0");
  const ProfileEvent logged{"00000000000000010000000000000000", UserId(7), clock_.now_ms,
                            ProfileSet{{.name = "Ann é", .verified = true}}};
  EXPECT_EQ(EventsOf(7), std::vector{logged});
  Ask(Method::kPut, "/v1/users/7/profile", "{}");
  ASSERT_EQ(EventsOf(7).size(), 2U);
  EXPECT_EQ(std::get<ProfileSet>(EventsOf(7)[1].what), ProfileSet{});
}

TEST_F(ProfileRoutesTest, ABadgeIsNotTheUsersToGive) {
  Connect();
  const std::string badge = R"({"verified":true})";
  principal_ = std::make_shared<const Principal>(
      Principal{.name = "ann", .scopes = Scopes::All(), .user = UserId(7)});
  const http::Response refused = Ask(Method::kPut, "/v1/users/7/profile", badge);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(Json::parse(refused.body).at("code"), "forbidden");
  EXPECT_NE(refused.body.find("verified is not"), std::string::npos);
  EXPECT_EQ(Appended(), 0U);
  EXPECT_EQ(Ask(Method::kPut, "/v1/users/7/profile", R"({"verified":false})").status, 202);
  principal_ = std::make_shared<const Principal>(Principal{.name = "it", .scopes = Scopes::All()});
  EXPECT_EQ(Ask(Method::kPut, "/v1/users/7/profile", badge).status, 202);
}

TEST_F(ProfileRoutesTest, DeleteLogsWhereEachPartitionOfTheRelationsEnds) {
  Connect();
  for (int p = 0; p < kPartitions; ++p) {
    for (int i = 0; i < p; ++i) log_.Put(topics::kRelationEvents, Partition(p), "k", "v");
  }
  const http::Response response = Ask(Method::kDelete, "/v1/users/7");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(Json::parse(response.body).at("position"), HeaderOf(response, "Fanfold-Position"));
  EXPECT_TRUE(HeaderOf(response, "Fanfold-Position").starts_with("user-events/"));
  ASSERT_EQ(EventsOf(7).size(), 1U);
  const ProfileEvent event = EventsOf(7)[0];
  EXPECT_EQ(Json::parse(response.body).at("event_id"), event.event_id);
  EXPECT_EQ(event.at_ms, clock_.now_ms);
  EXPECT_TRUE(std::get<UserDeleted>(event.what).stays);
  EXPECT_EQ(std::get<UserDeleted>(event.what).ends[streams::kRelations],
            (std::vector{Offset(0), Offset(1), Offset(2), Offset(3)}));
}

TEST_F(ProfileRoutesTest, ARestoreIsLogged) {
  Connect();
  const http::Response response = Ask(Method::kPost, "/v1/users/7/restore");
  EXPECT_EQ(response.status, 202);
  EXPECT_TRUE(HeaderOf(response, "Fanfold-Position").starts_with("user-events/"));
  ASSERT_EQ(EventsOf(7).size(), 1U);
  EXPECT_TRUE(std::holds_alternative<UserRestored>(EventsOf(7)[0].what));
  EXPECT_EQ(Json::parse(response.body).at("event_id"), EventsOf(7)[0].event_id);
  EXPECT_EQ(Ask(Method::kPost, "/v1/users/0/restore").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/v1/users/7/restore?why=1").status, 400);
}

TEST_F(ProfileRoutesTest, ADeletionWhoseEndsAreNotKnownIsNotLogged) {
  Connect();
  log_.BeAway(true);
  const http::Response response = Ask(Method::kDelete, "/v1/users/7");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Json::parse(response.body).at("code"), "log_unavailable");
  EXPECT_EQ(HeaderOf(response, "Retry-After"), "1");
  EXPECT_EQ(Appended(), 0U);
  log_.BeAway(false);
  EXPECT_EQ(Ask(Method::kDelete, "/v1/users/7").status, 202);
}

TEST_F(ProfileRoutesTest, UntilItIsConnectedTheLogIsUnavailable) {
  for (const auto& [method, target] : {std::pair(Method::kPut, "/v1/users/7/profile"),
                                       std::pair(Method::kDelete, "/v1/users/7")}) {
    const http::Response response = Ask(method, target, "{}");
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(Json::parse(response.body).at("code"), "log_unavailable");
  }
  EXPECT_TRUE(service_.Flush(0));
}

TEST_F(ProfileRoutesTest, WhatTheLogDoesNotTakeIs503) {
  Connect();
  log_.RefuseAppends(2);
  EXPECT_EQ(Ask(Method::kPut, "/v1/users/7/profile", "{}").status, 503);
  const http::Response deleted = Ask(Method::kDelete, "/v1/users/7");
  EXPECT_EQ(deleted.status, 503);
  EXPECT_EQ(Json::parse(deleted.body).at("code"), "log_unavailable");
  EXPECT_EQ(Appended(), 0U);
  log_.BeAway(true);
  EXPECT_EQ(Json::parse(Ask(Method::kDelete, "/v1/users/7").body).at("detail"),
            "the log does not say where it ends, which a deletion tells; the process logs why");
}

TEST_F(ProfileRoutesTest, ABatchLogsEachProfileInItsOrder) {
  Connect();
  const http::Response response = Ask(Method::kPost, "/v1/user-events", R"({"events":[
      {"type":"profile_set","user":"7","name":"Ann","verified":true},
      {"type":"profile_set","user":7,"bio":"B","at":5},
      {"type":"user_deleted","user":"7"},
      {"type":"profile_set","name":"Ann"},
      {"type":"profile_set","user":"7","nick":"a"},
      {"type":"profile_set","user":"7","name":5},
      {"type":"profile_set","user":"7","at":-1},
      null]})");
  EXPECT_EQ(response.status, 202);
  const Json results = Json::parse(response.body).at("results");
  const std::string home = std::to_string(PartitionOf(UserId(7), kPartitions).value);
  ASSERT_EQ(results.size(), 8U);
  EXPECT_EQ(results[0].at("position"), "user-events/" + home + ":0");
  EXPECT_EQ(results[1].at("position"), "user-events/" + home + ":1");
  const char* why[] = {"type must be", "user is missing", "unknown member",
                       "name must be", "at must be",      "not an object"};
  for (std::size_t i = 2; i < 8; ++i) {
    EXPECT_EQ(results[i].at("code"), "invalid_argument");
    EXPECT_NE(results[i].at("detail").get<std::string>().find(why[i - 2]), std::string::npos);
  }
  const std::vector<ProfileEvent> events = EventsOf(7);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<ProfileSet>(events[0].what).profile,
            (Profile{.name = "Ann", .verified = true}));
  EXPECT_EQ(events[0].at_ms, clock_.now_ms);
  EXPECT_EQ(std::get<ProfileSet>(events[1].what).profile, (Profile{.bio = "B"}));
  EXPECT_EQ(events[1].at_ms, 5);
}

TEST_F(ProfileRoutesTest, OfABatchAUsersTokenSetsItsOwnWithoutBadgeAndTime) {
  Connect();
  principal_ =
      std::make_shared<const Principal>(Principal{.name = "7", .scopes = {}, .user = UserId(7)});
  const http::Response response = Ask(Method::kPost, "/v1/user-events", R"({"events":[
      {"type":"profile_set","user":"7","name":"Ann"},
      {"type":"profile_set","user":"8","name":"Bo"},
      {"type":"profile_set","user":"7","verified":true},
      {"type":"profile_set","user":"7","at":5}]})");
  const Json results = Json::parse(response.body).at("results");
  EXPECT_TRUE(results[0].contains("event_id"));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(results[i].at("code"), "forbidden") << i;
  EXPECT_EQ(Appended(), 1U);
}

TEST_F(ProfileRoutesTest, ABatchIsOfAThousandAndNoQuestion) {
  Connect();
  std::string events = R"({"type":"profile_set","user":"7"})";
  EXPECT_EQ(Ask(Method::kPost, "/v1/user-events?a=b", "{}").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/v1/user-events", R"({"events":[]})").status, 400);
  std::string many = events;
  for (int i = 1; i < 1'001; ++i) many += ',' + events;
  EXPECT_EQ(Ask(Method::kPost, "/v1/user-events", R"({"events":[)" + many + "]}").status, 422);
  EXPECT_EQ(Appended(), 0U);
}

TEST_F(ProfileRoutesTest, AnswersOnlyWhenTheLogHasTheEvent) {
  Connect();
  log_.HoldAppends(true);
  bool answered = false;
  service_.Set({UserId(7), {}}, [&](const Answer& answer) { answered = answer.has_value(); });
  EXPECT_FALSE(answered);
  EXPECT_FALSE(service_.Flush(0));
  log_.Deliver();
  EXPECT_TRUE(answered);
  EXPECT_TRUE(service_.Flush(0));
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

class ProfileRoutesRefuse : public ProfileRoutesTest,
                            public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(ProfileRoutesRefuse, WithAProblemAndNoEvent) {
  Connect();
  const RefusedCase& refused = GetParam();
  const http::Response response = Ask(refused.method, refused.target, refused.body);
  EXPECT_EQ(response.status, refused.status);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(Json::parse(response.body).at("code"), refused.code);
  EXPECT_EQ(Appended(), 0U);
}

std::string Bio(std::size_t bytes) { return R"({"bio":")" + std::string(bytes, 'b') + "\"}"; }

INSTANTIATE_TEST_SUITE_P(
    Table, ProfileRoutesRefuse,
    ::testing::Values(
        RefusedCase{"PutNotAnId", Method::kPut, "/v1/users/0/profile", "{}", 400,
                    "invalid_argument"},
        RefusedCase{"DeleteNotAnId", Method::kDelete, "/v1/users/9223372036854775808", "", 400,
                    "invalid_argument"},
        RefusedCase{"NoBody", Method::kPut, "/v1/users/7/profile", "", 400, "invalid_argument"},
        RefusedCase{"NotJson", Method::kPut, "/v1/users/7/profile", "name=Ann", 400,
                    "invalid_argument"},
        RefusedCase{"UnknownMember", Method::kPut, "/v1/users/7/profile", R"({"nick":"A"})", 400,
                    "invalid_argument"},
        RefusedCase{"MemberTwice", Method::kPut, "/v1/users/7/profile",
                    R"({"name":"A","name":"A"})", 400, "invalid_argument"},
        RefusedCase{"LongBio", Method::kPut, "/v1/users/7/profile", Bio(4097), 400,
                    "invalid_argument"},
        RefusedCase{"NotUtf8", Method::kPut, "/v1/users/7/profile", "{\"name\":\"\xff\"}", 400,
                    "invalid_argument"},
        RefusedCase{"LargeBody", Method::kPut, "/v1/users/7/profile", Bio(65'536), 413,
                    "body_too_large"},
        RefusedCase{"NobodyDecides", Method::kPut, "/v1/users/7/profile?wait=decided", "{}", 400,
                    "unknown_parameter"},
        RefusedCase{"UnknownParameter", Method::kDelete, "/v1/users/7?force=1", "", 400,
                    "unknown_parameter"},
        RefusedCase{"OtherMethod", Method::kPost, "/v1/users/7/profile", "{}", 405,
                    "method_not_allowed"},
        RefusedCase{"OtherPath", Method::kPut, "/v1/users/7/profiles", "{}", 404, "not_found"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(ProfileRoutesTest, TheLongestTextsFitWhateverTheirEscapes) {
  Connect();
  std::string body = "{";
  for (const ProfileText& text : kProfileTexts) {
    body += (body == "{" ? "\"" : ",\"") + std::string(text.name) + "\":\"";
    for (std::size_t i = 0; i < text.bytes_max; ++i) body += "\\u0001";
    body += '"';
  }
  EXPECT_EQ(Ask(Method::kPut, "/v1/users/7/profile", body + "}").status, 202);
  EXPECT_EQ(EventsOf(7).size(), 1U);
}

TEST_F(ProfileRoutesTest, RequestsAreCountedAsTheWritersOthers) {
  Connect();
  Ask(Method::kPut, "/v1/users/7/profile", "{}");
  Ask(Method::kPut, "/v1/users/7/profile", "[]");
  Ask(Method::kDelete, "/v1/users/7");
  const std::string text = metrics_.Text();
  for (const char* series :
       {"fanfold_writer_events_appended_total{topic=\"user-events\"} 2",
        "fanfold_writer_append_seconds_count 2",
        "fanfold_writer_refused_total{code=\"invalid_argument\"} 1",
        "fanfold_writer_requests_total{code=\"202\",route=\"PUT /v1/users/{id}/profile\"} 1",
        "fanfold_writer_requests_total{code=\"400\",route=\"PUT /v1/users/{id}/profile\"} 1",
        "fanfold_writer_requests_total{code=\"202\",route=\"DELETE /v1/users/{id}\"} 1",
        "fanfold_writer_request_seconds_count{route=\"DELETE /v1/users/{id}\"} 1"}) {
    EXPECT_NE(text.find(series), std::string::npos) << series;
  }
}

}  // namespace
}  // namespace fanfold::writer
