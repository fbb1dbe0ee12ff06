#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fcntl.h>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"
#include "tests/support/wait_until.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

using namespace std::string_literals;

constexpr std::size_t kHeaderMax = 512;
constexpr std::size_t kBodyMax = 256;

ServerOptions Small() {
  ServerOptions options;
  options.header_bytes_max = kHeaderMax;
  return options;
}

std::string Put(std::size_t body_bytes) {
  return "PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body_bytes) + "\r\n\r\n" +
         std::string(body_bytes, 'b');
}

std::string WithPadding(std::size_t bytes) {
  return Get("/", "Padding: " + std::string(bytes, 'p') + "\r\n");
}

struct SizeCase {
  std::string name;
  std::string request;
  int status;
  bool goes_on = status == 200;
  friend void PrintTo(const SizeCase& of, std::ostream* out) { *out << of.name; }
};
class Sizes : public ::testing::TestWithParam<SizeCase> {};

TEST_P(Sizes, AboveTheLimitAreRefusedAndTheConnectionCloses) {
  const auto server = Serve(Echo, Small(), kBodyMax);
  RawClient client(server->port());
  const auto answer = client.Ask(GetParam().request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status);
  if (GetParam().goes_on) {
    EXPECT_TRUE(client.Ask(Get("/"))) << "the connection should go on";
  } else {
    EXPECT_TRUE(answer->Has("Connection: close"));
    EXPECT_TRUE(answer->Has("Content-Type: application/problem+json"));
    EXPECT_TRUE(client.IsAtEnd());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Limits, Sizes,
    ::testing::Values(
        SizeCase{"BodyAtTheLimit", Put(kBodyMax), 200},
        SizeCase{"BodyAbove", Put(kBodyMax + 1), 413, true},
        SizeCase{"BodyFarAbove", Put(1 << 20), 413},
        SizeCase{"BodyAnnouncedOnly", "PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413},
        SizeCase{"ChunksAtTheLimit",
                 "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n" +
                     std::string(128, 'c') + "\r\n80\r\n" + std::string(128, 'c') + "\r\n0\r\n\r\n",
                 200},
        SizeCase{"ChunksAbove",
                 "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n" +
                     std::string(128, 'c') + "\r\n81\r\n" + std::string(129, 'c') + "\r\n0\r\n\r\n",
                 413},
        SizeCase{"ChunkAnnouncedOnly",
                 "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413},
        SizeCase{"HeaderBelow", WithPadding(kHeaderMax - 64), 200},
        SizeCase{"HeaderAbove", WithPadding(kHeaderMax), 431},
        SizeCase{"HeaderOfPartsBelow",
                 "GET /" + std::string(kHeaderMax - 64, 't') +
                     " HTTP/1.1\r\nPadding: " + std::string(kHeaderMax - 64, 'p') + "\r\n\r\n",
                 431},
        SizeCase{"HeaderThatNeverEnds",
                 "GET / HTTP/1.1\r\nPadding: " + std::string(std::size_t{64} << 10, 'p'), 431},
        SizeCase{"TargetThatNeverEnds", "GET /" + std::string(std::size_t{64} << 10, 't'), 431},
        SizeCase{"ChunkHeaderThatNeverEnds",
                 "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=" +
                     std::string(std::size_t{64} << 10, 'e'),
                 431},
        SizeCase{"TrailerThatNeverEnds",
                 "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " +
                     std::string(std::size_t{64} << 10, 'e'),
                 431}),
    [](const auto& param_info) { return param_info.param.name; });

std::string WithLines(std::size_t lines) {
  std::string request = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < lines; ++i) request += i % 2 == 0 ? "a:\r\n" : "b:\r\n";
  return request + "\r\n";
}

TEST(HttpLimits, MoreLinesOfHeadersAreRefused) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(WithLines(Headers::kLinesMax)).value().status, 200);
  const auto refused = client.Ask(WithLines(Headers::kLinesMax + 1));
  EXPECT_EQ(refused.value().status, 431);
  EXPECT_NE(refused->body.find("more than 256 lines"), std::string::npos) << refused->body;
}

