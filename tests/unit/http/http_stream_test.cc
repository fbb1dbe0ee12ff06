#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/http/http_server.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

constexpr std::size_t kPartBytes = std::size_t{64} << 10;
// What the sockets of both sides hold at most, beside the part that is being written.
constexpr std::size_t kSocketBytesMax = std::size_t{16} << 20;

Response Streamed(BodySource source, std::string begin = "") {
  Response response = Text(std::move(begin));
  response.stream = std::move(source);
  return response;
}

std::string GetOld(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.0\r\n" + std::string(headers) + "\r\n";
}

// The next answer's, empty when there is none.
Answer Head(RawClient& client) { return client.Read(true).value_or(Answer()); }
std::string Body(RawClient& client) { return client.Read().value_or(Answer()).body; }

// A source whose parts the test gives, when and where it likes.
class HeldParts {
 public:
  BodySource source() {
    return [this](PartSink sink) {
      const std::scoped_lock lock(mutex_);
      owed_.push_back(std::move(sink));
      ++asked_;
      owes_.release();
    };
  }

  // Gives the part that is owed, waiting until one is. False when none was asked for.
  bool Give(std::string bytes, bool last = false) {
    std::optional<PartSink> sink = TakeOwed();
    if (sink) (*sink)({std::move(bytes), last});
    return sink.has_value();
  }
  // Will not give it.
  bool Refuse() { return TakeOwed().has_value(); }

  int asked() {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

 private:
  std::optional<PartSink> TakeOwed() {
    if (!owes_.try_acquire_for(std::chrono::seconds(20))) return std::nullopt;
    const std::scoped_lock lock(mutex_);
    std::optional<PartSink> sink = std::move(owed_.back());
    owed_.pop_back();
    return sink;
  }

  std::mutex mutex_;
  std::counting_semaphore<> owes_{0};
  std::vector<PartSink> owed_;
  int asked_ = 0;
};

// Streams `parts` on /stream, answers all else at once.
Handler Serving(HeldParts& parts, const std::string& begin = "") {
  return [&parts, begin](const Request& request, const Reply& reply) {
    reply(request.path == "/stream" ? Streamed(parts.source(), begin) : Text("plain"));
  };
}

// Gives parts of kPartBytes at once, and counts what was asked for.
struct Counting {
  explicit Counting(std::size_t part_count) : parts(part_count) {}

  std::size_t parts;
  std::atomic<std::size_t> asked = 0;
  std::promise<void> dropped;

