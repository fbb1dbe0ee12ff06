#include "cli/console/console_service.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/http/headers.h"

namespace fanfold::console {
namespace {

using http::Method;

class ConsoleServiceTest : public ::testing::Test {
 protected:
  ConsoleServiceTest() { service_.AddRoutes(router_); }

  http::Response Ask(Method method, std::string_view path, std::string_view body = "",
                     std::string_view origin = "") {
    http::Headers headers;
    EXPECT_TRUE(headers.Add("Host", "127.0.0.1:8090"));
    if (!origin.empty()) {
      EXPECT_TRUE(headers.Add("Origin", origin));
    }
    http::Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.headers = &headers;
    http::Response answer;
    router_(request, http::Reply([&](http::Response response) { answer = std::move(response); }));
    return answer;
  }

  ConsoleService service_{
      [](const CommandLine&, fanfold::Console&, operations::Interrupt&) { return ExitCode::kFine; },
      {.find = []() -> Result<http::HttpEndpoint> { return Fail(ErrorCode::kUnavailable, ""); }}};
  http::Router router_;
};

constexpr std::string_view kStatus = R"({"args":["status"]})";

TEST_F(ConsoleServiceTest, GivesThePage) {
  EXPECT_EQ(Ask(Method::kGet, "/console").status, 308);
  EXPECT_EQ(Ask(Method::kGet, "/console/").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(Ask(Method::kGet, "/console/app.js").status, 200);
  EXPECT_EQ(Ask(Method::kGet, "/console/nothing.js").status, 404);
  EXPECT_EQ(Ask(Method::kGet, "/console/verbs").status, 405);
}

TEST_F(ConsoleServiceTest, RunsVerbsForItsOwnPageAlone) {
  for (const char* own : {"", "http://127.0.0.1:8090", "https://127.0.0.1:8090"}) {
    EXPECT_EQ(Ask(Method::kPost, "/console/verbs", kStatus, own).status, 200) << own;
  }
  for (const char* other :
       {"http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1"}) {
    EXPECT_EQ(Ask(Method::kPost, "/console/verbs", kStatus, other).status, 403) << other;
  }
}

TEST_F(ConsoleServiceTest, RefusesOtherVerbsAndBodies) {
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", R"({"args":["serve"]})").status, 403);
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", "{}").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", std::string(kVerbBodyBytesMax + 1, ' ')).status,
            413);
  EXPECT_EQ(Ask(Method::kGet, "/console/read").status, 400);
}

}  // namespace
}  // namespace fanfold::console
