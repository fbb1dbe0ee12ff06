#include "cli/embedded/posting_appender.h"

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "common/http/http_server.h"
#include "common/relation/codec.h"

namespace fanfold::embedded {
namespace {

constexpr std::int64_t kLongMs = 20'000;

// Answers in their order, the last one again and again.
class ScriptedWriter {
 public:
  explicit ScriptedWriter(std::vector<http::Response> answers) : answers_(std::move(answers)) {}

  http::HttpEndpoint endpoint() { return {.host = "127.0.0.1", .port = server_->port()}; }
  std::vector<std::string> bodies() {
    const std::scoped_lock lock(mutex_);
    return bodies_;
  }

 private:
  void Answer(const http::Request& request, const http::Reply& reply) {
    const std::scoped_lock lock(mutex_);
    bodies_.emplace_back(request.body);
    reply(answers_[std::min(bodies_.size(), answers_.size()) - 1]);
  }

  std::mutex mutex_;
  std::vector<http::Response> answers_;
  std::vector<std::string> bodies_;
  std::unique_ptr<http::HttpServer> server_ = *http::HttpServer::Start(
      {},
      [this](const http::Request& request, const http::Reply& reply) { Answer(request, reply); });
};

http::Response Answered(int status, std::string body = "{}") {
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  if (status != 202) response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::Response Taken(int offset) {
  return Answered(202, fmt::format(R"({{"results":[{{"position":"0:{}"}}]}})", offset));
}

// The codes of what was called back, in its order.
class Codes {
 public:
  LogAppender::Done New() {
    return [this](const Result<Position>& position) {
      const std::scoped_lock lock(mutex_);
      codes_.push_back(position ? std::nullopt : std::optional(position.error().code));
    };
  }
  std::vector<std::optional<ErrorCode>> now() {
    const std::scoped_lock lock(mutex_);
    return codes_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::optional<ErrorCode>> codes_;
};

std::unique_ptr<LogAppender> NewAppender(ScriptedWriter& writer, const AppenderOptions& options) {
  return *NewPostingAppender(writer.endpoint(), topics::kRelationEvents, options);
}

void Start(LogAppender& appender, Codes& codes, std::uint64_t object) {
  Event event;
  event.subject = UserId(1);
  event.object = UserId(object);
  std::string value;
  AppendEvent(value, event);
  appender.Append(Partition(0), "1", value, codes.New());
}

// Waits until it was called back.
void Append(LogAppender& appender, Codes& codes, std::uint64_t object) {
  Start(appender, codes, object);
  ASSERT_TRUE(appender.Flush(kLongMs));
}

TEST(PostingAppender, WhatIsRefusedForNowIsSentAgain) {
  for (const int status : {429, 503}) {
    ScriptedWriter writer({Answered(status), Answered(status), Taken(0)});
    Codes codes;
    const auto appender = NewAppender(writer, {.delivery_timeout_ms = kLongMs});
    Append(*appender, codes, 2);
    EXPECT_EQ(codes.now(), std::vector<std::optional<ErrorCode>>{std::nullopt}) << status;
    const std::vector<std::string> bodies = writer.bodies();
    ASSERT_EQ(bodies.size(), 3U);
    EXPECT_EQ(bodies[0], bodies[2]);
  }
}

TEST(PostingAppender, ForNoLongerThanARecordMayBeInFlight) {
  ScriptedWriter writer({Answered(429)});
  Codes codes;
  const auto appender = NewAppender(writer, {.delivery_timeout_ms = 500});
  Append(*appender, codes, 2);
  EXPECT_EQ(codes.now(), std::vector<std::optional<ErrorCode>>{ErrorCode::kUnavailable});
  EXPECT_EQ(writer.bodies().size(), 1U);
}

TEST(PostingAppender, ItsEndDoesNotWaitForARepeat) {
  ScriptedWriter writer({Answered(429)});
  Codes codes;
  auto appender = NewAppender(writer, {.delivery_timeout_ms = 0});
  Start(*appender, codes, 2);
  appender.reset();
  EXPECT_EQ(codes.now().size(), 1U);
}

struct FailedCase {
  const char* name;
  http::Response answer;
  ErrorCode code;
};

// A later event must not get into the log without the one before it.
TEST(PostingAppender, ToldToStopNothingIsSentAfterAFailure) {
  const FailedCase kCases[] = {
      {"for now, and no time is left", Answered(503), ErrorCode::kUnavailable},
      {"an answer nobody understands", Answered(202, "what"), ErrorCode::kUnknown},
      {"not allowed", Answered(403), ErrorCode::kUnknown},
      {"one event of it",
       Answered(202, R"({"results":[{"code":"invalid_argument","detail":"no"}]})"),
       ErrorCode::kRefused},
  };
  for (const FailedCase& failed : kCases) {
    ScriptedWriter writer({failed.answer, Taken(0)});
    Codes codes;
    const auto appender = NewAppender(writer, {.delivery_timeout_ms = 1, .stop_on_failure = true});
    Append(*appender, codes, 2);
    Append(*appender, codes, 3);
    const std::vector<std::optional<ErrorCode>> expected = {failed.code, ErrorCode::kUnavailable};
    EXPECT_EQ(codes.now(), expected) << failed.name;
    EXPECT_EQ(writer.bodies().size(), 1U) << failed.name;
  }
}

TEST(PostingAppender, ElseOneFailureIsNotTheNexts) {
  ScriptedWriter writer({Answered(500), Taken(0)});
  Codes codes;
  const auto appender = NewAppender(writer, {});
  Append(*appender, codes, 2);
  Append(*appender, codes, 3);
  const std::vector<std::optional<ErrorCode>> expected = {ErrorCode::kUnknown, std::nullopt};
  EXPECT_EQ(codes.now(), expected);
}

}  // namespace
}  // namespace fanfold::embedded
