#include "common/http/route_access.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/clock.h"
#include "common/http/router.h"

namespace fanfold::http {
namespace {

PrincipalPtr With(const char* scopes, std::optional<UserId> user = {}) {
  return std::make_shared<const Principal>(
      Principal{.name = "x", .scopes = ParseScopes(scopes).value(), .user = user});
}
PrincipalPtr Nobody() { return nullptr; }
PrincipalPtr Reading() { return With("relations:read"); }
PrincipalPtr ReadingBoth() { return With("relations:read,profiles:read"); }
PrincipalPtr Writing() { return With("relations:write"); }
PrincipalPtr Watching() { return With("metrics:read"); }
PrincipalPtr Operating() { return With("operate"); }
PrincipalPtr Seven() { return With("relations:read,relations:write", UserId(7)); }
PrincipalPtr SevenReadingBoth() { return With("relations:read,profiles:read", UserId(7)); }

constexpr ParameterRule kOfLists[] = {{"viewer", ParameterIs::kUser},
                                      {"generation", ParameterIs::kForServices},
                                      {"expand", ParameterIs::kForScope, "profiles:read"}};
constexpr RouteRule kRules[] = {
    {.route = "GET /open", .is_public = true},
    {.route = "GET /any"},
    {.route = "GET /either", .scope = "metrics:read", .or_scope = "operate"},
    {.route = "GET /{id}/list",
     .scope = "relations:read",
     .whose = WhoseRequest::kOfQuery,
     .parameters = kOfLists},
    {.route = "PUT /{id}/own/{other}", .scope = "relations:write", .whose = WhoseRequest::kOfPath},
    {.route = "GET /stream", .scope = "relations:read", .streams = true},
};

Router Guarded() {
  Router router(kRules);
  const auto serve = [](const Routed&, const Reply& reply) { reply(Response{}); };
  router.Add(Method::kGet, "/open", serve);
  router.Add(Method::kGet, "/any", serve);
  router.Add(Method::kGet, "/either", serve);
  router.Add(Method::kGet, "/{id}/list", serve);
  router.Add(Method::kPut, "/{id}/own/{other}", serve);
  router.Add(Method::kGet, "/stream", [](const Routed&, const Reply& reply) {
    Response response;
    response.stream = [](const PartSink& sink) { sink({"part", false}); };
    reply(std::move(response));
  });
  return router;
}

Response Ask(PrincipalPtr who, Method method, std::string_view path, std::string_view query = "",
             std::string_view body = "") {
  Request request;
  request.method = method;
  request.path = path;
  request.query = query;
  request.body = body;
  request.principal = std::move(who);
  Response answer;
  Guarded()(request, Reply([&answer](Response response) { answer = std::move(response); }));
  return answer;
}

struct AskCase {
  const char* name;
  PrincipalPtr (*who)();
  Method method;
  const char* path;
  const char* query;
  int status;
  friend void PrintTo(const AskCase& of, std::ostream* out) { *out << of.name; }
};
class Asking : public ::testing::TestWithParam<AskCase> {};

TEST_P(Asking, IsAnsweredOrRefused) {
  const AskCase& of = GetParam();
  const Response answer = Ask(of.who(), of.method, of.path, of.query);
  EXPECT_EQ(answer.status, of.status) << answer.body;
  const auto says = [&answer](const char* code) {
    return answer.body.find(code) != std::string::npos;
  };
  EXPECT_EQ(says("\"unauthenticated\""), of.status == 401);
  EXPECT_EQ(says("\"forbidden\""), of.status == 403);
}

constexpr Method kGet = Method::kGet;
constexpr Method kPut = Method::kPut;
INSTANTIATE_TEST_SUITE_P(
    Table, Asking,
    ::testing::Values(
        AskCase{"PublicByNobody", Nobody, kGet, "/open", "", 200},
        AskCase{"PublicBySomebody", Reading, kGet, "/open", "", 200},
        AskCase{"AnyByNobody", Nobody, kGet, "/any", "", 401},
        AskCase{"AnyBySomebody", Writing, kGet, "/any", "", 200},
        AskCase{"UnknownByNobody", Nobody, kGet, "/x", "", 401},
        AskCase{"UnknownBySomebody", Reading, kGet, "/x", "", 404},
        AskCase{"AnotherMethodByNobody", Nobody, kPut, "/any", "", 401},
        AskCase{"AnotherMethodOfPublicByNobody", Nobody, kPut, "/open", "", 401},
        AskCase{"AnotherMethodBySomebody", Reading, kPut, "/any", "", 405},
        AskCase{"HeadIsGet", Nobody, Method::kHead, "/any", "", 401},
        AskCase{"ScopeIsThere", Reading, kGet, "/7/list", "", 200},
        AskCase{"ScopeIsNot", Writing, kGet, "/7/list", "", 403},
        AskCase{"EitherScope", Watching, kGet, "/either", "", 200},
        AskCase{"TheOtherScope", Operating, kGet, "/either", "", 200},
        AskCase{"NeitherScope", Writing, kGet, "/either", "", 403},
        AskCase{"ServicesAskForWhomTheyLike", Writing, kPut, "/8/own/7", "", 200},
        AskCase{"AUserForHimself", Seven, kPut, "/7/own/8", "", 200},
        AskCase{"AUserForAnother", Seven, kPut, "/8/own/7", "", 403},
        AskCase{"AUserForNoId", Seven, kPut, "/07/own/8", "", 403},
        AskCase{"AUserCoded", Seven, kPut, "/%37/own/8", "", 200},
        AskCase{"AUserReadsAList", Seven, kGet, "/8/list", "", 200},
        AskCase{"AUserIsTheViewer", Seven, kGet, "/8/list", "viewer=7", 200},
        AskCase{"AnotherIsTheViewer", Seven, kGet, "/8/list", "viewer=8", 403},
        AskCase{"TwoAreTheViewer", Seven, kGet, "/8/list", "viewer=7&viewer=8", 403},
        AskCase{"AServicesViewer", Reading, kGet, "/8/list", "viewer=8", 200},
        AskCase{"AUsersGeneration", Seven, kGet, "/8/list", "generation=1", 403},
        AskCase{"AUsersCodedGeneration", Seven, kGet, "/8/list", "g%65neration=1", 403},
        AskCase{"AServicesGeneration", Reading, kGet, "/8/list", "generation=1", 200},
        AskCase{"MoreWithoutItsScope", Reading, kGet, "/8/list", "expand=profile", 403},
        AskCase{"MoreWithItsScope", ReadingBoth, kGet, "/8/list", "expand=profile", 200},
        AskCase{"AUsersMoreWithItsScope", SevenReadingBoth, kGet, "/8/list", "expand=profile", 200},
        AskCase{"BrokenQueryByNobody", Nobody, kGet, "/any", "%", 401},
        AskCase{"BrokenQuery", Reading, kGet, "/any", "%", 400}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(RouteAccess, WhoAsksIsLookedAtBeforeTheBody) {
  const std::string body(Router::kBodyBytesMax + 1, 'a');
  EXPECT_EQ(Ask(nullptr, kPut, "/7/own/8", "", body).status, 401);
  EXPECT_EQ(Ask(Reading(), kPut, "/7/own/8", "", body).status, 403);
  EXPECT_EQ(Ask(Writing(), kPut, "/7/own/8", "", body).status, 413);
}

TEST(RouteAccess, RefusalsSayWhatIsWanted) {
  const auto challenge = [](const Response& of) {
    EXPECT_EQ(of.headers.size(), 1U);
    EXPECT_EQ(of.headers.at(0).first, "WWW-Authenticate");
    return of.headers.at(0).second;
  };
  EXPECT_EQ(challenge(Unauthenticated()), R"(Bearer realm="fanfold")");
  EXPECT_EQ(
      challenge(Unauthenticated("the token has expired")),
      R"(Bearer realm="fanfold", error="invalid_token", error_description="the token has expired")");
  EXPECT_EQ(challenge(Ask(Writing(), kGet, "/7/list")),
            R"(Bearer realm="fanfold", error="insufficient_scope", scope="relations:read")");
}

PrincipalPtr By(const CredentialPtr& credential) {
  return std::make_shared<const Principal>(
      Principal{.name = "x",
                .scopes = ParseScopes("relations:read,relations:write").value(),
                .by = credential});
}

TEST(RouteAccess, AReadThatWaitsEndsWithWhatItWasGrantedByAndAWriteIsTold) {
  for (const auto& [method, path, status] :
       {std::tuple{kGet, "/7/list", 401}, std::tuple{kPut, "/7/own/8", 200}}) {
    Router router(kRules);
    std::vector<Reply> kept;
    const auto keep = [&kept](const Routed&, const Reply& reply) { kept.push_back(reply); };
    router.Add(kGet, "/{id}/list", keep);
    router.Add(kPut, "/{id}/own/{other}", keep);
    const auto credential = std::make_shared<Credential>();
    Request request;
    request.method = method;
    request.path = path;
    request.principal = By(credential);
    std::vector<int> answered;
    for (int i = 0; i < 2; ++i) {
      router(request, Reply([&](const Response& answer) { answered.push_back(answer.status); }));
    }
    kept.at(0)(Response{});
    credential->ended = true;
    kept.at(1)(Response{});
    EXPECT_EQ(answered, (std::vector<int>{200, status}));
  }
}

TEST(RouteAccess, AStreamEndsWithWhatItWasGrantedBy) {
  const auto credential = std::make_shared<Credential>();
  const Response answer = Ask(By(credential), kGet, "/stream");
  ASSERT_TRUE(answer.stream);
  int parts = 0;
  int cuts = 0;
  const auto next = [&] {
    answer.stream(PartSink([&](const std::optional<BodyPart>& part) { ++(part ? parts : cuts); }));
  };
  next();
  EXPECT_EQ(parts, 1);
  credential->ended = true;
  next();
  EXPECT_EQ(parts, 1);
  EXPECT_EQ(cuts, 1);
}

TEST(RouterDeathTest, ARouteWithoutARuleIsNotAdded) {
  Router router(kRules);
  EXPECT_DEATH(router.Add(kPut, "/any", [](const Routed&, const Reply&) {}), "PUT /any");
}

TEST(RouterDeathTest, ARuleOfAScopeThatIsNoneIsNotTaken) {
  EXPECT_DEATH((void)RouteAccess(RouteRule{.route = "GET /a", .scope = "relations:red"}), "red");
}

}  // namespace
}  // namespace fanfold::http
