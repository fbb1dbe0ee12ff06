#include "common/http/authentication.h"

#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/access/token_file.h"
#include "common/http/route_access.h"
#include "tests/support/manual_clock.h"
#include "tests/support/signing_key.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

constexpr std::int64_t kNowMs = 1'000'000'000;

class AuthenticationTest : public ::testing::Test {
 protected:
  AuthenticationTest() {
    clock_.now_ms = kNowMs;
    const std::string tokens = folder_.path() + "/tokens.json";
    const std::string keys = folder_.path() + "/keys.json";
    const MadeToken made = MakeStaticToken(Scopes::All(), kNowMs, {}, "");
    token_ = made.text;
    std::ofstream(tokens) << StaticTokensText({made.token});
    std::ofstream(keys) << JwkSetOf({key_.Jwk()});
    auto authority = Authority::Open(
        {.tokens_file = tokens, .keys_file = keys, .jwt = {"i", "a", 600'000}}, metrics_);
    EXPECT_TRUE(authority) << authority.error().message;
    verifier_ = std::make_unique<Verifier>(*std::move(authority), clock_, metrics_);
  }

  // Who is seen to ask; the status where nobody gets that far.
  std::string Asked(std::optional<std::string> authorization, const std::string& body = "") {
    std::atomic<int> status = 0;
    std::string who;
    {
      Headers headers;
      EXPECT_TRUE(!authorization || headers.Add("Authorization", *authorization));
      std::string path = "/a";
      std::string sent = body;
      Request request;
      request.path = path;
      request.body = sent;
      request.headers = &headers;
      const Handler handler =
          Authenticated(*verifier_)([&who, body](const Request& asked, const Reply& reply) {
            EXPECT_EQ(asked.path, "/a");
            EXPECT_EQ(asked.body, body);
            EXPECT_NE(asked.headers, nullptr);
            who = asked.principal ? asked.principal->name : "nobody";
            reply(Response{});
          });
      handler(request, Reply([&status](const Response& response) { status = response.status; }));
      path = "gone";
      sent.assign(sent.size(), 'x');
    }
    EXPECT_TRUE(testing::WaitUntil([&] { return status != 0; }));
    return status == 200 ? who : std::to_string(status);
  }
  [[nodiscard]] std::string Signed() const {
    return key_.Sign(R"({"iss":"i","aud":"a","exp":1000300,"sub":"ada","scope":"users:any"})");
  }

  const testing::TempFolder folder_;
  const SigningKey key_{"k", "ES256"};
  testing::ManualClock clock_;
  Metrics metrics_;
  std::string token_;
  std::unique_ptr<Verifier> verifier_;
};

TEST_F(AuthenticationTest, WhoSaysNothingIsNobody) { EXPECT_EQ(Asked({}), "nobody"); }

TEST_F(AuthenticationTest, ATokenSaysWho) {
  EXPECT_EQ(Asked("Bearer " + token_), "token " + token_.substr(0, 12));
  EXPECT_EQ(Asked("bearer  " + token_), "token " + token_.substr(0, 12));
}

TEST_F(AuthenticationTest, WhatIsNoGoodTokenIs401) {
  for (const std::string& wrong :
       {std::string(), std::string("Bearer"), std::string("Bearer "), token_, "Basic " + token_,
        "Bearer " + token_ + "0", "Bearer " + token_ + ",Bearer " + token_,
        std::string("Bearer a.b.c"), "Bearer " + token_ + " x"}) {
    EXPECT_EQ(Asked(wrong), "401") << wrong;
  }
}

TEST_F(AuthenticationTest, SeveralHeadersAreNamedAsWhatIsWrong) {
  const auto server = Serve(
      Authenticated(*verifier_)([](const Request&, const Reply& reply) { reply(Text("served")); }));
  const std::string shown = "Authorization: Bearer " + token_ + "\r\n";
  RawClient client(server->port());
  client.Send(Get("/", shown + shown));
  const Answer answer = client.Read().value_or(Answer());
  EXPECT_EQ(answer.status, 401);
  EXPECT_TRUE(answer.body.contains("more than one Authorization header")) << answer.body;
}

TEST_F(AuthenticationTest, ASignedTokenIsJudgedWhileTheRequestIsKept) {
  const std::string token = Signed();
  EXPECT_EQ(Asked("Bearer " + token, "a body"), "i ada");
  EXPECT_EQ(Asked("Bearer " + token, "a body"), "i ada");
  EXPECT_EQ(Asked("Bearer " + SigningKey("k", "ES256").Sign("{}")), "401");
}

// An address of which two tokens that are not good may come.
class PlacesTest : public AuthenticationTest {
 protected:
  static constexpr int kOfSomebody = 299;

  int Probe(const char* path, const std::string& token) {
    const auto status = Ask(token, {}, path);
    EXPECT_TRUE(testing::WaitUntil([&] { return *status != 0; }));
    return *status;
  }
  // The status; 0 where there is none yet.
  std::shared_ptr<std::atomic<int>> Ask(const std::string& token, Caller::Post post = {},
                                        const char* path = "/a") {
    Headers headers;
    EXPECT_TRUE(headers.Add("Authorization", "Bearer " + token));
    Request request;
    request.path = path;
    request.headers = &headers;
    request.caller = std::make_shared<Caller>(PeerAddress(), std::move(post));
    auto status = std::make_shared<std::atomic<int>>(0);
    Authenticated(*verifier_, &limits_)([](const Request& asked, const Reply& reply) {
      Response response;
      response.status = asked.principal ? kOfSomebody : 200;
      reply(std::move(response));
    })(request, Reply([status](const Response& response) { *status = response.status; }));
    return status;
  }
  [[nodiscard]] std::string SignedOf(int subject) const {
    return key_.Sign(fmt::format(
        R"({{"iss":"i","aud":"a","exp":1000300,"sub":"{}","scope":"users:any"}})", subject));
  }

  Limits limits_{{.strangers_per_second = 1}, clock_, metrics_};
};

TEST_F(PlacesTest, OneWhoGoesWhileHisTokenIsJudgedTakesNone) {
  for (int i = 0; i < 2; ++i) (void)Ask(SignedOf(i), [](const auto&) {});
  std::atomic<bool> judged = false;
  ASSERT_TRUE(verifier_->Verify(SignedOf(2), 1, [&](const auto&) { judged = true; }));
  EXPECT_TRUE(testing::WaitUntil([&] { return judged.load(); }));
  const auto status = Ask(SignedOf(3));
  EXPECT_TRUE(testing::WaitUntil([&] { return *status != 0; }));
  EXPECT_EQ(*status, kOfSomebody);
}

TEST_F(PlacesTest, OneWhoseTokenIsNotJudgedTakesNone) {
  // The judge's thread stands in the first one's call, and what may wait for it waits.
  std::atomic<bool> go_on = false;
  std::atomic<bool> stands = false;
  std::atomic<bool> judged = false;
  ASSERT_TRUE(verifier_->Verify(SignedOf(0), 1, [&](const auto&) {
    stands = true;
    EXPECT_TRUE(testing::WaitUntil([&] { return go_on.load(); }));
  }));
  EXPECT_TRUE(testing::WaitUntil([&] { return stands.load(); }));
  ASSERT_TRUE(verifier_->Verify(SignedOf(1), Verifier::kWaitingBytesMax,
                                [&](const auto&) { judged = true; }));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*Ask(SignedOf(2)), 503);
  EXPECT_EQ(*Ask(SignedOf(2), {}, "/healthz"), 200);
  go_on = true;
  EXPECT_TRUE(testing::WaitUntil([&] { return judged.load(); }));
  const auto status = Ask(SignedOf(2));
  EXPECT_TRUE(testing::WaitUntil([&] { return *status != 0; }));
  EXPECT_EQ(*status, kOfSomebody);
}

TEST_F(PlacesTest, AProbeIsAnsweredWhateverItShows) {
  const std::string wrong = SigningKey("k", "ES256").Sign("{}");
  const std::string expired =
      key_.Sign(R"({"iss":"i","aud":"a","exp":999999,"sub":"ada","scope":"users:any"})");
  for (const char* path : {"/healthz", "/readyz"}) {
    for (const std::string& token : {std::string(), std::string("a.b.c"), token_ + "0"})
      EXPECT_EQ(Probe(path, token), 200) << token;
    EXPECT_EQ(Probe(path, token_), kOfSomebody);
    clock_.now_ms += 2'000;  // two places again
    EXPECT_EQ(Probe(path, SignedOf(0)), kOfSomebody);
    EXPECT_EQ(Probe(path, wrong), 200);
    EXPECT_EQ(Probe(path, expired), 200);
    // There is no place left.
    EXPECT_EQ(Probe(path, wrong), 200);
    EXPECT_EQ(Probe(path, SignedOf(1)), 200);
    EXPECT_EQ(*Ask(wrong), 429);
    clock_.now_ms += 2'000;
  }
  EXPECT_NE(metrics_.Text().find("fanfold_http_limited_total 2"), std::string::npos);
}

TEST_F(AuthenticationTest, AHandlerThatThrowsBehindTheJudgementAnswers500) {
  Headers headers;
  ASSERT_TRUE(headers.Add("Authorization", "Bearer " + Signed()));
  Request request;
  request.headers = &headers;
  std::atomic<int> status = 0;
  const Handler handler = Authenticated(*verifier_)(
      [](const Request&, const Reply&) { throw std::runtime_error("no"); });
  handler(request, Reply([&status](const Response& response) { status = response.status; }));
  EXPECT_TRUE(testing::WaitUntil([&] { return status == 500; }));
}

TEST_F(AuthenticationTest, PipelinedRequestsKeepTheirOrderWhileATokenIsJudged) {
  std::vector<std::string> seen;  // on the server's one thread
  const auto server =
      Serve(Authenticated(*verifier_)([&seen](const Request& request, const Reply& reply) {
        seen.push_back(std::string(request.path) + (request.principal ? " known" : " nobody"));
        reply(Text("served"));
      }));
  const std::string judged = "Authorization: Bearer " + Signed() + "\r\n";
  const std::string at_once = "Authorization: Bearer " + token_ + "\r\n";
  RawClient client(server->port());
  client.Send(Get("/1", judged) + Get("/2", at_once) + Get("/3") + Get("/4", judged));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.Read().value_or(Answer()).status, 200);
  EXPECT_EQ(seen, (std::vector<std::string>{"/1 known", "/2 known", "/3 nobody", "/4 known"}));
}

TEST_F(AuthenticationTest, ABodyIsTakenOnceItsHeadHasShownAGoodToken) {
  const auto started = HttpServer::Start(
      {}, Authenticated(*verifier_)([](const Request& request, Reply reply) {
        if (!request.principal) return reply(Unauthenticated());
        WithBody(request, 100'000, std::move(reply), [](const Request& whole, const Reply& to) {
          to(Text((whole.principal ? "known " : "nobody ") + std::string(whole.body)));
        });
      }));
  ASSERT_TRUE(started);
  const auto put = [](const std::string& token, std::size_t bytes) {
    return "PUT / HTTP/1.1\r\nAuthorization: Bearer " + token +
           "\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
  };
  RawClient client((*started)->port());
  const std::string large(50'000, 'b');
  for (const std::string& token : {Signed(), token_, Signed()}) {
    client.Send(put(token, large.size()) + large + put(token, 1) + "c");
    EXPECT_EQ(client.Read().value_or(Answer()).body, "known " + large);
    EXPECT_EQ(client.Read().value_or(Answer()).body, "known c");
  }
  for (const std::string& wrong : {token_ + "0", SigningKey("k", "ES256").Sign("{}")}) {
    RawClient stranger((*started)->port());
    EXPECT_EQ(stranger.Ask(put(wrong, 24'000'000)).value_or(Answer()).status, 401);
    EXPECT_TRUE(stranger.IsAtEnd());
  }
}

TEST_F(AuthenticationTest, AConnectionThatGoesWhileItsTokenIsJudgedIsForgotten) {
  const auto server = Serve(
      Authenticated(*verifier_)([](const Request&, const Reply& reply) { reply(Text("served")); }));
  for (int i = 0; i < 50; ++i) {
    RawClient client(server->port());
    client.Send(Get("/", "Authorization: Bearer " + Signed() + "\r\n"));
  }
  RawClient client(server->port());
  EXPECT_EQ(client.Ask(Get("/")).value_or(Answer()).status, 200);
}

}  // namespace
}  // namespace fanfold::http
