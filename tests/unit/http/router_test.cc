#include "common/http/router.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "common/base/logging.h"
#include "common/http/problem.h"
#include "common/http/service_routes.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

// What a router answers.
Response Asked(const Router& router, const Request& request) {
  std::promise<Response> answer;
  router(request, Reply([&answer](Response response) { answer.set_value(std::move(response)); }));
  return answer.get_future().get();
}

Response Ask(const Router& router, Method method, std::string_view path,
             std::string_view query = "") {
  Request request;
  request.method = method;
  request.path = path;
  request.query = query;
  return Asked(router, request);
}

// Answers with the route's name and what stood at its placeholders.
Router::RouteHandler Naming(std::string name) {
  return [name = std::move(name)](const Routed& routed, const Reply& reply) {
    Response response;
    response.body = name;
    for (const std::string& part : routed.path) response.body += "," + part;
    reply(std::move(response));
  };
}

Router Sample() {
  Router router;
  router.Add(Method::kPut, "/v1/users/{subject}/following/{object}", Naming("follow"));
  router.Add(Method::kDelete, "/v1/users/{subject}/following/{object}", Naming("unfollow"));
  router.Add(Method::kDelete, "/v1/users/{user}/fans/{fan}", Naming("remove"));
  router.Add(Method::kGet, "/v1/users/{id}/fans/{by}", Naming("fan"));
  router.Add(Method::kGet, "/v1/users/{user}/fans/export", Naming("export"));
  router.Add(Method::kGet, "/healthz", Naming("health"));
  return router;
}

struct RouteCase {
  const char* name;
  Method method;
  const char* path;
  int status;
  const char* body;  // of a 200
  friend void PrintTo(const RouteCase& of, std::ostream* out) { *out << of.name; }
};
class Routing : public ::testing::TestWithParam<RouteCase> {};

TEST_P(Routing, FindsTheRouteOrSaysWhy) {
  const Response answer = Ask(Sample(), GetParam().method, GetParam().path);
  EXPECT_EQ(answer.status, GetParam().status);
  if (answer.status == 200) {
    EXPECT_EQ(answer.body, GetParam().body);
  } else {
    EXPECT_NE(answer.body.find(GetParam().body), std::string::npos) << answer.body;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paths, Routing,
    ::testing::Values(
        RouteCase{"Put", Method::kPut, "/v1/users/1/following/2", 200, "follow,1,2"},
        RouteCase{"Delete", Method::kDelete, "/v1/users/1/following/2", 200, "unfollow,1,2"},
        RouteCase{"LiteralBeforePlaceholder", Method::kGet, "/v1/users/1/fans/export", 200,
                  "export,1"},
        RouteCase{"Placeholder", Method::kGet, "/v1/users/1/fans/7", 200, "fan,1,7"},
        RouteCase{"LiteralsOtherMethodsAreNotThePlaceholders", Method::kDelete,
                  "/v1/users/1/fans/export", 405, "method_not_allowed"},
        RouteCase{"PlaceholdersOfOtherNamesAreTheSame", Method::kDelete, "/v1/users/1/fans/7", 200,
                  "remove,1,7"},
        RouteCase{"HeadIsGet", Method::kHead, "/healthz", 200, "health"},
        RouteCase{"Decoded", Method::kPut, "/v1/users/a%2Fb/following/%31+", 200, "follow,a/b,1+"},
        RouteCase{"DecodedLiteral", Method::kGet, "/%68ealthz", 200, "health"},
        RouteCase{"BrokenEscape", Method::kPut, "/v1/users/%zz/following/2", 400,
                  "invalid_argument"},
        RouteCase{"Unknown", Method::kGet, "/nothing", 404, "not_found"},
        RouteCase{"Root", Method::kGet, "/", 404, "not_found"},
        RouteCase{"NoSlash", Method::kGet, "healthz", 404, "not_found"},
        RouteCase{"Empty", Method::kGet, "", 404, "not_found"},
        RouteCase{"TrailingSlash", Method::kGet, "/healthz/", 404, "not_found"},
        RouteCase{"EmptyPlaceholder", Method::kPut, "/v1/users//following/2", 404, "not_found"},
        RouteCase{"TooLong", Method::kGet, "/healthz/x", 404, "not_found"},
        RouteCase{"WrongMethod", Method::kPost, "/healthz", 405, "method_not_allowed"},
        RouteCase{"UnknownMethod", Method::kOther, "/healthz", 405, "method_not_allowed"},
        RouteCase{"UnknownMethodOfUnknownPath", Method::kOther, "/nothing", 404, "not_found"}),
    [](const auto& param_info) { return param_info.param.name; });

std::string AllowOf(const Response& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "Allow") return value;
  }
  return "";
}