TEST(HttpLimits, ConnectionsAboveTheLimitAreClosedAndRoomIsGivenBack) {
  ServerOptions options;
  options.connections_max = 2;
  const auto server = Serve(Echo, options);
  RawClient first(server->port());
  ASSERT_TRUE(first.Ask(Get("/")));
  {
    RawClient second(server->port());
    ASSERT_TRUE(second.Ask(Get("/")));
    RawClient third(server->port());
    EXPECT_TRUE(third.IsAtEnd());
    ASSERT_TRUE(first.Ask(Get("/")));
  }
  const auto served = [&] { return RawClient(server->port()).Ask(Get("/")).has_value(); };
  while (!served()) std::this_thread::yield();  // bounded by the test's time
}

TEST(HttpLimits, ServersOfAProcessAskForTheOpenFilesOfAll) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{1'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  ServerOptions options;
  options.connections_max = 1'200;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Serve(Echo, options));  // those that go ask for none
  const auto first = Serve(Echo, options);
  const auto second = Serve(Echo, options);
  rlimit now{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_GE(now.rlim_cur, 2'400U);
  EXPECT_LT(now.rlim_cur, 3'600U);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// How many files a process can open whose system allows it `files`, while 300 connect to it.
int OpenedBeside300(rlim_t files) {
  std::array<int, 2> up{};
  std::array<int, 2> down{};
  EXPECT_EQ(pipe(up.data()) + pipe(down.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{files, files};
    const bool limited = setrlimit(RLIMIT_NOFILE, &few) == 0;
    const auto server = Serve(Echo);
    const std::uint16_t port = limited && server ? server->port() : 0;
    char go = 0;
    bool told = write(up[1], &port, sizeof(port)) > 0 && read(down[0], &go, 1) > 0;
    int opened = 0;
    while (opened < 64 && open("/dev/null", O_RDONLY) >= 0) ++opened;
    told = told && write(up[1], &opened, sizeof(opened)) > 0;
    _exit(told ? 0 : 1);
  }
  std::uint16_t port = 0;
  EXPECT_GT(read(up[0], &port, sizeof(port)), 0);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) clients.push_back(std::make_unique<RawClient>(port));
  EXPECT_TRUE(clients.front()->Ask(Get("/")));
  const char go = 'g';
  int opened = -1;
  EXPECT_GT(write(down[1], &go, 1), 0);
  EXPECT_GT(read(up[0], &opened, sizeof(opened)), 0);
  waitpid(child, nullptr, 0);
  for (const int end : {up[0], up[1], down[0], down[1]}) close(end);
  return opened;
}

TEST(HttpLimits, FilesAreLeftWhereConnectionsHaveTakenTheirs) {
  EXPECT_EQ(OpenedBeside300(256), 64);
}

// Counts what is in work and answers when told.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Reply> waiting;
  std::size_t seen = 0;
  std::size_t waiting_most = 0;

  void Take(Reply reply) {
    const std::scoped_lock lock(mutex);
    waiting.push_back(std::move(reply));
    waiting_most = std::max(waiting_most, waiting.size());
    ++seen;
    changed.notify_all();
  }

  // Sends so many and gives their replies, once all are in work.
  std::vector<Reply> TakeAll(RawClient& client, std::size_t requests) {
    std::string sent;
    for (std::size_t i = 0; i < requests; ++i) sent += Get("/");
    client.Send(sent);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.size() == requests; });
    return std::exchange(waiting, {});
  }

  void AnswerAll(std::size_t requests) {
    for (std::size_t answered = 0; answered < requests;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !waiting.empty(); });
      std::vector<Reply> batch = std::move(waiting);
      waiting.clear();
      lock.unlock();
      for (const Reply& reply : batch) reply(Text("ok"));
      answered += batch.size();
    }
  }
};

TEST(HttpLimits, PipelinedRequestsAboveTheLimitWait) {
  constexpr std::size_t kRequests = 100;
  Gate gate;
  ServerOptions options;
  options.pipelined_max = 4;
  const auto server =
      Serve([&](const Request&, Reply reply) { gate.Take(std::move(reply)); }, options);
  RawClient client(server->port());
  std::string requests;
  for (std::size_t i = 0; i < kRequests; ++i) requests += Get("/");
  client.Send(requests);
  std::jthread answerer([&] { gate.AnswerAll(kRequests); });
  for (std::size_t i = 0; i < kRequests; ++i) ASSERT_TRUE(client.Read()) << i;
  EXPECT_EQ(gate.seen, kRequests);
  EXPECT_LE(gate.waiting_most, options.pipelined_max);
}

