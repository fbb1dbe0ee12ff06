#include "common/http/metered_routes.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fanfold::http {
namespace {

class MeteredRoutesTest : public ::testing::Test {
 protected:
  void Ask(std::string_view path, Method method = Method::kGet, std::string_view query = "") {
    Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    router_(request, Reply([](const Response&) {}));
  }
  [[nodiscard]] bool Shows(const std::string& line) const {
    return metrics_.Text().find(line + "\n") != std::string::npos;
  }

  Metrics metrics_;
  Router router_;
  MeteredRoutes routes_{router_, metrics_, {"x_requests_total", "x_seconds", false}};
};

TEST_F(MeteredRoutesTest, CountAndTimeEachAnswerByRouteAndStatus) {
  routes_.Add(Method::kGet, "/a/{id}", [](const Routed& routed, const Reply& reply) {
    Response response;
    response.status = routed.path[0] == "1" ? 200 : 409;
    reply(std::move(response));
  });
  routes_.Add(Method::kPut, "/a/{id}",
              [](const Routed&, const Reply& reply) { reply(Response{}); });
  Ask("/a/1");
  Ask("/a/1");
  Ask("/a/2");
  Ask("/a/1", Method::kPut);
  EXPECT_TRUE(Shows(R"(x_requests_total{code="200",route="GET /a/{id}"} 2)"));
  EXPECT_TRUE(Shows(R"(x_requests_total{code="409",route="GET /a/{id}"} 1)"));
  EXPECT_TRUE(Shows(R"(x_requests_total{code="200",route="PUT /a/{id}"} 1)"));
  EXPECT_TRUE(Shows(R"(x_seconds_count{route="GET /a/{id}"} 3)"));
}

TEST(MeteredRoutes, ThoseThatWriteSaySo) {
  for (const bool writes : {true, false}) {
    Metrics metrics;
    Router router;
    MeteredRoutes routes(router, metrics, {"x_requests_total", "x_seconds", writes});
    routes.Add(Method::kPut, "/a", [](const Routed&, const Reply& reply) { reply(Response{}); });
    Request request;
    request.method = Method::kPut;
    request.path = "/a";
    bool tells = !writes;
    router(request, Reply([&](const Response& told) { tells = told.tells_of_write; }));
    EXPECT_EQ(tells, writes);
  }
}

TEST_F(MeteredRoutesTest, ARequestCountsWhenItIsAnswered) {
  std::vector<Reply> replies;
  routes_.Add(Method::kGet, "/a",
              [&replies](const Routed&, const Reply& reply) { replies.push_back(reply); });
  Ask("/a");
  EXPECT_TRUE(Shows(R"(x_seconds_count{route="GET /a"} 0)"));
  replies.front()(Response{});
  EXPECT_TRUE(Shows(R"(x_seconds_count{route="GET /a"} 1)"));
}

TEST_F(MeteredRoutesTest, OneThatIsLeftUnansweredIsA500) {
  routes_.Add(Method::kGet, "/a", [](const Routed&, const Reply&) {});
  Ask("/a");
  EXPECT_TRUE(Shows(R"(x_requests_total{code="500",route="GET /a"} 1)"));
}

TEST_F(MeteredRoutesTest, WhatIsRefusedBeforeItCountsAndIsNotTimed) {
  routes_.Add(Method::kGet, "/a/{id}",
              [](const Routed&, const Reply& reply) { reply(Response{}); });
  for (const char* path : {"/a/1", "/b", "/a/%zz"}) {
    Request request;
    request.path = path;
    router_.TellRefused(request, 429);
  }
  EXPECT_TRUE(Shows(R"(x_requests_total{code="429",route="GET /a/{id}"} 1)"));
  EXPECT_TRUE(Shows(R"(x_seconds_count{route="GET /a/{id}"} 0)"));
}

TEST_F(MeteredRoutesTest, WhatTheRouterRefusesIsOfNoRoute) {
  routes_.Add(Method::kGet, "/a", [](const Routed&, const Reply& reply) { reply(Response{}); });
  Ask("/b");
  Ask("/a", Method::kPut);
  Ask("/a", Method::kGet, "x=%zz");
  EXPECT_EQ(metrics_.Text().find("x_requests_total{"), std::string::npos);
}

}  // namespace
}  // namespace fanfold::http
