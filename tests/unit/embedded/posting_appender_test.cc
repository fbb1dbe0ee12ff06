#include "cli/embedded/posting_appender.h"

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "common/http/http_server.h"
#include "common/post/post_event.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "tests/support/wait_until.h"

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
  std::unique_ptr<http::HttpServer> server_ =
      *http::HttpServer::Start({}, [this](const http::Request& request, http::Reply to) {
        http::WithBody(
            request, 1 << 20, std::move(to),
            [this](const http::Request& whole, const http::Reply& reply) { Answer(whole, reply); });
      });
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

std::unique_ptr<LogAppender> NewAppender(ScriptedWriter& writer, const AppenderOptions& options,
                                         Topic topic = topics::kRelationEvents) {
  return *NewPostingAppender(writer.endpoint(), topic, options, std::make_shared<WriterRefusal>());
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

TEST(PostingAppender, ProfilesAreWrittenAsTheRouteTakesThem) {
  ScriptedWriter writer({Answered(202, R"({"results":[{"position":"user-events/0:1"}]})")});
  Codes codes;
  const auto appender = NewAppender(writer, {}, topics::kUserEvents);
  const ProfileEvent event{"id", UserId(7), 5, ProfileSet{{.name = "Ann", .verified = true}}};
  appender->Append(Partition(0), "7", EncodeProfileEvent(event), codes.New());
  ASSERT_TRUE(appender->Flush(kLongMs));
  EXPECT_EQ(codes.now(), std::vector<std::optional<ErrorCode>>{std::nullopt});
  EXPECT_EQ(
      writer.bodies(),
      std::vector<std::string>{R"({"events":[{"type":"profile_set","user":"7","at":5,)"
                               R"("name":"Ann","avatar_url":null,"bio":null,"verified":true}]})"});
}

TEST(PostingAppender, AnAccountsEndIsNotForIt) {
  ScriptedWriter writer({Answered(202)});
  Codes codes;
  const auto appender = NewAppender(writer, {}, topics::kUserEvents);
  const ProfileEvent end{"id", UserId(7), 5, UserRestored()};
  appender->Append(Partition(0), "7", EncodeProfileEvent(end), codes.New());
  EXPECT_EQ(codes.now(), std::vector{std::optional(ErrorCode::kInvalidArgument)});
  EXPECT_TRUE(writer.bodies().empty());
}

TEST(PostingAppender, ForNoLongerThanARecordMayBeInFlight) {
  ScriptedWriter writer({Answered(429)});
  Codes codes;
  const auto appender = NewAppender(writer, {.delivery_timeout_ms = 500});
  Append(*appender, codes, 2);
  EXPECT_EQ(codes.now(), std::vector<std::optional<ErrorCode>>{ErrorCode::kUnavailable});
  EXPECT_EQ(writer.bodies().size(), 1U);
}

TEST(PostingAppender, MeanwhileItSaysWhy) {
  ScriptedWriter writer({Answered(503, R"({"detail":"database or disk is full"})"), Taken(0)});
  Codes codes;
  const auto refusal = std::make_shared<WriterRefusal>();
  const auto appender = *NewPostingAppender(writer.endpoint(), topics::kRelationEvents,
                                            {.delivery_timeout_ms = kLongMs}, refusal);
  Start(*appender, codes, 2);
  ASSERT_TRUE(testing::WaitUntil([&] { return !refusal->Now().has_value(); }));
  EXPECT_EQ(refusal->Now().error().message, "HTTP 503: database or disk is full");
  ASSERT_TRUE(appender->Flush(kLongMs));
  EXPECT_TRUE(refusal->Now().has_value());
}

TEST(PostingAppender, ItsEndDoesNotWaitForARepeat) {
  ScriptedWriter writer({Answered(429)});
  Codes codes;
  auto appender = NewAppender(writer, {.delivery_timeout_ms = 0});
  Start(*appender, codes, 2);
  appender.reset();
  EXPECT_EQ(codes.now().size(), 1U);
}

TEST(PostingAppender, WhereTheWriterLogsWhyDoctorSaysSo) {
  constexpr const char* kDetail =
      R"("detail":"the log did not take the event; the process logs why"})";
  constexpr const char* kSays = "the log did not take the event; `fanfold doctor` says why";
  for (const int status : {503, 202}) {
    const std::string refusal = fmt::format(R"({{"code":"log_unavailable",{})", kDetail);
    ScriptedWriter writer({Answered(
        status, status == 202 ? fmt::format(R"({{"results":[{}]}})", refusal) : refusal)});
    const auto appender = NewAppender(writer, {.delivery_timeout_ms = 1});
    std::string why;
    Event follow;
    follow.subject = UserId(1);
    follow.object = UserId(2);
    appender->Append(Partition(0), "1", EncodeEvent(follow),
                     [&](const Result<Position>& position) { why = position.error().message; });
    ASSERT_TRUE(appender->Flush(kLongMs));
    EXPECT_EQ(why, status == 202 ? kSays : "HTTP 503: " + std::string(kSays));
  }
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

TEST(PostingAppender, EventsKeepTheirIds) {
  ScriptedWriter writer({Taken(0)});
  Codes codes;
  const auto posts = *NewPostingAppender(writer.endpoint(), topics::kPostEvents, {},
                                         std::make_shared<WriterRefusal>());
  PostEvent post;
  post.event_id = "0123456789abcdef0000000000000001";
  post.author = UserId(1);
  post.post_id = PostId(2);
  posts->Append(Partition(0), "1", EncodePostEvent(post), codes.New());
  ASSERT_TRUE(posts->Flush(kLongMs));
  const auto relations = NewAppender(writer, {});
  Event follow;
  follow.event_id = "0123456789abcdef0000000000000002";
  follow.subject = UserId(1);
  follow.object = UserId(2);
  relations->Append(Partition(0), "1", EncodeEvent(follow), codes.New());
  ASSERT_TRUE(relations->Flush(kLongMs));
  ASSERT_EQ(writer.bodies().size(), 2U);
  EXPECT_NE(writer.bodies()[0].find(R"("event_id":"0123456789abcdef0000000000000001")"),
            std::string::npos);
  EXPECT_NE(writer.bodies()[1].find(R"("event_id":"0123456789abcdef0000000000000002")"),
            std::string::npos);
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