  BodySource source() {
    // The source's own end tells that the connection has let it go.
    const std::shared_ptr<void> alive(this, [this](void*) { dropped.set_value(); });
    return [this, alive](const PartSink& sink) {
      const std::size_t number = ++asked;
      sink({std::string(kPartBytes, 'x'), number == parts});
    };
  }
};

TEST(HttpStream, PartsAreSentAsTheyComeAndTheConnectionGoesOn) {
  HeldParts parts;
  const auto server = Serve(Serving(parts, "begin "));
  RawClient client(server->port());
  client.Send(Get("/stream"));
  const Answer head = Head(client);
  EXPECT_TRUE(head.Has("\r\nTransfer-Encoding: chunked"));
  EXPECT_FALSE(head.Has("Content-Length"));
  EXPECT_EQ(client.ReadChunk(), "begin ");
  ASSERT_TRUE(parts.Give("middle "));
  EXPECT_EQ(client.ReadChunk(), "middle ");
  ASSERT_TRUE(parts.Give("end", true));
  EXPECT_EQ(client.ReadChunk(), "end");
  EXPECT_EQ(client.ReadChunk(), "");
  client.Send(Get("/"));
  EXPECT_EQ(Body(client), "plain");
  EXPECT_EQ(parts.asked(), 2);
}

TEST(HttpStream, AnEmptyPartEndsNothing) {
  HeldParts parts;
  const auto server = Serve(Serving(parts));
  RawClient client(server->port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(client.Read(true));
  ASSERT_TRUE(parts.Give(""));
  ASSERT_TRUE(parts.Give("x"));
  EXPECT_EQ(client.ReadChunk(), "x");
  ASSERT_TRUE(parts.Give("", true));
  EXPECT_EQ(client.ReadChunk(), "");
}

TEST(HttpStream, ToAnHttp10ClientTheBodyEndsWithTheConnection) {
  HeldParts parts;
  const auto server = Serve(Serving(parts, "a"));
  RawClient client(server->port());
  // What stands behind it could not be told from the body.
  client.Send(GetOld("/stream", "Connection: keep-alive\r\n") + GetOld("/"));
  const Answer head = Head(client);
  EXPECT_TRUE(head.Has("\r\nConnection: close"));
  EXPECT_FALSE(head.Has("Transfer-Encoding"));
  EXPECT_FALSE(head.Has("Content-Length"));
  ASSERT_TRUE(parts.Give("b"));
  ASSERT_TRUE(parts.Give("c", true));
  EXPECT_EQ(client.ReadToEnd(), "abc");
  EXPECT_FALSE(client.WasReset());
}

TEST(HttpStream, HeadGivesTheHeadersAndAsksForNothing) {
  HeldParts parts;
  const auto server = Serve(Serving(parts, "begin"));
  RawClient client(server->port());
  client.Send("HEAD /stream HTTP/1.1\r\n\r\n" + Get("/"));
  const Answer head = Head(client);
  EXPECT_TRUE(head.Has("\r\nTransfer-Encoding: chunked"));
  EXPECT_EQ(Body(client), "plain");
  EXPECT_EQ(parts.asked(), 0);
}

TEST(HttpStream, AnswersToPipelinedRequestsWaitForItsEnd) {
  HeldParts parts;
  const auto server = Serve(Serving(parts));
  RawClient client(server->port());
  client.Send(Get("/before") + Get("/stream") + Get("/after") + Get("/stream") + Get("/after"));
  EXPECT_EQ(Body(client), "plain");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Head(client).Has("chunked"));
    ASSERT_TRUE(parts.Give("1"));
    EXPECT_EQ(client.ReadChunk(), "1");
    ASSERT_TRUE(parts.Give("2", true));
    EXPECT_EQ(client.ReadChunk(), "2");
    EXPECT_EQ(client.ReadChunk(), "");
    EXPECT_EQ(Body(client), "plain");
  }
  EXPECT_EQ(parts.asked(), 4);
}