TEST(Router, MethodNotAllowedNamesTheMethodsOfThePath) {
  const Router router = Sample();
  EXPECT_EQ(AllowOf(Ask(router, Method::kPost, "/healthz")), "GET, HEAD");
  EXPECT_EQ(AllowOf(Ask(router, Method::kGet, "/v1/users/1/following/2")), "PUT, DELETE");
  EXPECT_EQ(AllowOf(Ask(router, Method::kPut, "/v1/users/1/fans/export")), "GET, HEAD");
  EXPECT_EQ(AllowOf(Ask(router, Method::kPut, "/v1/users/1/fans/7")), "GET, HEAD, DELETE");
}

TEST(Router, ABrokenQueryIsRefusedBeforeTheHandler) {
  EXPECT_EQ(Ask(Sample(), Method::kGet, "/healthz", "a=%").status, 400);
}

TEST(Router, ABodyAboveItsRoutesLimitIsRefused) {
  Router router = Sample();
  router.Add(Method::kPost, "/small", Naming("small"), 3);
  const auto status_of = [&router](std::string_view path, std::size_t bytes) {
    const std::string body(bytes, 'b');
    Response answer;
    Request request;
    request.method = path == "/small" ? Method::kPost : Method::kGet;
    request.path = path;
    request.body = body;
    router(request, Reply([&answer](Response response) { answer = std::move(response); }));
    return answer.status;
  };
  EXPECT_EQ(status_of("/small", 3), 200);
  EXPECT_EQ(status_of("/small", 4), 413);
  EXPECT_EQ(status_of("/healthz", Router::kBodyBytesMax), 200);
  EXPECT_EQ(status_of("/healthz", Router::kBodyBytesMax + 1), 413);
}

TEST(Router, RoutesAreListedSorted) {
  Router router;
  router.Add(Method::kPut, "/b/{x}", Naming(""));
  router.Add(Method::kGet, "/b/{x}", Naming(""));
  router.Add(Method::kGet, "/a", Naming(""));
  EXPECT_EQ(router.Routes(), (std::vector<std::string>{"GET /a", "GET /b/{x}", "PUT /b/{x}"}));
}

struct DecodeCase {
  const char* name;
  const char* text;
  bool is_query;
  std::optional<std::string> decoded;
  friend void PrintTo(const DecodeCase& of, std::ostream* out) { *out << of.name; }
};
class Decoding : public ::testing::TestWithParam<DecodeCase> {};

TEST_P(Decoding, GivesTheTextOrNothing) {
  EXPECT_EQ(PercentDecoded(GetParam().text, GetParam().is_query), GetParam().decoded);
}

INSTANTIATE_TEST_SUITE_P(Texts, Decoding,
                         ::testing::Values(DecodeCase{"Plain", "abc", false, "abc"},
                                           DecodeCase{"Empty", "", true, ""},
                                           DecodeCase{"Escape", "a%20b", false, "a b"},
                                           DecodeCase{"LowerHex", "%c3%a9", false, "\xc3\xa9"},
                                           DecodeCase{"UpperHex", "%C3%A9", false, "\xc3\xa9"},
                                           DecodeCase{"PlusInQuery", "a+b", true, "a b"},
                                           DecodeCase{"PlusInPath", "a+b", false, "a+b"},
                                           DecodeCase{"DecodedOnce", "%2525", false, "%25"},
                                           DecodeCase{"NoDigits", "a%", false, std::nullopt},
                                           DecodeCase{"OneDigit", "a%2", false, std::nullopt},
                                           DecodeCase{"NotHex", "%2g", false, std::nullopt},
                                           DecodeCase{"Signed", "%-1", true, std::nullopt},
                                           DecodeCase{"Prefixed", "%0x41", true, std::nullopt}),
                         [](const auto& param_info) { return param_info.param.name; });

