#include "cli/console/console_service.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/http/headers.h"
#include "tests/unit/http/raw_client.h"

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

  std::promise<CommandLine> ran_;
  ConsoleService service_{
      [this](const CommandLine& command, fanfold::Console&, operations::Interrupt&) {
        if (std::holds_alternative<operations::LaneOrderOptions>(command.verb)) {
          ran_.set_value(command);
        }
        return ExitCode::kFine;
      },
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

TEST_F(ConsoleServiceTest, WhoPausesIsWhoAsksNotThisProcess) {
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", R"({"args":["lane","pause","fans/3"]})").status,
            200);
  const CommandLine ran = ran_.get_future().get();
  EXPECT_TRUE(std::get<operations::LaneOrderOptions>(ran.verb).reason.starts_with(
      "by nobody through the console of "));
}

TEST_F(ConsoleServiceTest, AReasonThatIsGivenStays) {
  constexpr const char* kPause = R"({"args":["lane","pause","fans/3","--reason","lunch"]})";
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", kPause).status, 200);
  const CommandLine ran = ran_.get_future().get();
  EXPECT_EQ(std::get<operations::LaneOrderOptions>(ran.verb).reason, "lunch");
}

TEST_F(ConsoleServiceTest, RefusesOtherVerbsAndBodies) {
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", R"({"args":["serve"]})").status, 403);
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", "{}").status, 400);
  EXPECT_EQ(Ask(Method::kPost, "/console/verbs", std::string(kVerbBodyBytesMax + 1, ' ')).status,
            413);
  EXPECT_EQ(Ask(Method::kGet, "/console/read").status, 400);
}

TEST(ConsoleService, SendsOnWhatAReadIsCalled) {
  const auto reader = http::Serve([](const http::Request& request, const http::Reply& reply) {
    reply(http::Text(std::string(request.HeaderValue("X-Request-Id").value_or("nothing"))));
  });
  ConsoleService service({}, {.find = [&]() -> Result<http::HttpEndpoint> {
                           return http::HttpEndpoint{.host = "127.0.0.1", .port = reader->port()};
                         }});
  http::Router router;
  service.AddRoutes(router);
  const auto server = http::Serve(router);
  http::RawClient client(server->port());
  const auto asked = [&](std::string_view called) {
    return client.Ask(http::Get("/console/read?of=/v1/a", called)).value().body;
  };
  EXPECT_EQ(asked("X-Request-Id: seven\r\n"), "seven");
  EXPECT_EQ(asked("X-Request-Id: se\"ven\r\n"), "nothing");
}

// A verb that says nothing, on a server: nothing is written to whoever asked for it.
class SilentVerbTest : public ::testing::Test {
 protected:
  SilentVerbTest() { service_.AddRoutes(router_); }

  [[nodiscard]] static std::string Request(std::string_view headers = "") {
    return fmt::format("POST /console/verbs HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n{}\r\n{}",
                       kStatus.size(), headers, kStatus);
  }
  // How its wait ended; nothing: it waits.
  [[nodiscard]] std::optional<bool> WasStopped() {
    auto stopped = stopped_.get_future();
    if (stopped.wait_for(std::chrono::seconds(10)) == std::future_status::timeout) return {};
    return stopped.get();
  }

  std::int64_t wait_ms_ = 60'000;
  std::promise<void> began_;
  std::promise<bool> stopped_;
  ConsoleService service_{
      [this](const CommandLine&, fanfold::Console&, operations::Interrupt& interrupt) {
        began_.set_value();
        stopped_.set_value(interrupt.WaitFor(wait_ms_));
        return ExitCode::kFine;
      },
      {.find = []() -> Result<http::HttpEndpoint> { return Fail(ErrorCode::kUnavailable, ""); }}};
  http::Router router_;
};

TEST_F(SilentVerbTest, IsInterruptedWhenItsClientLeaves) {
  const auto server = http::Serve(router_);
  std::optional<http::RawClient> client(server->port());
  client->Send(Request());
  EXPECT_EQ(client->Read(/*without_body=*/true).value().status, 200);
  began_.get_future().wait();
  client.reset();
  EXPECT_EQ(WasStopped(), true);
  service_.Retire();
}

TEST_F(SilentVerbTest, IsInterruptedWhereItsAnswerWasTheConnectionsLast) {
  const auto server = http::Serve(router_);
  std::optional<http::RawClient> client(server->port());
  client->Send(Request("Connection: close\r\n"));
  began_.get_future().wait();
  client.reset();
  EXPECT_EQ(WasStopped(), true);
  service_.Retire();
}

TEST_F(SilentVerbTest, GoesOnWhileItsClientIsThere) {
  wait_ms_ = 300;
  const auto server = http::Serve(router_);
  http::RawClient client(server->port());
  client.Send(Request());
  EXPECT_EQ(WasStopped(), false);
  EXPECT_EQ(client.Read(/*without_body=*/true).value().status, 200);
  EXPECT_EQ(client.ReadChunk(), "{\"exit\":0}\n");
}

}  // namespace
}  // namespace fanfold::console
