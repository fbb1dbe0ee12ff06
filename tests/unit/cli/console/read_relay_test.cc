#include "cli/console/read_relay.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/http/problem.h"
#include "tests/support/wait_until.h"

namespace fanfold::console {
namespace {

TEST(ReadRelay, RelaysReadsThatEnd) {
  for (const char* target : {"/v1/users/1", "/v1/users/1/fans?limit=5&cursor=a-b",
                             "/v1/counts?ids=1", "/v1/users/%31", "/v1/users/1/fans?cursor=%"}) {
    EXPECT_TRUE(IsRelayed(target)) << target;
  }
  for (const char* target : {"",
                             "/",
                             "/metrics",
                             "/log_level",
                             "v1/users/1",
                             "//evil/v1/users",
                             "http://evil/v1/",
                             "/v1/../metrics",
                             "/v1/changes",
                             "/v1/changes?user=1",
                             "/v1/users/1/fans/export",
                             "/v1/%63hanges",
                             "/v1/users/1/fans/%65xport",
                             "/v1/users/1/fans/expor%74?limit=1",
                             "/v1/%2E%2e/metrics",
                             "/v1/users/%",
                             "/v1/users/%3",
                             "/v1/users/1 HTTP/1.1",
                             "/v1/users/1\r\nX: y",
                             "/v1/a#b",
                             "/v1/\\a",
                             "/v1/ä"}) {
    EXPECT_FALSE(IsRelayed(target)) << target;
  }
}

// Answers with what it was asked, and by whom.
std::unique_ptr<http::HttpServer> Reader() {
  return *http::HttpServer::Start({}, [](const http::Request& request, const http::Reply& reply) {
    http::Response response;
    response.body = std::string(ToString(request.method)) + " " + std::string(request.path) + "?" +
                    std::string(request.query) + " " +
                    std::string(request.HeaderValue("Authorization").value_or("nobody"));
    if (request.path == "/v1/none") response = http::Problem(http::problems::kNotFound, "none");
    if (request.path == "/v1/busy") response = http::Problem(http::problems::kOverloaded, "busy");
    if (request.path == "/v1/who") response.status = 401;
    response.headers.emplace_back("Fanfold-Lag-Ms", "7");
    response.headers.emplace_back("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    response.headers.emplace_back("X-Other", "stays");
    if (const auto called = request.HeaderValue("X-Request-Id"))
      response.body += " " + std::string(*called);
    reply(std::move(response));
  });
}

http::Response Asked(ReadRelay& relay, RelayedRead read) {
  std::promise<http::Response> answer;
  relay.Get(std::move(read),
            http::Reply([&](http::Response response) { answer.set_value(std::move(response)); }));
  return answer.get_future().get();
}

http::Response Asked(ReadRelay& relay, const std::string& target, const std::string& token) {
  return Asked(relay, RelayedRead{target, token, {}});
}

TEST(ReadRelay, ShowsTheTokenOfWhoeverAsks) {
  const auto reader = Reader();
  ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
    return http::HttpEndpoint{.host = "127.0.0.1", .port = reader->port(), .token = "own"};
  }});
  EXPECT_EQ(Asked(relay, "/v1/a?b=c", "his").body, "GET /v1/a?b=c Bearer his");
  EXPECT_EQ(Asked(relay, "/v1/a", "").body, "GET /v1/a? nobody");
  const http::Response none = Asked(relay, "/v1/none", "");
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(none.content_type, "application/problem+json");
}

// How old an answer is, and when to come again.
TEST(ReadRelay, PassesOnWhatAnAnswerSaysBesideItsBody) {
  const auto reader = Reader();
  ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
    return http::HttpEndpoint{.host = "127.0.0.1", .port = reader->port()};
  }});
  using Lines = std::vector<http::Header>;
  const Lines always = {{"Cache-Control", "no-store"}, {"Fanfold-Lag-Ms", "7"}};
  const http::Header challenge{"WWW-Authenticate", "Bearer error=\"invalid_token\""};
  EXPECT_EQ(Asked(relay, "/v1/a", "").headers, (Lines{always[0], always[1], challenge}));
  const http::Response busy = Asked(relay, "/v1/busy", "");
  EXPECT_EQ(busy.headers, (Lines{always[0], always[1], {"Retry-After", "1"}, challenge}));
  EXPECT_EQ(busy.problem, "");  // the reader's own
}

