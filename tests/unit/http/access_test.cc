#include "common/http/access.h"

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/access/authority.h"
#include "common/access/verifier.h"
#include "common/base/clock.h"
#include "common/http/authentication.h"
#include "common/http/metered_routes.h"

namespace fanfold::http {
namespace {

constexpr int kServed = 200;

// Those without a value are not sent.
using Lines = std::vector<std::pair<std::string_view, std::optional<std::string_view>>>;

// What a guarded handler that serves everything answers.
Response Ask(const AccessRules& rules, Request request, const Lines& lines) {
  Headers headers;
  for (const auto& [name, value] : lines) {
    EXPECT_TRUE(!value || headers.Add(name, *value));
  }
  request.headers = &headers;
  Response answer;
  const Handler handler = Wrapped({OwnHostsAndPages(rules), Anyone(), JsonBodies()},
                                  [](const Request&, const Reply& reply) { reply(Response{}); });
  handler(request, Reply([&answer](Response response) { answer = std::move(response); }));
  return answer;
}

std::string HeaderOf(const Response& response, std::string_view wanted) {
  for (const auto& [name, value] : response.headers) {
    if (name == wanted) return value;
  }
  return "";
}

AccessRules OnLoopback() { return {"127.0.0.1", {"api.example.com"}, {"http://localhost:3000"}}; }
AccessRules OfAnyHost() { return {"0.0.0.0", {}, {}}; }
AccessRules OfNamedHosts() { return {"10.0.0.7", {"api.example.com"}, {}}; }

struct HostCase {
  const char* name;
  AccessRules (*rules)();
  std::optional<std::string_view> host;
  int status;
  const char* path = "/v1/users/1/counts";
  friend void PrintTo(const HostCase& of, std::ostream* out) { *out << of.name; }
};
class Hosts : public ::testing::TestWithParam<HostCase> {};

TEST_P(Hosts, AreServedOrRefused) {
  Request request;
  request.path = GetParam().path;
  EXPECT_EQ(Ask(GetParam().rules(), request, {{"Host", GetParam().host}}).status,
            GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Hosts,
    ::testing::Values(HostCase{"None", OnLoopback, {}, 400}, HostCase{"Empty", OnLoopback, "", 400},
                      HostCase{"Two", OnLoopback, "localhost,localhost", 400},
                      HostCase{"Localhost", OnLoopback, "localhost", kServed},
                      HostCase{"Capitals", OnLoopback, "LocalHost:8080", kServed},
                      HostCase{"V4", OnLoopback, "127.0.0.1:8080", kServed},
                      HostCase{"AnotherV4", OnLoopback, "127.255.0.3", kServed},
                      HostCase{"V6", OnLoopback, "[::1]:8080", kServed},
                      HostCase{"V6WithoutPort", OnLoopback, "[::1]", kServed},
                      HostCase{"ForwardedPort", OnLoopback, "localhost:65000", kServed},
                      HostCase{"NoPortBehindTheColon", OnLoopback, "localhost:", kServed},
                      HostCase{"Rebound", OnLoopback, "evil.example:8080", 400},
                      HostCase{"NamedButOnLoopback", OnLoopback, "api.example.com", 400},
                      HostCase{"LocalhostOfSomebody", OnLoopback, "localhost.evil.example", 400},
                      HostCase{"SomebodysLocalhost", OnLoopback, "evil.localhost.example", 400},
                      HostCase{"AddressAsPartOfAName", OnLoopback, "127.0.0.1.evil.example", 400},
                      HostCase{"ShortAddress", OnLoopback, "127.1", 400},
                      HostCase{"Unspecified", OnLoopback, "0.0.0.0:8080", 400},
                      HostCase{"AnotherAddress", OnLoopback, "10.0.0.7", 400},
                      HostCase{"AnotherV6", OnLoopback, "[fe80::1]", 400},
                      HostCase{"BareV6", OnLoopback, "::1", 400},
                      HostCase{"UnclosedV6", OnLoopback, "[::1", 400},
                      HostCase{"UserInfo", OnLoopback, "localhost@evil.example", 400},
                      HostCase{"PortIsNoNumber", OnLoopback, "localhost:x", 400},
                      HostCase{"TwoPorts", OnLoopback, "localhost:1:2", 400},
                      HostCase{"HealthNeedsNone", OnLoopback, {}, kServed, "/healthz"},
                      HostCase{"ReadinessOfAnyName", OnLoopback, "10.0.0.7:8080", kServed,
                               "/readyz"},
                      HostCase{"MetricsDoNot", OnLoopback, {}, 400, "/metrics"},
                      HostCase{"AnyName", OfAnyHost, "whatever.example", kServed},
                      HostCase{"AnyNameIsOne", OfAnyHost, "a.example,b.example", 400},
                      HostCase{"AnyNameIsThere", OfAnyHost, {}, 400},
                      HostCase{"Named", OfNamedHosts, "API.example.com:443", kServed},
                      HostCase{"NotNamed", OfNamedHosts, "evil.example", 400},
                      HostCase{"TheAddressListenedOn", OfNamedHosts, "10.0.0.7:8080", kServed},
                      HostCase{"AnAddressItIsReachedBy", OfNamedHosts, "10.0.0.9:8080", kServed},
                      HostCase{"AnAddressOfV6", OfNamedHosts, "[fd00::9]", kServed},
                      HostCase{"AnAddressInAName", OfNamedHosts, "10.0.0.7.evil.example", 400},
                      HostCase{"FromTheMachineItself", OfNamedHosts, "localhost:8080", kServed}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HostOf, TheAddressListenedOnIsOneInAnyFamily) {
  EXPECT_EQ(HostOf("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(HostOf("fd00::7"), "[fd00::7]");
  const std::string host = HostOf("fd00::7");
  EXPECT_EQ(Ask({"fd00::7", {"api.example.com"}, {}}, Request(), {{"Host", host}}).status, kServed);
}

struct WriteCase {
  const char* name;
  AccessRules (*rules)();
  Method method;
  const char* host;
  std::optional<std::string_view> origin;
  int status;
  friend void PrintTo(const WriteCase& of, std::ostream* out) { *out << of.name; }
};
class Origins : public ::testing::TestWithParam<WriteCase> {};

TEST_P(Origins, WriteOrAreRefused) {
  Request request;
  request.method = GetParam().method;
  const Response answer =
      Ask(GetParam().rules(), request, {{"Host", GetParam().host}, {"Origin", GetParam().origin}});
  EXPECT_EQ(answer.status, GetParam().status);
  EXPECT_EQ(answer.status == 403, answer.body.find("\"origin_refused\"") != std::string::npos);
}

constexpr const char* kHere = "localhost:8080";

INSTANTIATE_TEST_SUITE_P(
    Table, Origins,
    ::testing::Values(
        WriteCase{"NoPage", OnLoopback, Method::kPut, kHere, {}, kServed},
        WriteCase{"Own", OnLoopback, Method::kPut, kHere, "http://localhost:8080", kServed},
        WriteCase{"OwnBehindTls", OnLoopback, Method::kPut, kHere, "https://localhost:8080",
                  kServed},
        WriteCase{"Named", OnLoopback, Method::kDelete, kHere, "http://localhost:3000", kServed},
        WriteCase{"Foreign", OnLoopback, Method::kPost, kHere, "https://evil.example", 403},
        WriteCase{"ForeignPut", OnLoopback, Method::kPut, kHere, "https://evil.example", 403},
        WriteCase{"ForeignDelete", OnLoopback, Method::kDelete, kHere, "https://evil.example", 403},
        WriteCase{"ForeignUnknown", OnLoopback, Method::kOther, kHere, "https://evil.example", 403},
        WriteCase{"ForeignRead", OnLoopback, Method::kGet, kHere, "https://evil.example", kServed},
        WriteCase{"Null", OnLoopback, Method::kPost, kHere, "null", 403},
        WriteCase{"Empty", OnLoopback, Method::kPost, kHere, "", 403},
        WriteCase{"AnotherPort", OnLoopback, Method::kPost, kHere, "http://localhost:8081", 403},
        WriteCase{"AnotherNameOfTheMachine", OnLoopback, Method::kPost, kHere,
                  "http://127.0.0.1:8080", 403},
        WriteCase{"OwnWithAPath", OnLoopback, Method::kPost, kHere, "http://localhost:8080/", 403},
        WriteCase{"OwnAndForeign", OnLoopback, Method::kPost, kHere,
                  "http://localhost:8080,https://evil.example", 403},
        WriteCase{"AnotherScheme", OnLoopback, Method::kPost, kHere, "file://localhost:8080", 403},
        WriteCase{"ANamedOnesSubdomain", OnLoopback, Method::kPost, kHere,
                  "http://x.localhost:3000", 403},
        WriteCase{"OwnOfANamedHost", OfNamedHosts, Method::kPost, "api.example.com",
                  "https://api.example.com", kServed},
        WriteCase{"OwnOfAnAddress", OfAnyHost, Method::kPost, "10.0.0.7:8080",
                  "http://10.0.0.7:8080", kServed},
        WriteCase{"AnyNameMayHaveBeenMadeToLeadHere", OfAnyHost, Method::kPost, "evil.example:8080",
                  "http://evil.example:8080", 403}),
    [](const auto& param_info) { return param_info.param.name; });

struct BodyCase {
  const char* name;
  Method method;
  std::optional<std::string_view> content_type;
  std::string_view body;
  int status;
  friend void PrintTo(const BodyCase& of, std::ostream* out) { *out << of.name; }
};
class Bodies : public ::testing::TestWithParam<BodyCase> {};

TEST_P(Bodies, OfWritesAreJson) {
  Request request;
  request.method = GetParam().method;
  request.body = GetParam().body;
  const Lines lines = {{"Host", kHere}, {"Content-Type", GetParam().content_type}};
  EXPECT_EQ(Ask(OnLoopback(), request, lines).status, GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Bodies,
    ::testing::Values(
        BodyCase{"Json", Method::kPost, "application/json", "{}", kServed},
        BodyCase{"WithACharset", Method::kPost, "Application/JSON ; charset=utf-8", "{}", kServed},
        BodyCase{"WithoutAType", Method::kPost, {}, "{}", 415},
        BodyCase{"Text", Method::kPost, "text/plain", "{}", 415},
        BodyCase{"Form", Method::kPost, "application/x-www-form-urlencoded", "a=b", 415},
        BodyCase{"JsonInAnotherTypesParameter", Method::kPost, "text/plain;application/json", "{}",
                 415},
        BodyCase{"TwoTypes", Method::kPost, "text/plain,application/json", "{}", 415},
        BodyCase{"OfAPut", Method::kPut, "text/plain", "x", 415},
        BodyCase{"OfADelete", Method::kDelete, "text/plain", "x", 415},
        BodyCase{"None", Method::kPut, {}, "", kServed},
        BodyCase{"NoneOfAType", Method::kPut, "text/plain", "", kServed},
        BodyCase{"OfARead", Method::kGet, "text/plain", "x", kServed}),
    [](const auto& param_info) { return param_info.param.name; });

struct EncodingCase {
  const char* name;
  Method method;
  std::string_view encoding;
  std::string_view body;
  int status;
  friend void PrintTo(const EncodingCase& of, std::ostream* out) { *out << of.name; }
};
class Encodings : public ::testing::TestWithParam<EncodingCase> {};

// Whatever the body looks like: one that says gzip and is JSON is neither.
TEST_P(Encodings, OfBodiesAreRefused) {
  Request request;
  request.method = GetParam().method;
  request.body = GetParam().body;
  const Lines lines = {{"Host", kHere},
                       {"Content-Type", "application/json"},
                       {"Content-Encoding", GetParam().encoding}};
  const Response response = Ask(OnLoopback(), request, lines);
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_EQ(std::ranges::count(response.headers, Header{"Accept-Encoding", "identity"}),
            response.status == 415 ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Encodings,
    ::testing::Values(EncodingCase{"Gzip", Method::kPost, "gzip", "{}", 415},
                      EncodingCase{"GzipOfAPut", Method::kPut, "GZIP", "\x1f\x8b", 415},
                      EncodingCase{"Two", Method::kPost, "identity, br", "{}", 415},
                      EncodingCase{"OfARead", Method::kGet, "gzip", "{}", 415},
                      EncodingCase{"Plain", Method::kPost, "Identity", "{}", kServed},
                      EncodingCase{"OfNoBody", Method::kPut, "gzip", "", kServed}),
    [](const auto& param_info) { return param_info.param.name; });

Response AskOptions(std::string_view origin, std::optional<std::string_view> method_to_come) {
  Request request;
  request.method = Method::kOptions;
  return Ask(
      OnLoopback(), request,
      {{"Host", kHere}, {"Origin", origin}, {"Access-Control-Request-Method", method_to_come}});
}

TEST(Cors, APreflightOfANamedOriginIsAllowed) {
  const Response answer = AskOptions("http://localhost:3000", "PUT");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Methods"), "GET, HEAD, PUT, POST, DELETE");
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Headers"),
            "Authorization, Cache-Control, Content-Type, Fanfold-Min-Position, Last-Event-ID, "
            "X-Request-Id, traceparent");
  EXPECT_EQ(HeaderOf(answer, "Vary"), "Origin");
}

TEST(Cors, APreflightOfAnotherOriginIsRefused) {
  const Response answer = AskOptions("https://evil.example", "PUT");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Origin"), "");
}

TEST(Cors, OptionsThatAreNoPreflightAreTheHandlers) {
  EXPECT_EQ(AskOptions("https://evil.example", {}).status, kServed);
}

TEST(Cors, AnswersTellANamedOriginThatItsPageMayReadThem) {
  const Lines of_named = {{"Host", kHere}, {"Origin", "http://localhost:3000"}};
  const Response named = Ask(OnLoopback(), Request(), of_named);
  EXPECT_EQ(HeaderOf(named, "Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(HeaderOf(named, "Access-Control-Expose-Headers"),
            "Fanfold-Position, Fanfold-Lag-Ms, RateLimit, RateLimit-Policy, Retry-After, "
            "WWW-Authenticate, X-Request-Id, traceparent");
  const Lines of_foreign = {{"Host", kHere}, {"Origin", "https://evil.example"}};
  const Response foreign = Ask(OnLoopback(), Request(), of_foreign);
  EXPECT_EQ(HeaderOf(foreign, "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(HeaderOf(foreign, "Vary"), "Origin");
  EXPECT_TRUE(Ask(OfAnyHost(), Request(), of_foreign).headers.empty());
}

constexpr RouteRule kGuardedRoute[] = {{.route = "GET /a", .scope = "relations:read"}};

Router Telling(std::string& who) {
  Router router(kGuardedRoute);
  router.Add(Method::kGet, "/a", [&who](const Routed& routed, const Reply& reply) {
    who = routed.request.principal->name;
    reply(Response{});
  });
  return router;
}

TEST(Guarded, WhereNobodyIsAskedARequestIsAnyonesWhateverItSays) {
  Headers headers;
  ASSERT_TRUE(headers.Add("Host", kHere));
  ASSERT_TRUE(headers.Add("Authorization", "Bearer ada"));
  Request request;
  request.path = "/a";
  request.headers = &headers;
  request.principal = std::make_shared<const Principal>(Principal{.name = "ada", .scopes = {}});
  std::string who;
  Guarded(OnLoopback(), {}, Telling(who))(request, Reply([](const Response&) {}));
  EXPECT_EQ(who, "anyone");
}

TEST(Guarded, EveryAnswerTellsByWhatItsRequestCanBeFound) {
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  struct Case {
    std::string path;
    std::string request_id;
    std::string traceparent;
    std::vector<Header> told;
  };
  for (const Case& asked : {
           Case{"/a", "r1", parent, {{"X-Request-Id", "r1"}, {"traceparent", parent}}},
           Case{"/nowhere", "r1", "", {{"X-Request-Id", "r1"}}},
           Case{"/a", std::string(65, 'r'), "garbage", {}},
           Case{"/a", "", "", {}},
       }) {
    Headers headers;
    ASSERT_TRUE(headers.Add("Host", kHere));
    if (!asked.request_id.empty()) {
      ASSERT_TRUE(headers.Add("x-request-id", asked.request_id));
    }
    if (!asked.traceparent.empty()) {
      ASSERT_TRUE(headers.Add("Traceparent", asked.traceparent));
    }
    Request request;
    request.path = asked.path;
    request.headers = &headers;
    std::vector<Header> told;
    std::string who;
    Guarded(OnLoopback(), {}, Telling(who))(
        request, Reply([&](const Response& response) {
          for (const Header& header : response.headers) {
            if (header.first != "Allow" && header.first != "Vary") told.push_back(header);
          }
        }));
    EXPECT_EQ(told, asked.told) << asked.path << ' ' << asked.request_id;
  }
}

TEST(Guarded, WhatAWrapperRefusesGoesNoFurther) {
  std::string who = "not asked";
  Request request;
  request.path = "/a";
  Guarded(OnLoopback(), {}, Telling(who))(request, Reply([](const Response&) {}));
  EXPECT_EQ(who, "not asked");
}

TEST(Guarded, BelowAPathAloneATokenIsAskedForHoweverItIsWritten) {
  const SystemClock clock;
  Metrics metrics;
  Verifier verifier(Authority::OfLentTokens(metrics), clock, metrics);
  const std::string token = "Bearer " + verifier.Lend();
  static constexpr RouteRule kBoth[] = {{.route = "GET /a", .scope = "operate"},
                                        {.route = "GET /console/a", .scope = "operate"}};
  Router router(kBoth);
  for (const char* route : {"/a", "/console/a"}) {
    router.Add(Method::kGet, route, [](const Routed&, const Reply& reply) { reply(Response{}); });
  }
  const Handler handler =
      Guarded(OnLoopback(), {.verifier = &verifier, .asked_below = "/console/"}, std::move(router));
  const auto status_of = [&](std::string_view path, std::string_view shown) {
    Headers headers;
    EXPECT_TRUE(headers.Add("Host", kHere));
    if (!shown.empty()) {
      EXPECT_TRUE(headers.Add("Authorization", shown));
    }
    Request request;
    request.path = path;
    request.headers = &headers;
    std::promise<int> status;  // a token may be judged on another thread
    handler(request, Reply([&](const Response& response) { status.set_value(response.status); }));
    return status.get_future().get();
  };
  EXPECT_EQ(status_of("/a", ""), 200);
  EXPECT_EQ(status_of("/console/a", token), 200);
  for (const char* path : {"/console/a", "/%63onsole/a", "/console/%61", "/c%6Fnsole/%61"}) {
    EXPECT_EQ(status_of(path, ""), 401) << path;
    EXPECT_EQ(status_of(path, "Bearer wrong"), 401) << path;
  }
}

TEST(JsonBodies, WhoIsNotKnownIsNotToldWhatIsTaken) {
  bool passed = false;
  Request request;
  request.method = Method::kPut;
  request.body = "x";
  JsonBodies()([&passed](const Request&, const Reply&) { passed = true; })(
      request, Reply([](const Response&) {}));
  EXPECT_TRUE(passed);
}

TEST(Guarded, WhatTheLimitsRefuseCountsWithItsRoute) {
  const SystemClock clock;
  Metrics metrics;
  Limits limits({.at_once_max = 1}, clock, metrics);
  Router router(kGuardedRoute);
  std::vector<Reply> kept;
  MeteredRoutes(router, metrics, {"x_requests_total", "x_seconds"})
      .Add(Method::kGet, "/a",
           [&kept](const Routed&, const Reply& reply) { kept.push_back(reply); });
  const Handler handler = Guarded(OnLoopback(), {.limits = &limits}, std::move(router));
  Headers headers;
  ASSERT_TRUE(headers.Add("Host", kHere));
  Request request;
  request.path = "/a";
  request.headers = &headers;
  for (int i = 0; i < 2; ++i) handler(request, Reply([](const Response&) {}));
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_NE(metrics.Text().find(R"(x_requests_total{code="429",route="GET /a"} 1)"),
            std::string::npos);
}

TEST(GuardedDeathTest, RoutesWithoutRulesAreServedByNobody) {
  EXPECT_DEATH((void)Guarded(OnLoopback(), {}, Router()), "who may use");
}

// Notes when a request passes and when its answer comes back.
Wrapper Noting(std::vector<std::string>& seen, const std::string& name) {
  return [&seen, name](const Handler& handler) {
    return [&seen, name, handler](const Request& request, const Reply& reply) {
      seen.push_back("to " + name);
      handler(request, Reply([&seen, name, reply](Response response) {
                seen.push_back("from " + name);
                reply(std::move(response));
              }));
    };
  };
}

TEST(Wrapped, TheFirstIsOutermost) {
  std::vector<std::string> seen;
  const Handler handler = Wrapped({Noting(seen, "a"), Noting(seen, "b")},
                                  [](const Request&, const Reply& reply) { reply(Response{}); });
  handler(Request(), Reply([](const Response&) {}));
  EXPECT_EQ(seen, (std::vector<std::string>{"to a", "to b", "from b", "from a"}));
}

}  // namespace
}  // namespace fanfold::http
