#include "common/http/access.h"

#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::http {
namespace {

constexpr int kServed = 200;

// What a guarded handler that serves everything answers.
Response Ask(const AccessRules& rules, const Request& request) {
  Response answer;
  const Handler handler =
      Guarded(rules, [](const Request&, const Reply& reply) { reply(Response{}); });
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
  request.host = GetParam().host;
  EXPECT_EQ(Ask(GetParam().rules(), request).status, GetParam().status);
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
                      HostCase{"FromTheMachineItself", OfNamedHosts, "localhost:8080", kServed}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HostOf, TheAddressListenedOnIsOneInAnyFamily) {
  EXPECT_EQ(HostOf("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(HostOf("fd00::7"), "[fd00::7]");
  Request request;
  const std::string host = HostOf("fd00::7");
  request.host = host;
  EXPECT_EQ(Ask({"fd00::7", {"api.example.com"}, {}}, request).status, kServed);
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
  request.host = GetParam().host;
  request.origin = GetParam().origin;
  const Response answer = Ask(GetParam().rules(), request);
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
  request.host = kHere;
  request.content_type = GetParam().content_type;
  request.body = GetParam().body;
  EXPECT_EQ(Ask(OnLoopback(), request).status, GetParam().status);
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

Request Preflight(std::string_view origin) {
  Request request;
  request.method = Method::kOptions;
  request.host = kHere;
  request.origin = origin;
  request.method_to_come = "PUT";
  return request;
}

TEST(Cors, APreflightOfANamedOriginIsAllowed) {
  const Response answer = Ask(OnLoopback(), Preflight("http://localhost:3000"));
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Methods"), "GET, HEAD, PUT, POST, DELETE");
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Headers"), "Content-Type, Fanfold-Min-Position");
  EXPECT_EQ(HeaderOf(answer, "Vary"), "Origin");
}

TEST(Cors, APreflightOfAnotherOriginIsRefused) {
  const Response answer = Ask(OnLoopback(), Preflight("https://evil.example"));
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(HeaderOf(answer, "Access-Control-Allow-Origin"), "");
}

TEST(Cors, OptionsThatAreNoPreflightAreTheHandlers) {
  Request request = Preflight("https://evil.example");
  request.method_to_come.reset();
  EXPECT_EQ(Ask(OnLoopback(), request).status, kServed);
}

TEST(Cors, AnswersTellANamedOriginThatItsPageMayReadThem) {
  Request request;
  request.host = kHere;
  request.origin = "http://localhost:3000";
  const Response named = Ask(OnLoopback(), request);
  EXPECT_EQ(HeaderOf(named, "Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(HeaderOf(named, "Access-Control-Expose-Headers"),
            "Fanfold-Position, Fanfold-Lag-Ms, Retry-After");
  request.origin = "https://evil.example";
  const Response foreign = Ask(OnLoopback(), request);
  EXPECT_EQ(HeaderOf(foreign, "Access-Control-Allow-Origin"), "");
  EXPECT_EQ(HeaderOf(foreign, "Vary"), "Origin");
  EXPECT_TRUE(Ask(OfAnyHost(), request).headers.empty());
}

}  // namespace
}  // namespace fanfold::http
