// From a request to the log, and to what was decided, through the routes.
#include "writer/posts/post_routes.h"

#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "common/post/post_row.h"
#include "tests/support/memory_log.h"
#include "tests/unit/writer/fakes.h"
#include "writer/metered_appender.h"
#include "writer/outcome_reading.h"
#include "writer/posts/post_parser.h"

namespace fanfold::writer {
namespace {

using http::Method;
using Json = nlohmann::json;
using testing::MemoryLog;

constexpr const char* kPosts = "/v1/users/7/posts";

class PostRoutesTest : public ::testing::Test {
 protected:
  PostRoutesTest() { AddPostRoutes(router_, service_, metrics_); }

  void Connect() {
    auto appender = log_.NewAppender(topics::kPostEvents, {});
    service_.Connect(NewMeteredAppender(topics::kPostEvents, *std::move(appender), metrics_));
  }

  // Its answer comes now, or when somebody is told.
  std::shared_ptr<std::optional<http::Response>> Begin(Method method, const std::string& target,
                                                       const std::string& body = "") {
    const std::size_t mark = std::min(target.find('?'), target.size());
    http::Request request;
    request.method = method;
    request.path = std::string_view(target).substr(0, mark);
    request.query = std::string_view(target).substr(std::min(mark + 1, target.size()));
    request.body = body;
    request.principal = principal_;
    auto answered = std::make_shared<std::optional<http::Response>>();
    router_(request,
            http::Reply([answered](http::Response response) { *answered = std::move(response); }));
    return answered;
  }
  http::Response Ask(Method method, const std::string& target, const std::string& body = "") {
    const auto answered = Begin(method, target, body);
    if (*answered) return **answered;
    ADD_FAILURE() << "no answer to " << target;
    return {};
  }
  static std::string HeaderOf(const http::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "none";
  }

  std::vector<PostEvent> EventsOf(std::uint64_t author) {
    std::vector<PostEvent> events;
    const Partition home = PartitionOf(UserId(author), kPartitions);
    for (const testing::MemoryRecord& record : log_.Records(topics::kPostEvents, home)) {
      const auto event = ReadPostRecord(record.key, record.value, home, kPartitions);
      EXPECT_TRUE(event.has_value()) << *record.value;
      if (event && event->author == UserId(author)) events.push_back(*event);
    }
    return events;
  }
  // Decides the last event of the author as if the row were this, and tells who waits.
  void DecideLast(std::uint64_t author, const PostRow& row, bool author_ended = false) {
    const Partition home = PartitionOf(UserId(author), kPartitions);
    const auto& records = log_.Records(topics::kPostEvents, home);
    const Position at{home, Offset(std::ssize(records) - 1)};
    const PostOutcome outcome = Decide(row, EventsOf(author).back(), at, author_ended);
    log_.Put(topics::kPostOutcomes, home, "k", CutPostOutcome(EncodePostOutcome(outcome)));
    ASSERT_TRUE(reading_.Step(0));
  }

  static constexpr std::int32_t kPartitions = 4;
  const std::string home_ = std::to_string(PartitionOf(UserId(7), kPartitions).value);
  FakeClock clock_;
  MemoryLog log_{kPartitions};
  Metrics metrics_;
  PostWaiters waiters_{clock_, 2};
  PostReading reading_{log_, kPartitions, waiters_};
  PostService service_{waiters_, kPartitions, clock_, 1, 2};
  http::Router router_;
  PrincipalPtr principal_;
};

TEST_F(PostRoutesTest, APostIsLoggedAsItIsSaid) {
  Connect();
  const http::Response response =
      Ask(Method::kPost, kPosts, R"({"content":"Hé \"x\"","post_id":"9","type":3,"at":5})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body,
            R"({"event_id":"00000000000000010000000000000000","position":"post-events/)" + home_ +
                R"(:0","post_id":"9","score":5})");
  EXPECT_EQ(HeaderOf(response, "Fanfold-Position"), "post-events/" + home_ + ":0");
  EXPECT_EQ(EventsOf(7),
            std::vector{(PostEvent{"00000000000000010000000000000000", PostEventType::kPost,
                                   UserId(7), PostId(9), 5, 3, "Hé \"x\""})});
  EXPECT_EQ(Ask(Method::kPost, kPosts, R"({"content":"","post_id":9223372036854775807})").status,
            202);
}

