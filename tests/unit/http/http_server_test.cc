#include "common/http/http_server.h"

#include <chrono>
#include <ctime>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/http/problem.h"
#include "tests/support/wait_until.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

// Keeps every reply, for the test to answer when and where it likes.
class Held {
 public:
  Handler handler() {
    return [this](const Request& request, Reply reply) {
      const std::scoped_lock lock(mutex_);
      targets_.emplace_back(request.path);
      replies_.push_back(std::move(reply));
      changed_.notify_all();
    };
  }

  std::vector<Reply> Wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return replies_.size() >= count; });
    return replies_;
  }

  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return replies_.size();
  }

  void Forget() {
    const std::scoped_lock lock(mutex_);
    replies_.clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> targets_;
  std::vector<Reply> replies_;
};

TEST(HttpServer, AnswersWithStatusHeadersAndBody) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    Response response =
        Text(std::string(request.body) + "|" +
             std::string(request.HeaderValue("Fanfold-Min-Position").value_or("none")));
    response.status = 202;
    response.headers.emplace_back("Fanfold-Position", "3:1");
    reply(std::move(response));
  });
  RawClient client(server->port());
  const auto answer = client.Ask(
      "POST /x HTTP/1.1\r\nContent-Length: 2\r\nfanfold-min-position:  3:1042 \r\n\r\nhi");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 202);
  EXPECT_EQ(answer->body, "hi|3:1042");
  EXPECT_TRUE(answer->Has("\r\nFanfold-Position: 3:1"));
  EXPECT_TRUE(answer->Has("\r\nContent-Type: application/json"));
}

TEST(HttpServer, HeadersOfOneRequestAreNotSeenByTheNext) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    reply(Text(std::string(request.HeaderValue("Fanfold-Min-Position").value_or("none")) + "." +
               std::string(request.body)));
  });
  RawClient client(server->port());
  client.Send("PUT / HTTP/1.1\r\nContent-Length: 1\r\nFanfold-Min-Position: 1:1\r\n\r\nb");
  client.Send(Get("/"));
  EXPECT_EQ(client.Read().value().body, "1:1.b");
  EXPECT_EQ(client.Read().value().body, "none.");
}

TEST(HttpServer, AHeaderOfSeveralLinesIsOneAndAnEmptyOneIsThere) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    reply(Text(std::string(request.HeaderValue("Fanfold-Min-Position").value_or("none"))));
  });
  RawClient client(server->port());
  const std::string name = "Fanfold-Min-Position: ";
  EXPECT_EQ(client.Ask(Get("/", name + "1:2\r\n" + name + "3:4\r\n")).value().body, "1:2,3:4");
  EXPECT_EQ(client.Ask(Get("/", name + "\r\n")).value().body, "");
}

struct MethodCase {
  const char* name;
  const char* sent;
  const char* seen;
  friend void PrintTo(const MethodCase& of, std::ostream* out) { *out << of.name; }
};
class RequestLine : public ::testing::TestWithParam<MethodCase> {};