// The first does not fit into a connection's first read, so that all the others come with it.
TEST(HttpLimits, OfOneWhoIsSlowedDownNoMoreIsKeptThanABuffer) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    if (request.path == "/slow") request.caller->PauseUntil(SystemClock().SteadyMs() + 1'000);
    reply(Response{});
  });
  const std::string first = Get("/slow", "Padding: " + std::string(4'000, 'p') + "\r\n");
  for (const std::size_t others : {10UL, 2'000UL}) {
    const bool is_much = others > 10;
    std::string requests = first;
    for (std::size_t i = 0; i < others; ++i) requests += Get("/");
    RawClient client(server->port());
    client.Send(requests);
    EXPECT_TRUE(client.Read());
    std::size_t answered = 0;
    while (answered < others && client.Read()) ++answered;
    EXPECT_EQ(answered, is_much ? 0 : others);
  }
}

// All are in work before the first of them is answered, and that one comes last.
TEST(HttpLimits, AnswersThatWaitForOthersAreBoundInBytes) {
  constexpr std::size_t kRequests = 64;
  constexpr std::size_t kBytes = 1'000'000;
  Gate gate;
  const auto server = Serve([&](const Request&, Reply reply) { gate.Take(std::move(reply)); });
  RawClient client(server->port());
  const std::vector<Reply> replies = gate.TakeAll(client, kRequests);
  for (std::size_t i = kRequests; i-- > 0;) {
    Response packed = Text(std::string(kBytes, 'x'));
    packed.headers = {{"X-Request-Id", "r1"},
                      {"Access-Control-Allow-Origin", "*"},
                      {"Content-Encoding", "gzip"},
                      {"Fanfold-Position", "0:1"}};
    replies[i](std::move(packed));
  }
  std::map<int, std::size_t> answers;
  for (std::size_t i = 0; i < kRequests; ++i) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << i;
    ++answers[answer->status];
    EXPECT_TRUE(answer->Has("X-Request-Id: r1"));
    EXPECT_TRUE(answer->Has("Access-Control-Allow-Origin: *"));
    EXPECT_EQ(answer->Has("Content-Encoding"), answer->status == 200);
    EXPECT_EQ(answer->Has("Fanfold-Position"), answer->status == 200);
  }
  EXPECT_EQ(answers[200], ServerOptions().answers_bytes_max / kBytes);
  EXPECT_EQ(answers[503], kRequests - answers[200]);
}

// Who is told 503 does it again, and a post would be another one.
TEST(HttpLimits, WhatWasWrittenIsToldWhateverWaits) {
  constexpr std::size_t kRequests = 20;
  Gate gate;
  ServerOptions options;
  options.answers_bytes_max = 1'000'000;
  options.unsent_bytes_max = 1'000'000;
  const auto server =
      HttpServer::Start(options, [&](const Request&, Reply reply) { gate.Take(std::move(reply)); });
  ASSERT_TRUE(server);
  RawClient client((*server)->port());
  const std::vector<Reply> replies = gate.TakeAll(client, kRequests);
  for (std::size_t i = kRequests; i-- > 0;) {
    Response of_write = Text(std::string(200'000, 'x'));
    of_write.tells_of_write = true;
    replies[i](std::move(of_write));
  }
  for (std::size_t i = 0; i < kRequests; ++i) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->status, 200) << i;
  }
}

// What is answered at once waits behind the first, and is asked for no more than there is room.
TEST(HttpLimits, NothingIsAskedForWhileMuchWaits) {
  constexpr std::size_t kRequests = 20;
  Gate gate;
  std::atomic<std::size_t> seen = 0;
  ServerOptions options;
  options.answers_bytes_max = std::size_t{16} << 20;
  const auto server = Serve(
      [&](const Request&, Reply reply) {
        if (seen++ == 0) return gate.Take(std::move(reply));
        reply(Text(std::string(options.answers_bytes_max / 256 + 1, 'x')));
      },
      options);
  RawClient client(server->port());
  std::string requests;
  for (std::size_t i = 0; i < kRequests; ++i) requests += Get("/");
  client.Send(requests);
  ASSERT_TRUE(testing::WaitUntil([&] { return seen == 3; }));
  gate.AnswerAll(1);
  for (std::size_t i = 0; i < kRequests; ++i) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->status, 200);
  }
  EXPECT_EQ(seen, kRequests);
}