TEST_F(PostRoutesTest, WhatIsNotSaidIsTheWritersToSay) {
  Connect();
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const Json answer = Json::parse(Ask(Method::kPost, kPosts, R"({"content":"c"})").body);
    EXPECT_EQ(answer.at("score"), clock_.now_ms);
    const auto id = answer.at("post_id").get<std::string>();
    ASSERT_TRUE(ParsePostId(id)) << id;
    EXPECT_EQ(EventsOf(7).back().post_id, *ParsePostId(id));
    EXPECT_EQ(EventsOf(7).back().at_ms, clock_.now_ms);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 100U);
}

TEST_F(PostRoutesTest, ADeletionIsLogged) {
  Connect();
  const http::Response response = Ask(Method::kDelete, "/v1/users/7/posts/9");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body,
            R"({"event_id":"00000000000000010000000000000000","position":"post-events/)" + home_ +
                R"(:0"})");
  EXPECT_EQ(EventsOf(7),
            std::vector{(PostEvent{"00000000000000010000000000000000", PostEventType::kDeletePost,
                                   UserId(7), PostId(9), clock_.now_ms})});
}

TEST_F(PostRoutesTest, WhoeverWaitsIsToldTheOutcomeAndTheStoredScore) {
  Connect();
  ASSERT_TRUE(reading_.Step(0));
  const std::string post = R"({"content":"c","post_id":"9","at":5})";
  const auto first = Begin(Method::kPost, std::string(kPosts) + "?wait=decided", post);
  EXPECT_FALSE(*first);
  DecideLast(7, {});
  ASSERT_TRUE(*first);
  EXPECT_EQ((*first)->status, 200);
  EXPECT_EQ(Json::parse((*first)->body).at("outcome"), "posted");
  EXPECT_EQ(Json::parse((*first)->body).at("score"), 5);
  EXPECT_EQ(HeaderOf(**first, "Fanfold-Position"), "post-events/" + home_ + ":0");

  const PostRow row{0, "c", 2, true, Version(1)};
  const auto again = Begin(Method::kPost, std::string(kPosts) + "?wait=decided", post);
  DecideLast(7, row);
  ASSERT_TRUE(*again);
  EXPECT_EQ(Json::parse((*again)->body).at("outcome"), "unchanged");
  EXPECT_EQ(Json::parse((*again)->body).at("score"), 2);
  EXPECT_EQ(Json::parse((*again)->body).at("post_id"), "9");

  const auto deleted = Begin(Method::kDelete, "/v1/users/7/posts/9?wait=decided");
  DecideLast(7, row);
  ASSERT_TRUE(*deleted);
  EXPECT_EQ(Json::parse((*deleted)->body).at("outcome"), "post_deleted");
  EXPECT_FALSE(Json::parse((*deleted)->body).contains("score"));
}

TEST_F(PostRoutesTest, APostOfAnEndedAccountIs422) {
  Connect();
  ASSERT_TRUE(reading_.Step(0));
  const auto answer = Begin(Method::kPost, std::string(kPosts) + "?wait=decided",
                            R"({"content":"c","post_id":"9","at":5})");
  DecideLast(7, {}, /*author_ended=*/true);
  ASSERT_TRUE(*answer);
  EXPECT_EQ((*answer)->status, 422);
  EXPECT_EQ(Json::parse((*answer)->body).at("code"), "user_deleted");
  EXPECT_EQ(Json::parse((*answer)->body).at("position"), "post-events/" + home_ + ":0");
}