TEST_P(RequestLine, IsSeenByTheHandler) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  const auto answer = client.Ask(std::string(GetParam().sent) + " HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, GetParam().seen);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RequestLine,
    ::testing::Values(MethodCase{"Get", "GET /a", "GET /a? "},
                      MethodCase{"Put", "PUT /a?b=%20c", "PUT /a?b=%20c "},
                      MethodCase{"Delete", "DELETE /a?b?c", "DELETE /a?b?c "},
                      MethodCase{"Unknown", "BREW /a", "OTHER /a? "},
                      MethodCase{"Options", "OPTIONS *", "OPTIONS *? "},
                      MethodCase{"AbsoluteForm", "GET http://h:1/a?b", "GET /a?b "},
                      MethodCase{"AbsoluteFormWithoutPath", "GET http://h", "GET /? "}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HttpServer, AnswersGoOutInTheOrderOfTheRequests) {
  Held held;
  const auto server = Serve(held.handler());
  RawClient client(server->port());
  client.Send(Get("/0") + Get("/1") + Get("/2") + Get("/3"));
  const std::vector<Reply> replies = held.Wait(4);
  ASSERT_EQ(replies.size(), 4U);
  std::vector<std::jthread> threads;
  for (std::size_t i = replies.size(); i-- > 0;) {
    threads.emplace_back([&, i] { replies[i](Text(std::to_string(i))); });
    threads.back().join();
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.Read().value().body, std::to_string(i));
}

TEST(HttpServer, AnswersFromManyThreadsKeepTheirOrderAndAreAllSent) {
  constexpr int kRequests = 2'000;
  std::vector<std::jthread> threads;
  std::mutex mutex;
  const auto server = Serve([&](const Request& request, const Reply& reply) {
    const std::scoped_lock lock(mutex);
    if (threads.size() > 8) threads.clear();
    threads.emplace_back([reply, path = std::string(request.path)] { reply(Text(path)); });
  });
  RawClient client(server->port());
  std::jthread sender([&] {
    for (int i = 0; i < kRequests; ++i) client.Send(Get("/" + std::to_string(i)));
  });
  for (int i = 0; i < kRequests; ++i) {
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << i;
    ASSERT_EQ(answer->body, "/" + std::to_string(i));
  }
}

TEST(HttpServer, ManyClientsOnSeveralIoThreadsAreServed) {
  ServerOptions options;
  options.io_threads = 3;
  const auto server = Serve(Echo, options);
  std::vector<std::jthread> clients;
  std::atomic<int> served = 0;
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&] {
      RawClient client(server->port());
      for (int j = 0; j < 50; ++j) served += client.Ask(Get("/x")).value().status == 200 ? 1 : 0;
    });
  }
  clients.clear();
  EXPECT_EQ(served, 16 * 50);
}

TEST(HttpServer, HeadGivesTheHeadersWithoutTheBody) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("HEAD /a HTTP/1.1\r\n\r\n" + Get("/b"));
  const auto head = client.Read(true);
  EXPECT_TRUE(head.value().Has("Content-Length: 9"));  // "HEAD /a? "
  EXPECT_EQ(client.Read().value().body, "GET /b? ");
}

TEST(HttpServer, ALongBodyAndALongAnswerArriveWhole) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    reply(Text(std::string(request.body) + std::string(8 << 20, 'y')));
  });
  RawClient client(server->port());
  const std::string body(1 << 20, 'x');
  const auto answer = client.Ask(
      "PUT / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body.size(), body.size() + (8 << 20));
  EXPECT_EQ(answer->body.substr(0, body.size()), body);
}

TEST(HttpServer, AChunkedBodyIsPutTogether) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  const auto answer = client.Ask(
      "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: 1\r\n\r\n");
  EXPECT_EQ(answer.value().body, "POST /c? abcdefg");
}

TEST(HttpServer, ExpectedContinueIsSentBeforeTheBodyArrives) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  const auto interim =
      client.Ask("PUT /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(interim.value().status, 100);
  EXPECT_EQ(client.Ask("ok").value().body, "PUT /e? ok");
}

struct PersistenceCase {
  const char* name;
  const char* request;
  bool stays;
  const char* header;
  friend void PrintTo(const PersistenceCase& of, std::ostream* out) { *out << of.name; }
};
class Persistence : public ::testing::TestWithParam<PersistenceCase> {};