// More than sockets hold unread.
TEST(HttpLimits, LargeAnswersOfAllWhoDoNotReadAreBoundTogether) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  ServerOptions options;
  options.unsent_bytes_max = 2 * kBytes + 10'000;
  const auto server = Serve(
      [&](const Request& request, const Reply& reply) {
        reply(Text(std::string(request.path == "/large" ? kBytes : 100, 'x')));
      },
      options);
  const auto ask = [&](const char* path) {
    RawClient client(server->port());
    client.Send(Get(path));
    const auto answer = client.Read();
    return answer ? answer->status : 0;
  };
  {
    RawClient slow(server->port());
    RawClient slower(server->port());
    slow.Send(Get("/large"));
    slower.Send(Get("/large"));
    EXPECT_TRUE(testing::WaitUntil([&] { return ask("/large") == 503; }));
    EXPECT_EQ(ask("/small"), 200);
  }
  EXPECT_TRUE(testing::WaitUntil([&] { return ask("/large") == 200; }));
}

TEST(HttpLimits, WhoeverDoesNotReadIsDroppedWhereRoomIsShort) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  ServerOptions options;
  options.unsent_bytes_max = 2 * kBytes + 10'000;
  const auto server = Serve(
      [&](const Request&, const Reply& reply) { reply(Text(std::string(kBytes, 'x'))); }, options);
  RawClient slow(server->port());
  RawClient slower(server->port());
  slow.Send(Get("/"));
  slower.Send(Get("/"));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(testing::WaitUntil([&] {
    RawClient client(server->port());
    client.Send(Get("/"));
    const auto answer = client.Read();
    return answer && answer->status == 200;
  }));
  EXPECT_LT(std::chrono::steady_clock::now() - began,
            std::chrono::milliseconds(options.write_timeout_ms / 2));
}