TEST_F(PostRoutesTest, WhenTheTimeRunsOutItIs202) {
  Connect();
  const auto answered = Begin(Method::kPost, std::string(kPosts) + "?wait=decided&timeout_ms=50",
                              R"({"content":""})");
  clock_.steady_ms += 50;
  waiters_.ExpireDue();
  ASSERT_TRUE(*answered);
  EXPECT_EQ((*answered)->status, 202);
  EXPECT_FALSE(Json::parse((*answered)->body).contains("outcome"));
  EXPECT_NE(metrics_.Text().find("fanfold_writer_wait_timeouts_total 1"), std::string::npos);
}

TEST_F(PostRoutesTest, A503NamesThePost) {
  const http::Response early = Ask(Method::kPost, kPosts, R"({"content":"c"})");
  EXPECT_EQ(early.status, 503);
  EXPECT_TRUE(ParsePostId(Json::parse(early.body).at("post_id").get<std::string>()));
  Connect();
  log_.HoldAppends(true);
  const auto unknown = Begin(Method::kPost, kPosts, R"({"content":"c","post_id":"9"})");
  const auto deletion = Begin(Method::kDelete, "/v1/users/7/posts/9");
  log_.FailHeld();
  ASSERT_TRUE(*unknown);
  EXPECT_EQ((*unknown)->status, 503);
  EXPECT_EQ(Json::parse((*unknown)->body).at("code"), "log_unavailable");
  EXPECT_EQ(Json::parse((*unknown)->body).at("post_id"), "9");
  ASSERT_TRUE(*deletion);
  EXPECT_FALSE(Json::parse((*deletion)->body).contains("post_id"));
  log_.HoldAppends(false);
  // As many wait as may.
  const std::string waits = std::string(kPosts) + "?wait=decided";
  (void)Begin(Method::kPost, waits, R"({"content":"c"})");
  (void)Begin(Method::kPost, waits, R"({"content":"c"})");
  const http::Response full = Ask(Method::kPost, waits, R"({"content":"c","post_id":"4"})");
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(Json::parse(full.body).at("code"), "overloaded");
  EXPECT_EQ(Json::parse(full.body).at("post_id"), "4");
}

TEST_F(PostRoutesTest, ATimeFarAheadIsRefused) {
  Connect();
  const auto with = [&](std::int64_t ahead_ms) {
    return R"({"content":"c","at":)" + std::to_string(clock_.now_ms + ahead_ms) + "}";
  };
  EXPECT_EQ(Ask(Method::kPost, kPosts, with(kAheadMsMax)).status, 202);
  const http::Response refused = Ask(Method::kPost, kPosts, with(kAheadMsMax + 1));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(Json::parse(refused.body).at("code"), "invalid_argument");
  EXPECT_EQ(Ask(Method::kPost, kPosts, R"({"content":"c","at":9223372036854775807})").status, 400);
  EXPECT_EQ(EventsOf(7).size(), 1U);
}

TEST_F(PostRoutesTest, OneThatIsImportedMayLieAhead) {
  Connect();
  const std::string batch = R"({"events":[{"type":"post","author":"7","content":"c","at":)" +
                            std::to_string(clock_.now_ms + kAheadMsMax + 1) + "}]}";
  const auto code_of = [&](const char* path) {
    const Json answer = Json::parse(Ask(Method::kPost, path, batch).body);
    return answer.at("results").at(0).value("code", "");
  };
  EXPECT_EQ(code_of("/v1/post-events"), "invalid_argument");
  EXPECT_EQ(code_of("/v1/post-events?imported=false"), "invalid_argument");
  EXPECT_EQ(code_of("/v1/post-events?imported=true"), "");
  EXPECT_EQ(Ask(Method::kPost, "/v1/post-events?imported=1", batch).status, 400);
  EXPECT_EQ(EventsOf(7).size(), 1U);
}

TEST_F(PostRoutesTest, AnEventOfABatchKeepsTheIdThatItIsGiven) {
  Connect();
  const std::string id = "0123456789abcdef0000000000000001";
  const auto answer_with = [&](const std::string& event_id) {
    return Json::parse(Ask(Method::kPost, "/v1/post-events",
                           R"({"events":[{"type":"post","author":"7","content":"c","event_id":")" +
                               event_id + R"("}]})")
                           .body)
        .at("results")
        .at(0);
  };
  EXPECT_EQ(answer_with(id).at("event_id"), id);
  EXPECT_EQ(EventsOf(7).at(0).event_id, id);
  EXPECT_EQ(answer_with("mine").at("code"), "invalid_argument");
}