TEST_P(Persistence, FollowsTheVersionAndTheHeader) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  const auto answer = client.Ask(GetParam().request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(answer->Has(GetParam().header)) << answer->head;
  if (GetParam().stays) {
    EXPECT_TRUE(client.Ask(Get("/again")));
  } else {
    EXPECT_TRUE(client.IsAtEnd());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Versions, Persistence,
    ::testing::Values(
        PersistenceCase{"Http11Stays", "GET / HTTP/1.1\r\n\r\n", true, "HTTP/1.1 200"},
        PersistenceCase{"Http11Close", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", false,
                        "Connection: close"},
        PersistenceCase{"Http10Closes", "GET / HTTP/1.0\r\n\r\n", false, "Connection: close"},
        PersistenceCase{"Http10KeepAlive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true,
                        "Connection: keep-alive"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HttpServer, RequestsBehindACloseAreNotAnswered) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send(Get("/1", "Connection: close\r\n") + Get("/2"));
  EXPECT_EQ(client.Read().value().body, "GET /1? ");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServer, AClientThatHasFinishedSendingIsStillAnswered) {
  Held held;
  const auto server = Serve(held.handler());
  RawClient client(server->port());
  client.Send(Get("/"));
  client.FinishSending();
  held.Wait(1).at(0)(Text("late"));
  EXPECT_EQ(client.Read().value().body, "late");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServer, ADroppedReplyAnswers500) {
  const auto server = Serve([](const Request&, const Reply&) {});
  RawClient client(server->port());
  const auto answer = client.Ask(Get("/"));
  EXPECT_EQ(answer.value().status, 500);
  EXPECT_NE(answer->body.find("\"internal\""), std::string::npos);
}

TEST(HttpServer, AReplyDroppedLaterAnswers500) {
  Held held;
  const auto server = Serve(held.handler());
  RawClient client(server->port());
  client.Send(Get("/"));
  held.Wait(1);
  held.Forget();
  EXPECT_EQ(client.Read().value().status, 500);
}

TEST(HttpServer, AThrowingHandlerAnswers500AndTheConnectionGoesOn) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    if (request.path == "/throw") throw std::runtime_error("secret");
    if (request.path == "/throw-int") throw 1;
    Echo(request, reply);
  });
  RawClient client(server->port());
  const auto answer = client.Ask(Get("/throw"));
  EXPECT_EQ(answer.value().status, 500);
  EXPECT_EQ(answer->body.find("secret"), std::string::npos);
  EXPECT_EQ(client.Ask(Get("/throw-int")).value().status, 500);
  EXPECT_EQ(client.Ask(Get("/fine")).value().status, 200);
}

TEST(HttpServer, TellsOfEachAnswerThatIsItsOwnFailure) {
  std::mutex mutex;
  std::vector<std::string> told;
  ServerOptions options;
  options.on_server_error = [&](const Response& response) {
    const std::scoped_lock lock(mutex);
    told.push_back(std::to_string(response.status) + ' ' + std::string(response.problem));
  };
  const auto server = HttpServer::Start(options, [](const Request& request, const Reply& reply) {
    if (request.path == "/throw") throw std::runtime_error("secret");
    if (request.path == "/busy") return reply(Problem(problems::kOverloaded, "full"));
    if (request.path == "/passed-on") {
      Response of_another = Text("{}");
      of_another.status = 503;
      return reply(std::move(of_another));
    }
    if (request.path == "/wrong") return reply(Problem(problems::kInvalidArgument, "wrong"));
    if (request.path == "/fine") reply(Text("fine"));
  });
  ASSERT_TRUE(server);
  RawClient client((*server)->port());
  for (const char* path : {"/throw", "/busy", "/passed-on", "/wrong", "/fine", "/forgotten"}) {
    ASSERT_TRUE(client.Ask(Get(path))) << path;
  }
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(told, (std::vector<std::string>{"500 internal", "503 overloaded", "500 internal"}));
}

TEST(HttpServer, OnlyTheFirstAnswerCounts) {
  const auto server = Serve([](const Request&, const Reply& reply) {
    reply(Text("first"));
    reply(Text("second"));
  });
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(Get("/")).value().body, "first");
  EXPECT_EQ(client.Ask(Get("/")).value().body, "first");
}

TEST(HttpServer, AnAnswerAfterTheServerIsGoneDoesNothing) {
  Held held;
  ServerOptions options;
  options.drain_timeout_ms = 50;
  auto server = Serve(held.handler(), options);
  RawClient client(server->port());
  client.Send(Get("/1") + Get("/2"));
  const std::vector<Reply> replies = held.Wait(2);
  server.reset();
  replies.at(0)(Text("nobody reads this"));
  held.Forget();
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServer, AnAnswerToAClientThatIsGoneDoesNothing) {
  Held held;
  const auto server = Serve(held.handler());
  {
    RawClient client(server->port());
    client.Send(Get("/"));
    held.Wait(1);
  }
  held.Wait(1).at(0)(Text("nobody reads this"));
  held.Forget();
  RawClient other(server->port());
  other.Send(Get("/"));
  held.Wait(1).at(0)(Text("served"));
  EXPECT_EQ(other.Read().value().body, "served");
}