// Each of many connections waits for something, and has asked for pages behind it.
TEST(HttpLimits, AnswersThatWaitForOthersAreBoundTogether) {
  constexpr std::size_t kClients = 20;
  constexpr std::size_t kPages = 10;
  constexpr std::size_t kBytes = 38'000;
  Gate gate;
  std::atomic<std::size_t> pages = 0;
  ServerOptions options;
  options.unsent_bytes_max = 2'000'000;
  const auto server = Serve(
      [&](const Request& request, Reply reply) {
        if (request.path == "/wait") return gate.Take(std::move(reply));
        if (request.path == "/page") ++pages;
        reply(Text(std::string(kBytes, 'x')));
      },
      options);
  std::string requests = Get("/wait");
  for (std::size_t i = 0; i < kPages; ++i) requests += Get("/page");
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->Send(requests);
  }
  ASSERT_TRUE(testing::WaitUntil([&] { return gate.seen == kClients; }));
  RawClient other(server->port());
  for (std::size_t i = 0; i < kClients; ++i) {
    const auto answer = other.Ask(Get("/"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
  }
  EXPECT_LE(pages, options.unsent_bytes_max / kBytes);
  gate.AnswerAll(kClients);
  for (const auto& client : clients) {
    for (std::size_t i = 0; i < 1 + kPages; ++i) {
      const auto answer = client->Read();
      ASSERT_TRUE(answer) << i;
      EXPECT_EQ(answer->status, 200) << i;
    }
  }
}

struct LargeRequests {
  static constexpr std::size_t kBytes = 100'000;
  static constexpr std::size_t kClients = 20;
  ServerOptions options{.large_requests_bytes_max = 4 * kBytes};
  std::unique_ptr<HttpServer> server =
      Serve([](const Request& request,
               const Reply& reply) { reply(Text(std::to_string(request.body.size()))); },
            options);

  [[nodiscard]] int Ask(std::size_t bytes) const {
    const auto answer = RawClient(server->port()).Ask(Put(bytes));
    return answer ? answer->status : 0;
  }
  [[nodiscard]] std::unique_ptr<RawClient> Sending(const std::string& bytes) const {
    auto client = std::make_unique<RawClient>(server->port());
    client->Send(bytes);
    return client;
  }
};

TEST(HttpLimits, LargeBodiesOfAllThatArriveAreBoundTogether) {
  const LargeRequests of;
  const std::string body(LargeRequests::kBytes, 'b');
  for (const std::string& head :
       {"Content-Length: 100001\r\n\r\n"s, "Transfer-Encoding: chunked\r\n\r\n186a1\r\n"s}) {
    std::vector<std::unique_ptr<RawClient>> slow;
    for (std::size_t i = 0; i < LargeRequests::kClients; ++i) {
      slow.push_back(of.Sending("PUT / HTTP/1.1\r\n" + head + body));
    }
    EXPECT_TRUE(testing::WaitUntil([&] { return of.Ask(LargeRequests::kBytes) == 503; })) << head;
    EXPECT_EQ(of.Ask(1'000), 200) << head;
    slow.clear();
    EXPECT_TRUE(testing::WaitUntil([&] { return of.Ask(LargeRequests::kBytes) == 200; })) << head;
  }
}

// Else one user's token keeps out all others'.
TEST(HttpLimits, OfTheRoomForLargeBodiesOneHasHalf) {
  const std::string body(LargeRequests::kBytes, 'b');
  ServerOptions options{.large_requests_bytes_max = 8 * LargeRequests::kBytes};
  const auto server = *HttpServer::Start(options, [](const Request& request, Reply reply) {
    Request known = request;
    known.principal = std::make_shared<const Principal>(
        Principal{.name = std::string(request.HeaderValue("Who").value_or("")),
                  .scopes = {},
                  .expires_ms = 1});
    WithBody(
        known, 2 * LargeRequests::kBytes, std::move(reply),
        [](const Request& whole, const Reply& to) { to(Text(std::to_string(whole.body.size()))); });
  });
  const auto head = [](const std::string& who, std::size_t bytes) {
    return "PUT / HTTP/1.1\r\nWho: " + who + "\r\nContent-Length: " + std::to_string(bytes) +
           "\r\n\r\n";
  };
  const auto ask = [&](const std::string& who) {
    const auto answer = RawClient(server->port()).Ask(head(who, body.size()) + body);
    return answer ? answer->status : 0;
  };
  std::vector<std::unique_ptr<RawClient>> slow;
  for (std::size_t i = 0; i < LargeRequests::kClients; ++i) {
    slow.push_back(std::make_unique<RawClient>(server->port()));
    slow.back()->Send(head("one", body.size() + 1) + body);
  }
  EXPECT_TRUE(testing::WaitUntil([&] { return ask("one") == 503; }));
  EXPECT_EQ(ask("other"), 200);
  slow.clear();
  EXPECT_TRUE(testing::WaitUntil([&] { return ask("one") == 200; }));
}

// Behind a handler that refuses /no by its head.
struct ByTheHead : public ::testing::Test {
  std::atomic<std::size_t> bodies = 0;
  std::unique_ptr<HttpServer> server =
      *HttpServer::Start({}, [this](const Request& request, Reply reply) {
        if (request.path == "/no") return reply(Problem(problems::kUnauthenticated, "who asks?"));
        WithBody(request, kBodyMax, std::move(reply), [this](const Request& whole, Reply to) {
          ++bodies;
          Echo(whole, to);
        });
      });

  static std::string Head(const std::string& path, std::size_t bytes, const char* more = "") {
    return "PUT " + path + " HTTP/1.1\r\nContent-Length: " + std::to_string(bytes) + "\r\n" + more +
           "\r\n";
  }
};

TEST_F(ByTheHead, WhoeverMayNotIsToldBeforeTheBodyIsSent) {
  for (const char* expect : {"", "Expect: 100-continue\r\n"}) {
    RawClient client(server->port());
    const auto answer = client.Ask(Head("/no", 24'000'000, expect));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401);
    EXPECT_TRUE(answer->Has("Connection: close"));
    EXPECT_TRUE(client.IsAtEnd());
  }
}

TEST_F(ByTheHead, WhatIsTooLongIsRefusedAtOnceAndNotAskedFor) {
  RawClient client(server->port());
  const auto answer = client.Ask(Head("/", 20'000'000, "Expect: 100-continue\r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_TRUE(client.IsAtEnd());
  EXPECT_EQ(bodies, 0U);
}

TEST_F(ByTheHead, ASmallBodyThatNobodyWantsIsPassedOver) {
  RawClient client(server->port());
  const std::string body(1'000, 'b');
  for (int i = 0; i < 3; ++i) {
    client.Send(Head("/no", body.size()) + body.substr(0, 400));
    const auto answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401);
    EXPECT_FALSE(answer->Has("Connection: close"));
    client.Send(body.substr(400));
    const auto next = client.Ask(Head("/", 3) + "abc");
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "PUT /? abc");
  }
}

TEST_F(ByTheHead, WhatIsTakenMayBeAskedFor) {
  RawClient client(server->port());
  client.Send(Head("/", 3, "Expect: 100-continue\r\n"));
  const auto go_on = client.Read();
  ASSERT_TRUE(go_on);
  EXPECT_EQ(go_on->status, 100);
  const auto answer = client.Ask("abc" + Head("/", 2) + "de");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "PUT /? abc");
  const auto next = client.Read();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "PUT /? de");
}

// Answered later, as by whoever looks at a signature.
TEST(HttpLimits, ABodyIsNotReadBeforeItsHeadIsJudged) {
  Gate gate;
  const auto server =
      HttpServer::Start({}, [&](const Request&, Reply reply) { gate.Take(std::move(reply)); });
  ASSERT_TRUE(server);
  RawClient client((*server)->port());
  const std::string body(std::size_t{16} << 20, 'b');
  client.Send("PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  ASSERT_TRUE(testing::WaitUntil([&] { return gate.seen == 1; }));
  std::size_t sent = 0;
  while (const std::size_t more = client.SendWithoutWaiting(std::string_view(body).substr(sent))) {
    sent += more;
  }
  EXPECT_LT(sent, body.size()) << "it was read";
  gate.AnswerAll(1);
  EXPECT_TRUE(client.Read());
}

TEST(HttpLimits, WhoeverIsAnsweredHoldsNoBody) {
  const LargeRequests of;
  std::vector<std::unique_ptr<RawClient>> idle;
  for (std::size_t i = 0; i < LargeRequests::kClients; ++i) {
    idle.push_back(of.Sending(Put(LargeRequests::kBytes)));
    const auto answer = idle.back()->Read();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, std::to_string(LargeRequests::kBytes)) << i;
  }
}

TEST(HttpLimits, WhatIsNotReadDoesNotPileUp) {
  // The handler answers at once, the client reads nothing: the socket has to fill and stop it.
  std::atomic<std::size_t> answered = 0;
  const auto server = Serve([&](const Request&, const Reply& reply) {
    ++answered;
    reply(Text(std::string(100'000, 'x')));
  });
  RawClient client(server->port(), 4096);
  const std::string request = Get("/", "Padding: " + std::string(8'000, 'p') + "\r\n");
  constexpr std::size_t kAttempts = 20'000;  // 160 MB asked, 2 GB to be answered
  std::size_t refused = 0;
  for (std::size_t i = 0; i < kAttempts && refused < 2'000; ++i) {
    if (client.SendWithoutWaiting(request) == 0) {
      ++refused;
      std::this_thread::yield();
    }
  }
  EXPECT_LT(answered, 2'000U);
}

// All requests stand in one read of one IO thread; another client's comes while the first of them
// is being answered.
TEST(HttpLimits, RequestsThatTakeLongLeaveOthersTheirTurn) {
  constexpr int kPipelined = 40;
  constexpr std::chrono::milliseconds kWork{2};
  ServerOptions options;
  options.turn_max = std::chrono::milliseconds(1);
  std::promise<void> began;
  std::promise<void> other_has_asked;
  std::atomic<int> worked = 0;
  std::atomic<int> worked_before_other = -1;
  const auto server = Serve(
      [&](const Request& request, const Reply& reply) {
        if (request.path == "/other") {
          worked_before_other = worked.load();
        } else if (worked++ == 0) {
          began.set_value();
          other_has_asked.get_future().wait();
        } else {
          const auto until = std::chrono::steady_clock::now() + kWork;
          while (std::chrono::steady_clock::now() < until) continue;
        }
        reply(Text("ok"));
      },
      options);
  RawClient client(server->port());
  RawClient other(server->port());
  ASSERT_TRUE(other.Ask(Get("/other")));  // its connection is known
  std::string requests;
  for (int i = 0; i < kPipelined; ++i) requests += Get("/work");
  client.Send(requests);
  began.get_future().wait();
  other.Send(Get("/other"));
  other_has_asked.set_value();
  EXPECT_TRUE(other.Read());
  EXPECT_LT(worked_before_other, kPipelined / 2);
  for (int i = 0; i < kPipelined; ++i) EXPECT_TRUE(client.Read()) << i;
}

TEST(HttpLimits, ASlowRequestIsAnswered408) {
  ServerOptions options;
  options.request_timeout_ms = kShortMs;
  const auto server = Serve(Echo, options);
  for (const char* sent :
       {"GET / HTT", "GET / HTTP/1.1\r\nA: b\r\n", "PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nx",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nx"}) {
    RawClient client(server->port());
    const auto answer = client.Ask(sent);
    ASSERT_TRUE(answer) << sent;
    EXPECT_EQ(answer->status, 408);
    EXPECT_NE(answer->body.find("request_timeout"), std::string::npos);
    EXPECT_TRUE(client.IsAtEnd());
  }
}

TEST(HttpLimits, BytesThatTrickleInDoNotProlongARequest) {
  ServerOptions options;
  options.request_timeout_ms = kShortMs;
  const auto server = Serve(Echo, options);
  RawClient client(server->port());
  std::jthread trickler([&](const std::stop_token& stop) {
    client.Send("GET / HTTP/1.1\r\nA: ");
    while (!stop.stop_requested() && client.Send("a")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kShortMs / 10));
    }
  });
  EXPECT_EQ(client.Read().value().status, 408);
}

TEST(HttpLimits, ASlowHandlerIsNotTheClientsFault) {
  ServerOptions options;
  options.request_timeout_ms = kShortMs;
  options.idle_timeout_ms = kShortMs;
  std::vector<std::jthread> threads;
  const auto server = Serve(
      [&](const Request&, const Reply& reply) {
        threads.emplace_back([reply] {
          std::this_thread::sleep_for(std::chrono::milliseconds(4 * kShortMs));
          reply(Text("slow"));
        });
      },
      options);
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(Get("/")).value().body, "slow");
}

TEST(HttpLimits, AnIdleConnectionIsClosedWithoutAnAnswer) {
  ServerOptions options;
  options.idle_timeout_ms = kShortMs;
  const auto server = Serve(Echo, options);
  RawClient never_used(server->port());
  RawClient used(server->port());
  ASSERT_TRUE(used.Ask(Get("/")));
  EXPECT_TRUE(never_used.IsAtEnd());
  EXPECT_TRUE(used.IsAtEnd());
}

TEST(HttpLimits, EmptyLinesDoNotKeepAnIdleConnection) {
  ServerOptions options;
  options.idle_timeout_ms = kShortMs;
  const auto server = Serve(Echo, options);
  RawClient client(server->port());
  ASSERT_TRUE(client.Ask(Get("/")));
  std::jthread trickler([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && client.Send("\r\n")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kShortMs / 10));
    }
  });
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpLimits, AClientThatDoesNotReadIsDropped) {
  ServerOptions options;
  options.write_timeout_ms = kShortMs;
  options.connections_max = 1;
  const auto server = Serve(
      [](const Request& request, const Reply& reply) {
        reply(Text(std::string(request.path == "/big" ? std::size_t{64} << 20 : 1, 'x')));
      },
      options);
  RawClient deaf(server->port(), 4096);
  deaf.Send(Get("/big"));
  const auto served = [&] { return RawClient(server->port()).Ask(Get("/")).has_value(); };
  while (!served()) std::this_thread::yield();  // the only place has to be given back
  EXPECT_FALSE(deaf.Read());
}

}  // namespace
}  // namespace fanfold::http