TEST_F(PostRoutesTest, EventsOfABatchAreAppendedInOrderAndJudgedEach) {
  Connect();
  const Json answer = Json::parse(
      Ask(Method::kPost, "/v1/post-events",
          R"({"events":[{"type":"post","author":"7","content":"a","post_id":1,"post_type":4},)"
          R"({"type":"post","author":7,"content":"b","at":1},{"type":"post","author":"7"},)"
          R"({"type":"delete_post","author":"7","post_id":"1"},)"
          R"({"type":"delete_post","author":"7","post_id":"1","content":"x"},)"
          R"({"type":"delete_post","author":"7"},{"type":"follow"},5,)"
          R"({"type":"post","author":"7","content":"c","at":9223372036854775807},)"
          R"({"type":"post","author":"7","content":"d","type":"x"}]})")
          .body);
  // One that names a member twice spoils the batch.
  EXPECT_EQ(answer.at("code"), "invalid_argument");
  const Json results =
      Json::parse(
          Ask(Method::kPost, "/v1/post-events",
              R"({"events":[{"type":"post","author":"7","content":"a","post_id":1,"post_type":4},)"
              R"({"content":"b","at":1,"author":7,"type":"post"},{"type":"post","author":"7"},)"
              R"({"type":"delete_post","author":"7","post_id":"1"},)"
              R"({"type":"delete_post","author":"7","post_id":"1","content":"x"},)"
              R"({"type":"delete_post","author":"7"},{"type":"follow"},5,)"
              R"({"type":"post","author":"7","content":"c","at":9223372036854775807}]})")
              .body)
          .at("results");
  std::vector<std::string> said;
  for (const Json& result : results) said.push_back(result.value("code", "logged"));
  const std::string wrong = "invalid_argument";
  EXPECT_EQ(said, (std::vector<std::string>{"logged", "logged", wrong, "logged", wrong, wrong,
                                            wrong, wrong, wrong}));
  EXPECT_EQ(results[0].at("post_id"), "1");
  EXPECT_EQ(results[1].at("score"), 1);
  EXPECT_FALSE(results[3].contains("post_id"));
  ASSERT_EQ(EventsOf(7).size(), 3U);
  EXPECT_EQ(EventsOf(7)[0].post_type, 4);
  EXPECT_EQ(EventsOf(7)[1].content, "b");
  EXPECT_EQ(EventsOf(7)[2].type, PostEventType::kDeletePost);
}

TEST_F(PostRoutesTest, ABatchThatIsNotLoggedNamesItsPosts) {
  const http::Response response =
      Ask(Method::kPost, "/v1/post-events",
          R"({"events":[{"type":"post","author":"7","content":"a","post_id":"5"},)"
          R"({"type":"post","author":"7","content":"b"},{"type":"delete_post","author":"7",)"
          R"("post_id":"6"},{"type":"post"}]})");
  EXPECT_EQ(response.status, 503);
  const Json ids = Json::parse(response.body).at("post_ids");
  ASSERT_EQ(ids.size(), 4U);
  EXPECT_EQ(ids[0], "5");
  EXPECT_TRUE(ids[1].is_string());
  EXPECT_TRUE(ids[2].is_null());
  EXPECT_TRUE(ids[3].is_null());
}

TEST_F(PostRoutesTest, AUsersTokenPostsAsOfNowAndAsHimAlone) {
  Connect();
  principal_ = std::make_shared<const Principal>(
      Principal{.name = "ann", .scopes = Scopes::All(), .user = UserId(7)});
  EXPECT_EQ(Ask(Method::kPost, kPosts, R"({"content":"c"})").status, 202);
  EXPECT_EQ(Ask(Method::kPost, kPosts, R"({"content":"c","at":5})").status, 403);
  EXPECT_EQ(Ask(Method::kPost, "/v1/users/8/posts", R"({"content":"c"})").status, 403);
  EXPECT_EQ(Ask(Method::kDelete, "/v1/users/8/posts/1").status, 403);
  EXPECT_EQ(EventsOf(7).size(), 1U);
}