// How a client asks before it goes.
struct GoneCase {
  const char* name;
  std::string requests;
  friend void PrintTo(const GoneCase& of, std::ostream* out) { *out << of.name; }
};
class Gone : public ::testing::TestWithParam<GoneCase> {};

std::string Pipelined(std::size_t count) {
  std::string requests;
  for (std::size_t i = 0; i < count; ++i) requests += Get("/");
  return requests;
}

TEST_P(Gone, IsNoticedWhileHisRequestsWait) {
  Held held;
  std::promise<CallerPtr> caller;
  std::atomic<bool> is_first = true;
  const auto server = Serve([&, hold = held.handler()](const Request& request, const Reply& reply) {
    if (is_first.exchange(false)) caller.set_value(request.caller);
    hold(request, reply);
  });
  auto client = std::make_optional<RawClient>(server->port());
  client->Send(GetParam().requests);
  const CallerPtr waiting = caller.get_future().get();
  EXPECT_FALSE(waiting->is_gone());
  client.reset();
  while (!waiting->is_gone()) std::this_thread::yield();  // bounded by the test's time
  held.Forget();
}

INSTANTIATE_TEST_SUITE_P(
    Requests, Gone,
    ::testing::Values(GoneCase{"One", Get("/")},
                      GoneCase{"TheLastOne", Get("/", "Connection: close\r\n")},
                      GoneCase{"MoreThanAreTaken", Pipelined(ServerOptions().pipelined_max + 1)}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(HttpServer, AHeaderValueCannotEndItsLine) {
  const auto server = Serve([](const Request&, const Reply& reply) {
    Response response = Text("x");
    response.headers.emplace_back("A", "1\r\nB: 2");
    reply(std::move(response));
  });
  RawClient client(server->port());
  EXPECT_TRUE(client.Ask(Get("/")).value().Has("\r\nA: 1  B: 2"));
}

TEST(HttpServer, StopDeliversTheAnswersUnderWayAndRefusesNewClients) {
  Held held;
  const auto server = Serve(held.handler());
  const std::uint16_t port = server->port();
  RawClient client(port);
  RawClient idle(port);
  client.Send(Get("/1") + Get("/2"));
  const std::vector<Reply> replies = held.Wait(2);
  std::jthread stopper([&] { server->Stop(); });
  EXPECT_TRUE(idle.IsAtEnd());  // the drain has begun
  EXPECT_FALSE(RawClient(port).connected());
  replies.at(1)(Text("2"));
  replies.at(0)(Text("1"));
  EXPECT_EQ(client.Read().value().body, "1");
  const auto last = client.Read();
  EXPECT_EQ(last.value().body, "2");
  EXPECT_TRUE(last->Has("Connection: close"));
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServer, StopLetsARequestThatHasBegunToArriveFinish) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  RawClient idle(server->port());
  ASSERT_TRUE(idle.Ask(Get("/")));
  ASSERT_TRUE(client.Ask(Get("/") + "GET /half"));
  std::jthread stopper([&] { server->Stop(); });
  EXPECT_TRUE(idle.IsAtEnd());
  EXPECT_EQ(client.Ask(" HTTP/1.1\r\n\r\n").value().body, "GET /half? ");
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpServer, StopWaitsNoLongerThanItsLimit) {
  Held held;
  ServerOptions options;
  options.drain_timeout_ms = 100;
  const auto server = Serve(held.handler(), options);
  RawClient client(server->port());
  client.Send(Get("/"));
  held.Wait(1);
  const std::int64_t begin_ms = SystemClock().SteadyMs();
  server->Stop();
  EXPECT_GE(SystemClock().SteadyMs() - begin_ms, 100);
  EXPECT_TRUE(client.IsAtEnd());
  server->Stop();  // once more does nothing
}

TEST(HttpServer, SeveralMayDrainAtOnce) {
  Held held;
  ServerOptions options;
  options.drain_timeout_ms = 500;
  const auto one = Serve(held.handler(), options);
  const auto other = Serve(held.handler(), options);
  RawClient half(one->port());
  RawClient of_other(other->port());
  half.Send("PUT / HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
  of_other.Send(Get("/"));
  held.Wait(1);
  const std::int64_t begin_ms = SystemClock().SteadyMs();
  one->Drain();
  other->Drain();
  one->Stop();
  other->Stop();
  EXPECT_LT(SystemClock().SteadyMs() - begin_ms, 2 * options.drain_timeout_ms);
}

TEST(HttpServer, EveryAnswerHasItsDate) {
  const auto server = Serve(Echo);
  for (const std::string& asked :
       {Get("/"), std::string("GET / HTTP/1.0\r\n\r\n"), std::string("HEAD / HTTP/1.1\r\n\r\n"),
        std::string("no request\r\n\r\n")}) {
    RawClient client(server->port());
    client.Send(asked);
    const auto answer = client.Read(/*without_body=*/true);
    ASSERT_TRUE(answer) << asked;
    const std::size_t at = answer->head.find("\r\nDate: ");
    ASSERT_NE(at, std::string::npos) << asked;
    std::tm date{};
    const char* end = strptime(answer->head.c_str() + at + 8, "%a, %d %b %Y %H:%M:%S GMT", &date);
    ASSERT_NE(end, nullptr) << answer->head;
    EXPECT_LE(std::abs(std::difftime(timegm(&date), std::time(nullptr))), 60);
  }
}

class Listening : public ::testing::TestWithParam<int> {};

TEST_P(Listening, ATakenPortIsRefused) {
  ServerOptions options;
  options.io_threads = GetParam();
  const auto server = Serve(Echo, options);
  options.port = server->port();
  const auto second = HttpServer::Start(options, Echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kRefused);
}

TEST_P(Listening, AFreedPortIsTakenAgain) {
  ServerOptions options;
  options.io_threads = GetParam();
  auto server = Serve(Echo, options);
  options.port = server->port();
  RawClient client(server->port());
  client.Ask(Get("/"));
  server.reset();
  EXPECT_TRUE(HttpServer::Start(options, Echo));
}

INSTANTIATE_TEST_SUITE_P(IoThreads, Listening, ::testing::Values(1, 2),
                         ::testing::PrintToStringParamName());

TEST(HttpServer, AnAddressThatIsNoneIsRefused) {
  ServerOptions options;
  options.bind = "nowhere";
  const auto server = HttpServer::Start(options, Echo);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kInvalidArgument);
}

TEST(HttpServer, OneThatIsSlowedDownIsServedLater) {
  const auto server = Serve([](const Request& request, const Reply& reply) {
    if (request.path == "/slow") request.caller->PauseUntil(SystemClock().SteadyMs() + 300);
    reply(Text(std::to_string(SystemClock().SteadyMs())));
  });
  RawClient client(server->port());
  const std::int64_t first = std::stoll(client.Ask(Get("/slow")).value_or(Answer()).body);
  const std::int64_t second = std::stoll(client.Ask(Get("/")).value_or(Answer()).body);
  EXPECT_GE(second - first, 300);
}

// The answer to a client that connected before its server stopped, and asks after the port closed.
std::optional<Answer> AskOneThatStops() {
  const auto server = Serve(Echo);
  RawClient asks(server->port());
  RawClient silent(server->port());
  EXPECT_TRUE(asks.connected() && silent.connected());
  const std::jthread stopping([&] { server->Stop(); });
  EXPECT_TRUE(testing::WaitUntil([&] { return !RawClient(server->port()).connected(); }));
  const auto answer = asks.Ask(Get("/"));
  EXPECT_TRUE(asks.IsAtEnd());
  EXPECT_TRUE(silent.IsAtEnd());
  return answer;
}

TEST(HttpServer, WhoHasJustConnectedIsServedByOneThatStops) {
  const std::optional<Answer> answer = AskOneThatStops();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(answer->Has("Connection: close"));
}

}  // namespace
}  // namespace fanfold::http