TEST(ReadRelay, SendsOnWhatTheReadIsCalled) {
  const auto reader = Reader();
  ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
    return http::HttpEndpoint{.host = "127.0.0.1", .port = reader->port()};
  }});
  EXPECT_EQ(Asked(relay, {"/v1/a", "", {{"X-Request-Id", "seven"}}}).body,
            "GET /v1/a? nobody seven");
}

TEST(ReadRelay, ShowsItsOwnWhereNobodyElseMayAsk) {
  const auto reader = Reader();
  ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
                     return http::HttpEndpoint{
                         .host = "127.0.0.1", .port = reader->port(), .token = "own"};
                   },
                   .shows_own_token = true});
  EXPECT_EQ(Asked(relay, "/v1/a", "the page's").body, "GET /v1/a? Bearer own");
}

// A page that was told 401 would ask for another token, which this process does not know.
TEST(ReadRelay, SaysThatItsOwnIsNotTaken) {
  const auto reader = Reader();
  for (const bool own : {true, false}) {
    ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
                       return http::HttpEndpoint{.host = "127.0.0.1", .port = reader->port()};
                     },
                     .shows_own_token = own});
    const http::Response answer = Asked(relay, "/v1/who", "");
    EXPECT_EQ(answer.status, own ? 503 : 401);
    EXPECT_EQ(answer.problem, own ? "reader_unavailable" : "");
    EXPECT_EQ(answer.body.find("token_file") != std::string::npos, own);
  }
}

TEST(ReadRelay, GoesOnAfterOneThatFailed) {
  int asked = 0;
  ReadRelay relay({.find = [&]() -> Result<http::HttpEndpoint> {
    if (++asked == 1) throw std::runtime_error("no sockets");
    return Fail(ErrorCode::kUnavailable, "nobody");
  }});
  EXPECT_EQ(Asked(relay, "/v1/a", "").status, 500);
  EXPECT_EQ(Asked(relay, "/v1/a", "").status, 503);
}

TEST(ReadRelay, SaysThatNoReaderIsThere) {
  ReadRelay relay({.find = []() -> Result<http::HttpEndpoint> {
    return Fail(ErrorCode::kUnavailable, "nobody serves it");
  }});
  const http::Response answer = Asked(relay, "/v1/a", "");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.problem, "reader_unavailable");
  EXPECT_NE(answer.body.find("nobody serves it"), std::string::npos);
}

// Every worker waits for a reader, until it is let go.
class StuckRelay : public ::testing::Test {
 protected:
  StuckRelay() {
    for (std::size_t i = 0; i < ReadRelay::kAtOnceMax; ++i) Ask(nullptr);
    EXPECT_TRUE(testing::WaitUntil([this] { return asked_ == ReadRelay::kAtOnceMax; }));
  }

  void Ask(CallerPtr caller) {
    auto promise = std::make_shared<std::promise<int>>();
    statuses_.push_back(promise->get_future());
    relay_.Get({"/v1/a", "", {}, std::move(caller)},
               http::Reply([promise](http::Response told) { promise->set_value(told.status); }));
  }
  std::size_t AskedWhenAllAreAnswered() {
    go_.set_value();
    for (auto& status : statuses_) EXPECT_EQ(status.get(), 503);
    return asked_;
  }

 private:
  std::atomic<std::size_t> asked_ = 0;
  std::promise<void> go_;
  std::shared_future<void> gone_on_ = go_.get_future().share();
  std::vector<std::future<int>> statuses_;
  ReadRelay relay_{{.find = [this]() -> Result<http::HttpEndpoint> {
    ++asked_;
    gone_on_.wait();
    return Fail(ErrorCode::kUnavailable, "nobody");
  }}};
};

TEST_F(StuckRelay, AsksNothingForWhoeverIsGone) {
  const auto gone = std::make_shared<Caller>();
  Ask(gone);
  Ask(std::make_shared<Caller>());
  gone->Leave();
  EXPECT_EQ(AskedWhenAllAreAnswered(), ReadRelay::kAtOnceMax + 1);
}

TEST_F(StuckRelay, AsksNothingThatHasWaitedTooLong) {
  Ask(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(ReadRelay::kWaitMaxMs + 1));
  EXPECT_EQ(AskedWhenAllAreAnswered(), ReadRelay::kAtOnceMax);
}

}  // namespace
}  // namespace fanfold::console