std::string Parameters(std::size_t count) {
  std::string query;
  for (std::size_t i = 0; i < count; ++i) query += "p" + std::to_string(i) + "=1&";
  return query;
}

struct QueryCase {
  const char* name;
  std::string query;
  std::optional<std::string> value_of_a;  // of an accepted one
  bool accepted = true;
  friend void PrintTo(const QueryCase& of, std::ostream* out) { *out << of.name; }
};
class QueryParsing : public ::testing::TestWithParam<QueryCase> {};

TEST_P(QueryParsing, AcceptsOrRefuses) {
  const auto query = Query::Parse(GetParam().query);
  ASSERT_EQ(query.has_value(), GetParam().accepted);
  if (!query) {
    EXPECT_EQ(query.error().status, 400);
    EXPECT_NE(query.error().body.find("\"invalid_argument\""), std::string::npos);
  } else {
    EXPECT_EQ(query->Get("a"), GetParam().value_of_a);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Queries, QueryParsing,
    ::testing::Values(
        QueryCase{"Empty", "", std::nullopt}, QueryCase{"One", "a=1", "1"},
        QueryCase{"Two", "b=2&a=1", "1"}, QueryCase{"WithoutValue", "a", ""},
        QueryCase{"EmptyValue", "a=&b=1", ""}, QueryCase{"EqualsInValue", "a=b=c", "b=c"},
        QueryCase{"Decoded", "%61=x%26y+z", "x&y z"}, QueryCase{"EmptyPieces", "&&a=1&", "1"},
        QueryCase{"AtTheLimit", Parameters(Query::kParametersMax), std::nullopt},
        QueryCase{"AboveTheLimit", Parameters(Query::kParametersMax + 1), {}, false},
        QueryCase{"Twice", "a=1&b=3&a=2", "1,2"}, QueryCase{"TwiceEncoded", "a=1&%61=2", "1,2"},
        QueryCase{"TwiceEmpty", "a=&a=", ","}, QueryCase{"ListsTwice", "a=1,2&a=3,4", "1,2,3,4"},
        QueryCase{"BrokenName", "%=1", {}, false}, QueryCase{"BrokenValue", "a=%4", {}, false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Query, UnknownParametersAreRefusedByName) {
  const auto query = Query::Parse("limit=1&colour=red");
  ASSERT_TRUE(query);
  EXPECT_FALSE(query->RefuseUnknown({"limit", "colour"}));
  const auto refused = query->RefuseUnknown({"limit", "cursor"});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400);
  EXPECT_NE(refused->body.find("\"unknown_parameter\""), std::string::npos);
  EXPECT_NE(refused->body.find("colour"), std::string::npos);
}

TEST(ServiceRoutes, AnswerHealthReadinessMetricsAndOpenApi) {
  Metrics metrics;
  metrics.GetCounter("fanfold_things_total", "Things.").Add(3);
  Router router;
  bool ready = false;
  AddHealthRoutes(
      router,
      [&ready]() -> Status {
        if (ready) return {};
        return Fail(ErrorCode::kUnavailable, "still \"catching\" up");
      },
      "openapi: 3.1.0\n");
  Workers workers(1);
  AddOperatorRoutes(router, metrics, workers);
  EXPECT_EQ(Ask(router, Method::kGet, "/healthz").body, R"({"status":"ok"})");
  EXPECT_EQ(Ask(router, Method::kGet, "/readyz").status, 503);
  ready = true;
  EXPECT_EQ(Ask(router, Method::kGet, "/readyz").status, 200);
  EXPECT_NE(Ask(router, Method::kGet, "/metrics").body.find("fanfold_things_total 3"),
            std::string::npos);
  EXPECT_EQ(Ask(router, Method::kGet, "/openapi.yaml").body, "openapi: 3.1.0\n");
  EXPECT_EQ(Ask(router, Method::kGet, "/healthz", "x=1").status, 400);
}

TEST(ServiceRoutes, WhyItIsNotReadyOperatorsAreTold) {
  Router router;
  AddHealthRoutes(
      router, [] { return Fail(ErrorCode::kUnavailable, "still \"catching\" up"); }, "");
  const auto says_why = [&router](const char* scopes) {
    Request request;
    request.path = "/readyz";
    if (scopes != nullptr) {
      request.principal = std::make_shared<const Principal>(
          Principal{.name = "x", .scopes = ParseScopes(scopes).value()});
    }
    return Asked(router, request).body.find(R"(still \"catching\" up)") != std::string::npos;
  };
  EXPECT_TRUE(says_why("operate"));
  EXPECT_FALSE(says_why("relations:read"));
  EXPECT_FALSE(says_why(nullptr));
}

TEST(ServiceRoutes, TheRootLeadsToWhatThePortHas) {
  Router router;
  AddHealthRoutes(router, [] { return Status(); }, "openapi: 3.1.0\n");
  router.Add(Method::kGet, "/console/", Naming("console"));
  AddRootPage(router);
  const Response page = Ask(router, Method::kGet, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.content_type.starts_with("text/html"));
  EXPECT_TRUE(page.body.contains("href=\"/console/\""));
  EXPECT_TRUE(page.body.contains("href=\"/openapi.yaml\""));
  EXPECT_FALSE(page.body.contains("/metrics")) << "it has none";
}

TEST(Routing, APathThatIsNoneMayHaveAHint) {
  Router router = Sample();
  router.Hint("followers", "followers are fans here");
  const Response hinted = Ask(router, Method::kGet, "/v1/users/7/followers");
  EXPECT_EQ(hinted.status, 404);
  EXPECT_TRUE(hinted.body.contains("followers are fans here"));
  EXPECT_TRUE(Ask(router, Method::kGet, "/v1/users/7/friend").body.contains("no such path"));
}

TEST(ServiceRoutes, WithoutOpenApiThereIsNoSuchRoute) {
  Router router;
  AddHealthRoutes(router, [] { return Status{}; }, "");
  EXPECT_EQ(router.Routes(), (std::vector<std::string>{"GET /healthz", "GET /readyz"}));
}

struct LevelCase {
  const char* body;
  int status;
  LogLevel level;
};

TEST(ServiceRoutes, TheLogLevelIsShownAndChanged) {
  const LogLevel before = LowestLogged();
  Metrics metrics;
  Router router;
  Workers workers(1);
  AddOperatorRoutes(router, metrics, workers);
  SetLogLevel(LogLevel::kError);
  for (const auto& [body, status, level] :
       {LevelCase{R"({"level":"debug"})", 200, LogLevel::kDebug},
        LevelCase{R"({"level":"warning"})", 200, LogLevel::kWarning},
        LevelCase{R"({"level":"loud"})", 400, LogLevel::kWarning},
        LevelCase{R"({"level":1})", 400, LogLevel::kWarning},
        LevelCase{R"({"level":"info","x":1})", 400, LogLevel::kWarning},
        LevelCase{R"({"level":"info","level":"error"})", 400, LogLevel::kWarning},
        LevelCase{R"(["level"])", 400, LogLevel::kWarning}, LevelCase{"", 400, LogLevel::kWarning},
        LevelCase{"{", 400, LogLevel::kWarning}}) {
    Request request;
    request.method = Method::kPut;
    request.path = "/log_level";
    request.body = body;
    EXPECT_EQ(Asked(router, request).status, status) << body;
    EXPECT_EQ(LowestLogged(), level) << body;
  }
  EXPECT_EQ(Ask(router, Method::kGet, "/log_level").body, R"({"level":"warning"})");
  SetLogLevel(before);
}

// What is long is parsed elsewhere, and nothing of its connection overtakes it.
TEST(Router, LargeBodiesKeepNoConnectionsThread) {
  Workers workers(1);
  std::vector<std::string> seen;  // by one thread after another
  std::thread::id at_once;
  std::promise<void> others_were_served;
  Router router;
  router.Add(
      Method::kPut, "/{name}",
      [&](const Routed& routed, const Reply& reply) {
        const bool is_large = routed.request.body.size() > Router::kAtOnceBytesMax;
        if (is_large) {
          EXPECT_NE(std::this_thread::get_id(), at_once);
          others_were_served.get_future().wait();
        } else {
          at_once = std::this_thread::get_id();
        }
        seen.push_back(routed.path[0] + " " + std::to_string(routed.request.body.size()));
        reply(Text("served"));
      },
      100'000);
  router.Add(Method::kGet, "/", [](const Routed&, const Reply& reply) { reply(Text("other")); });
  router.UseForLargeBodies(&workers);
  const auto server = HttpServer::Start({}, router);
  ASSERT_TRUE(server);
  const auto put = [](const std::string& name, std::size_t bytes) {
    return "PUT /" + name + " HTTP/1.1\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
           std::string(bytes, 'b');
  };
  RawClient client((*server)->port());
  client.Send(put("1", 10) + put("2", 50'000) + put("3", 20));
  ASSERT_TRUE(client.Read());
  EXPECT_EQ(RawClient((*server)->port()).Ask(Get("/")).value_or(Answer()).body, "other");
  others_were_served.set_value();
  EXPECT_EQ(client.Read().value_or(Answer()).status, 200);
  EXPECT_EQ(client.Read().value_or(Answer()).status, 200);
  EXPECT_EQ(seen, (std::vector<std::string>{"1 10", "2 50000", "3 20"}));
}

TEST(Router, ATokenThatEndsWhileItsBodyComesDoesNothing) {
  Router router;
  std::atomic<int> served = 0;
  router.Add(Method::kPut, "/x", [&](const Routed&, const Reply& reply) {
    ++served;
    reply(Text("served"));
  });
  const auto key = std::make_shared<Credential>();
  const auto who = std::make_shared<Principal>();
  who->by = key;
  std::promise<void> has_head;
  const Handler routed = router;
  const auto server = HttpServer::Start({}, [&](const Request& request, Reply reply) {
    Request known = request;
    known.principal = who;
    routed(known, std::move(reply));
    has_head.set_value();
  });
  ASSERT_TRUE(server);
  RawClient client((*server)->port());
  client.Send("PUT /x HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345");
  has_head.get_future().wait();
  key->ended.store(true);
  client.Send("67890");
  EXPECT_EQ(client.Read().value_or(Answer()).status, 401);
  EXPECT_EQ(served, 0);
}

// Spares are compressions: whoever writes does not wait behind them.
std::string OrderOfWork(std::chrono::milliseconds spare_wait) {
  std::promise<void> begun;
  std::promise<void> goes_on;
  std::string order;
  std::promise<void> done;
  Workers workers(1, spare_wait);
  const auto note = [&](char what) {
    order += what;
    if (order.size() == Workers::kSparesMax + 1) done.set_value();
  };
  Workers::Job first = [&] {
    begun.set_value();
    goes_on.get_future().wait();
  };
  EXPECT_TRUE(workers.Submit(first));
  begun.get_future().wait();
  for (std::size_t i = 0; i < Workers::kSparesMax; ++i) {
    Workers::Job spare = [&] { note('s'); };
    EXPECT_TRUE(workers.SubmitSpare(spare));
  }
  Workers::Job more = [] {};
  EXPECT_FALSE(workers.SubmitSpare(more));
  Workers::Job body = [&] { note('b'); };
  EXPECT_TRUE(workers.Submit(body));
  goes_on.set_value();
  done.get_future().wait();
  return order;
}

TEST(Workers, SparesGoLastAndAreFew) {
  EXPECT_EQ(OrderOfWork(std::chrono::hours(1)), "b" + std::string(Workers::kSparesMax, 's'));
}

// Bodies without end would keep them waiting for ever.
TEST(Workers, SparesThatHaveWaitedGoFirst) {
  EXPECT_EQ(OrderOfWork(std::chrono::milliseconds(0)), std::string(Workers::kSparesMax, 's') + "b");
}

}  // namespace
}  // namespace fanfold::http