struct RefusedCase {
  std::string name;
  Method method;
  std::string target;
  std::string body;
  std::string code;
};
void PrintTo(const RefusedCase& refused, std::ostream* out) { *out << refused.name; }

class PostRefusedTest : public PostRoutesTest, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(PostRefusedTest, NothingIsLogged) {
  Connect();
  const RefusedCase& c = GetParam();
  const http::Response response = Ask(c.method, c.target, c.body);
  EXPECT_EQ(Json::parse(response.body).at("code"), c.code) << response.body;
  EXPECT_TRUE(EventsOf(7).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Requests, PostRefusedTest,
    ::testing::Values(
        RefusedCase{"NoContent", Method::kPost, kPosts, "{}", "invalid_argument"},
        RefusedCase{"NoObject", Method::kPost, kPosts, "[]", "invalid_argument"},
        RefusedCase{"NoJson", Method::kPost, kPosts, "x", "invalid_argument"},
        RefusedCase{"ContentIsANumber", Method::kPost, kPosts, R"({"content":1})",
                    "invalid_argument"},
        RefusedCase{"ContentIsAList", Method::kPost, kPosts, R"({"content":["a"]})",
                    "invalid_argument"},
        RefusedCase{"ContentIsTooLong", Method::kPost, kPosts,
                    R"({"content":")" + std::string(4'097, 'c') + "\"}", "invalid_argument"},
        RefusedCase{"ContentIsNoUtf8", Method::kPost, kPosts, "{\"content\":\"\xff\"}",
                    "invalid_argument"},
        RefusedCase{"UnknownField", Method::kPost, kPosts, R"({"content":"c","post_type":1})",
                    "invalid_argument"},
        RefusedCase{"PostIdIsZero", Method::kPost, kPosts, R"({"content":"c","post_id":"0"})",
                    "invalid_argument"},
        RefusedCase{"PostIdIsTooLarge", Method::kPost, kPosts,
                    R"({"content":"c","post_id":"9223372036854775808"})", "invalid_argument"},
        RefusedCase{"TypeIsTooLarge", Method::kPost, kPosts, R"({"content":"c","type":2147483648})",
                    "invalid_argument"},
        RefusedCase{"AtIsNegative", Method::kPost, kPosts, R"({"content":"c","at":-1})",
                    "invalid_argument"},
        RefusedCase{"Author", Method::kPost, "/v1/users/0/posts", R"({"content":"c"})",
                    "invalid_argument"},
        RefusedCase{"Parameter", Method::kPost, std::string(kPosts) + "?x=1", R"({"content":"c"})",
                    "unknown_parameter"},
        RefusedCase{"Wait", Method::kPost, std::string(kPosts) + "?wait=x", R"({"content":"c"})",
                    "invalid_argument"},
        RefusedCase{"DeletedPost", Method::kDelete, "/v1/users/7/posts/x", "", "invalid_argument"},
        RefusedCase{"DeletedAuthor", Method::kDelete, "/v1/users/x/posts/1", "",
                    "invalid_argument"},
        RefusedCase{"DeletedParameter", Method::kDelete, "/v1/users/7/posts/1?at=1", "",
                    "unknown_parameter"},
        RefusedCase{"EmptyBatch", Method::kPost, "/v1/post-events", R"({"events":[]})",
                    "invalid_argument"},
        RefusedCase{"NoBatch", Method::kPost, "/v1/post-events", "{}", "invalid_argument"},
        RefusedCase{"BatchParameter", Method::kPost, "/v1/post-events?wait=decided",
                    R"({"events":[]})", "unknown_parameter"},
        RefusedCase{"Method", Method::kPut, kPosts, "{}", "method_not_allowed"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::writer