TEST(HttpStream, WhatArrivesMeanwhileAsksForNoFurtherPart) {
  HeldParts parts;
  std::promise<void> arrived;
  const auto server = Serve([&](const Request& request, const Reply& reply) {
    Serving(parts)(request, reply);
    if (request.path == "/later") arrived.set_value();
  });
  RawClient client(server->port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(client.Read(true));
  client.Send(Get("/later"));
  arrived.get_future().wait();
  ASSERT_TRUE(parts.Give("x", true));
  EXPECT_EQ(client.ReadChunk(), "x");
  EXPECT_EQ(client.ReadChunk(), "");
  EXPECT_EQ(Body(client), "plain");
  EXPECT_EQ(parts.asked(), 1);
}

struct CutCase {
  const char* name;
  bool old;  // an HTTP/1.0 client
  bool throws;
  friend void PrintTo(const CutCase& of, std::ostream* out) { *out << of.name; }
};
class CutStream : public ::testing::TestWithParam<CutCase> {};

TEST_P(CutStream, IsNeverTakenForAWholeOne) {
  const auto& [name, old, throws] = GetParam();
  HeldParts parts;
  const auto server = Serve([&, throws = throws](const Request&, const Reply& reply) {
    if (!throws) return reply(Streamed(parts.source(), "begin"));
    reply(Streamed([](const PartSink&) { throw std::runtime_error("broken"); }, "begin"));
  });
  RawClient client(server->port());
  client.Send(old ? GetOld("/") : Get("/"));
  if (!throws) {
    ASSERT_TRUE(parts.Refuse());
  }
  const std::string got = client.ReadToEnd();
  EXPECT_EQ(got.find("0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(client.WasReset());
}

INSTANTIATE_TEST_SUITE_P(Kinds, CutStream,
                         ::testing::Values(CutCase{"Dropped", false, false},
                                           CutCase{"DroppedHttp10", true, false},
                                           CutCase{"Thrown", false, true},
                                           CutCase{"ThrownHttp10", true, true}),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(HttpStream, TheSourceIsNeverFarAheadOfTheReader) {
  Counting counting(1'000);
  const auto server =
      Serve([&](const Request&, const Reply& reply) { reply(Streamed(counting.source())); });
  RawClient client(server->port(), 64 << 10);
  client.Send(Get("/"));
  ASSERT_TRUE(client.Read(true));
  std::size_t read = 0;
  std::size_t behind_most = 0;
  for (auto chunk = client.ReadChunk(); chunk && !chunk->empty(); chunk = client.ReadChunk()) {
    read += chunk->size();
    behind_most = std::max(behind_most, counting.asked * kPartBytes - read);
  }
  EXPECT_EQ(read, counting.parts * kPartBytes);
  EXPECT_LE(behind_most, kSocketBytesMax);
}

TEST(HttpStream, AClientThatDoesNotReadIsDroppedAndItsSourceToo) {
  ServerOptions options;
  options.write_timeout_ms = 100;
  Counting counting(1'000);
  const auto server = Serve(
      [&](const Request&, const Reply& reply) { reply(Streamed(counting.source())); }, options);
  RawClient client(server->port(), 64 << 10);
  client.Send(Get("/"));
  ASSERT_EQ(counting.dropped.get_future().wait_for(std::chrono::seconds(20)),
            std::future_status::ready);
  EXPECT_LE(counting.asked * kPartBytes, kSocketBytesMax);
  client.ReadToEnd();
  EXPECT_TRUE(client.WasReset());
}

TEST(HttpStream, AClientThatLeavesTakesItsSourceWithIt) {
  Counting counting(1'000'000);
  const auto server =
      Serve([&](const Request&, const Reply& reply) { reply(Streamed(counting.source())); });
  {
    RawClient client(server->port());
    client.Send(Get("/"));
    ASSERT_TRUE(client.Read(true));
    ASSERT_TRUE(client.ReadChunk());
  }
  ASSERT_EQ(counting.dropped.get_future().wait_for(std::chrono::seconds(20)),
            std::future_status::ready);
  EXPECT_LT(counting.asked, counting.parts);
}

TEST(HttpStream, StopLetsItEnd) {
  HeldParts parts;
  const auto server = Serve(Serving(parts));
  RawClient client(server->port());
  client.Send(Get("/stream"));
  ASSERT_TRUE(client.Read(true));
  std::jthread stopping([&] { server->Stop(); });
  ASSERT_TRUE(parts.Give("x"));
  EXPECT_EQ(client.ReadChunk(), "x");
  ASSERT_TRUE(parts.Give("", true));
  EXPECT_EQ(client.ReadChunk(), "");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpStream, StopCutsOneThatDoesNotEndInTime) {
  HeldParts parts;
  ServerOptions options;
  options.drain_timeout_ms = 50;
  const auto server = Serve(Serving(parts, "begin"), options);
  RawClient client(server->port());
  client.Send(GetOld("/stream"));
  ASSERT_TRUE(client.Read(true));
  server->Stop();
  client.ReadToEnd();
  EXPECT_TRUE(client.WasReset()) << "a body that ends with the connection looks whole otherwise";
  EXPECT_TRUE(parts.Give("late")) << "a part nobody waits for any more is dropped";
}

}  // namespace
}  // namespace fanfold::http
