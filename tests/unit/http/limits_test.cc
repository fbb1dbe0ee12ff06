#include "common/http/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/logging.h"
#include "tests/support/manual_clock.h"
#include "tests/support/wait_until.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

PrincipalPtr Named(const char* name, std::optional<UserId> user = {}) {
  return std::make_shared<const Principal>(
      Principal{.name = name, .scopes = {}, .user = user, .by = std::make_shared<Credential>()});
}

class LimitsTest : public ::testing::Test {
 protected:
  void Begin(LimitRules rules) {
    limits_ = std::make_unique<Limits>(std::move(rules), clock_, metrics_);
  }

  // What a request is answered behind the limits.
  Response Ask(PrincipalPtr who, const char* address = "10.0.0.7", const char* path = "/a",
               const char* noted = nullptr) {
    Headers headers;
    EXPECT_TRUE(noted == nullptr || headers.Add("X-Forwarded-For", noted));
    Request request;
    request.path = path;
    request.headers = &headers;
    request.principal = std::move(who);
    request.caller = std::make_shared<Caller>(PeerAddress::Parse(address).value());
    const auto answer = std::make_shared<Response>();  // it may come later
    Limited (*limits_)([this](const Request&, const Reply& reply) {
      if (keeps_) return kept_.push_back(reply);
      reply(Response{});
    })(request, Reply([answer](Response response) {
         response.held = nullptr;  // it is sent
         *answer = std::move(response);
       }));
    return *answer;
  }
  int Served(int requests, const PrincipalPtr& who, const char* address = "10.0.0.7") {
    int served = 0;
    for (int i = 0; i < requests; ++i) served += Ask(who, address).status == 200 ? 1 : 0;
    return served;
  }

  testing::ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<Limits> limits_;
  bool keeps_ = false;
  std::vector<Reply> kept_;
};

TEST_F(LimitsTest, TwoSecondsWorthMayComeAtOnceAndThenItsRate) {
  Begin({.per_second = 10});
  const PrincipalPtr ada = Named("ada");
  EXPECT_EQ(Served(30, ada), 20);
  clock_.now_ms += 99;
  EXPECT_EQ(Served(3, ada), 0);
  clock_.now_ms += 1;
  EXPECT_EQ(Served(3, ada), 1);
  clock_.now_ms += 1'000;
  EXPECT_EQ(Served(30, ada), 10);
  clock_.now_ms += 1'000'000;
  EXPECT_EQ(Served(30, ada), 20);
}

TEST_F(LimitsTest, EachHasHisOwn) {
  Begin({.per_second = 10});
  EXPECT_EQ(Served(30, Named("ada")), 20);
  EXPECT_EQ(Served(30, Named("bob")), 20);
  EXPECT_EQ(Served(30, Named("ada", UserId(1))), 20);
  EXPECT_EQ(Served(30, Named("ada", UserId(2))), 20);
  EXPECT_EQ(Served(30, Named("ada")), 0);
  // Whatever the address, and whichever token of the owner.
  EXPECT_EQ(Served(30, Named("ada"), "10.0.0.8"), 0);
}

TEST_F(LimitsTest, WhereNobodyIsAskedItIsByAddress) {
  Begin({.per_second = 10});
  const auto anyone = std::make_shared<const Principal>(Principal{.name = "anyone", .scopes = {}});
  EXPECT_EQ(Served(30, anyone, "10.0.0.7"), 20);
  EXPECT_EQ(Served(30, anyone, "10.0.0.8"), 20);
  EXPECT_EQ(Served(30, anyone, "2001:db8::1"), 20);
  EXPECT_EQ(Served(30, anyone, "2001:db8::2"), 0);
}

TEST_F(LimitsTest, StrangersHaveTheirs) {
  Begin({.per_second = 100, .strangers_per_second = 5});
  EXPECT_EQ(Served(30, nullptr), 10);
  EXPECT_EQ(Served(30, Named("ada")), 30);
  Request request;
  request.caller = std::make_shared<Caller>(PeerAddress::Parse("10.0.0.8").value());
  for (int i = 0; i < 30; ++i) {
    EXPECT_FALSE(limits_->RefuseStranger(request));
    limits_->GiveBack(request);
  }
}

TEST_F(LimitsTest, WhatAProxyNotesCountsWhereItIsTrusted) {
  Begin({.strangers_per_second = 5, .trusted_proxies = {PeerNetwork::Parse("10.0.0.0/8").value()}});
  const auto served = [this](const char* address, const char* noted) {
    int count = 0;
    for (int i = 0; i < 30; ++i) count += Ask(nullptr, address, "/a", noted).status == 200 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(served("10.0.0.1", "1.1.1.1"), 10);
  EXPECT_EQ(served("10.0.0.2", "9.9.9.9, 1.1.1.1"), 0);
  EXPECT_EQ(served("10.0.0.1", "1.1.1.2"), 10);
  EXPECT_EQ(served("8.8.8.8", "1.1.1.3"), 10);
  EXPECT_EQ(served("8.8.8.8", "1.1.1.4"), 0);
}

// What the log says of one that notes from where, twice, and of another one.
class UntrustedProxy : public LimitsTest {
 protected:
  std::string Told(LimitRules rules, const PrincipalPtr& who, const char* noted = "1.1.1.1") {
    StartLogging("test", LogLevel::kInfo);
    Begin(std::move(rules));
    ::testing::internal::CaptureStderr();
    for (const char* from : {"10.0.0.7", "10.0.0.7", "192.0.2.1"})
      (void)Ask(who, from, "/a", noted);
    return ::testing::internal::GetCapturedStderr();
  }
  const PrincipalPtr anyone_ =
      std::make_shared<const Principal>(Principal{.name = "anyone", .scopes = {}});
};

TEST_F(UntrustedProxy, IsToldOnce) {
  for (const LimitRules& rules : {LimitRules{.per_second = 5}, LimitRules{.at_once_max = 5}}) {
    const std::string told = Told(rules, anyone_);
    EXPECT_EQ(std::ranges::count(told, '\n'), 1) << told;
    EXPECT_NE(told.find(R"("level":"warning")"), told.npos) << told;
    EXPECT_NE(told.find(R"("from":"10.0.0.7")"), told.npos) << told;
    EXPECT_NE(told.find("trusted_proxies"), told.npos) << told;
  }
  EXPECT_NE(Told({.strangers_per_second = 5}, nullptr), "");
}

TEST_F(UntrustedProxy, IsToldBesideThoseThatAreTrusted) {
  const auto trusted = PeerNetwork::Parse("10.0.0.0/8").value();
  const std::string told = Told({.per_second = 5, .trusted_proxies = {trusted}}, anyone_);
  EXPECT_NE(told.find(R"("from":"192.0.2.1")"), told.npos) << told;
  EXPECT_EQ(told.find("10.0.0.7"), told.npos) << told;
}

TEST_F(UntrustedProxy, IsNotToldWhereNothingHangsOnIt) {
  EXPECT_EQ(Told({.per_second = 5}, anyone_, nullptr), "");
  EXPECT_EQ(Told({.per_second = 5}, Named("ada")), "");
  EXPECT_EQ(Told({.per_second = 5}, nullptr), "");
}

TEST_F(LimitsTest, SaysWhenToComeAgain) {
  Begin({.per_second = 0.25});
  EXPECT_EQ(Ask(Named("ada")).status, 200);
  const Response refused = Ask(Named("ada"));
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(refused.body.find("\"rate_limited\""), std::string::npos);
  EXPECT_EQ(refused.headers, (std::vector<Header>{{"Retry-After", "4"},
                                                  {"RateLimit-Policy", R"("requests";q=1;w=2)"},
                                                  {"RateLimit", R"("requests";r=0;t=4)"}}));
  EXPECT_NE(metrics_.Text().find("fanfold_http_limited_total 1"), std::string::npos);
}

TEST_F(LimitsTest, WhoeverIsRefusedWaitsUnlessHeIsAProxy) {
  Begin({.per_second = 1, .trusted_proxies = {PeerNetwork::Parse("10.0.0.0/8").value()}});
  for (const auto& [address, pauses] : {std::pair{"8.8.8.8", true}, std::pair{"10.0.0.7", false}}) {
    Request request;
    request.principal = Named(address);
    request.caller = std::make_shared<Caller>(PeerAddress::Parse(address).value());
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(limits_->Refuse(request));
    EXPECT_EQ(request.caller->paused_until_ms(), 0);
    EXPECT_TRUE(limits_->Refuse(request));
    const std::int64_t until_ms = request.caller->paused_until_ms();
    const std::int64_t from = pauses ? clock_.now_ms + Limits::kPauseMinMs : 0;
    const std::int64_t to = pauses ? clock_.now_ms + Limits::kPauseMaxMs : 0;
    EXPECT_GE(until_ms, from);
    EXPECT_LE(until_ms, to);
  }
}

TEST_F(LimitsTest, ThoseRefusedTogetherDoNotComeAgainTogether) {
  Begin({.per_second = 1});
  std::set<std::int64_t> until_ms;
  std::vector<CallerPtr> callers;
  for (int i = 0; i < 100; ++i) {
    Request request;
    request.principal = Named("ada");
    request.caller = callers.emplace_back(std::make_shared<Caller>());
    if (limits_->Refuse(request)) until_ms.insert(request.caller->paused_until_ms());
  }
  EXPECT_GT(until_ms.size(), 50U);
}

TEST_F(LimitsTest, AConnectionOfManyIsNotSlowedDown) {
  Begin({.per_second = 1});
  Request request;
  request.caller = std::make_shared<Caller>();
  for (const char* name : {"ada", "bob"}) {
    request.principal = Named(name);
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(limits_->Refuse(request));
  }
  for (const char* name : {"ada", "bob"}) {
    request.principal = Named(name);
    EXPECT_TRUE(limits_->Refuse(request));
  }
  EXPECT_EQ(request.caller->paused_until_ms(), 0);
}

TEST_F(LimitsTest, AStrangerIsSlowedDownUnlessHeComesWithOthers) {
  Begin({.per_second = 1, .strangers_per_second = 1});
  for (const bool with_others : {false, true}) {
    Request request;
    request.caller =
        std::make_shared<Caller>(PeerAddress::Parse(with_others ? "10.0.0.7" : "10.0.0.8").value());
    request.principal = with_others ? Named("ada") : nullptr;
    EXPECT_FALSE(limits_->Refuse(request));
    request.principal = nullptr;
    for (int i = 0; i < 2; ++i) (void)limits_->RefuseStranger(request);
    EXPECT_TRUE(limits_->RefuseStranger(request));
    EXPECT_EQ(request.caller->paused_until_ms() == 0, with_others);
  }
}

TEST_F(LimitsTest, ProbesAreNotCounted) {
  Begin({.per_second = 1});
  EXPECT_EQ(Served(10, Named("ada")), 2);
  EXPECT_EQ(Ask(Named("ada"), "10.0.0.7", "/healthz").status, 200);
  EXPECT_EQ(Ask(Named("ada"), "10.0.0.7", "/readyz").status, 200);
}

TEST_F(LimitsTest, SoManyAreUnderWayAtOnce) {
  Begin({.at_once_max = 2});
  keeps_ = true;
  (void)Ask(Named("ada"));
  (void)Ask(Named("ada"));
  EXPECT_EQ(Ask(Named("ada")).status, 429);
  (void)Ask(Named("bob"));
  EXPECT_EQ(kept_.size(), 3U);
  EXPECT_EQ(limits_->clients(), 2U);
  kept_.front()(Response{});
  (void)Ask(Named("ada"));
  EXPECT_EQ(kept_.size(), 4U);
  for (const Reply& reply : kept_) reply(Response{});
  EXPECT_EQ(limits_->clients(), 0U);
}

TEST_F(LimitsTest, WhoeverHasTooManyUnderWayIsSlowedDown) {
  Begin({.at_once_max = 1});
  Request request;
  request.principal = Named("ada");
  request.caller = std::make_shared<Caller>(PeerAddress::Parse("8.8.8.8").value());
  request.caller->Note(1);
  {
    const auto seat = limits_->Sit(request);
    ASSERT_TRUE(seat);
    EXPECT_EQ(request.caller->paused_until_ms(), 0);
    EXPECT_FALSE(limits_->Sit(request));
    EXPECT_GE(request.caller->paused_until_ms(), clock_.now_ms + Limits::kPauseMinMs);
  }
  request.caller->PauseUntil(0);
  request.caller->Note(2);  // others' too
  const auto seat = limits_->Sit(request);
  EXPECT_FALSE(limits_->Sit(request));
  EXPECT_EQ(request.caller->paused_until_ms(), 0);
}

TEST_F(LimitsTest, OfStrangersWhoHaveAnAnswerNothingIsRemembered) {
  Begin({.per_second = 10, .at_once_max = 2});
  for (int i = 0; i < 100; ++i) {
    (void)Ask(nullptr, fmt::format("10.0.1.{}", i).c_str());
    EXPECT_EQ(limits_->clients(), 0U);
  }
  EXPECT_EQ(Served(30, Named("ada")), 20);
  EXPECT_EQ(Served(30, Named("ada")), 0);
}

TEST_F(LimitsTest, AnAnswerThatLastsIsUnderWay) {
  Begin({.at_once_max = 1});
  keeps_ = true;
  Response streamed;
  {
    Request request;
    request.principal = Named("ada");
    Limited (*limits_)([](const Request&, const Reply& reply) {
      Response response;
      response.stream = [](const PartSink&) {};
      reply(std::move(response));
    })(request, Reply([&](Response response) { streamed = std::move(response); }));
  }
  EXPECT_EQ(Ask(Named("ada")).status, 429);
  streamed = Response{};
  (void)Ask(Named("ada"));
  EXPECT_EQ(kept_.size(), 1U);
}

TEST_F(LimitsTest, AnAnswerThatIsNotReadIsUnderWay) {
  Begin({.at_once_max = 1});
  std::string body(std::size_t{16} << 20, 'x');
  const auto server =
      Serve(Limited(*limits_)([&](const Request&, const Reply& reply) { reply(Text(body)); }));
  const auto ask = [&] {
    const auto answer = RawClient(server->port()).Ask(Get("/"));
    return answer ? answer->status : 0;
  };
  RawClient slow(server->port());
  slow.Send(Get("/"));
  EXPECT_TRUE(testing::WaitUntil([&] { return ask() == 429; }));
  ASSERT_TRUE(slow.Read());
  EXPECT_TRUE(testing::WaitUntil([&] { return ask() == 200; }));
}

TEST_F(LimitsTest, ManyOthersLetNobodyOff) {
  Begin({.per_second = 10});
  EXPECT_EQ(Served(30, Named("ada")), 20);
  for (std::size_t i = 0; i < 2 * Limits::kClientsMax; ++i) {
    EXPECT_EQ(Served(1, Named(fmt::format("user {}", i).c_str())), 1);
  }
  EXPECT_EQ(Served(30, Named("ada")), 0);
  EXPECT_EQ(Served(30, Named("late")), 20);
}

TEST_F(LimitsTest, WhereAllAreRefusedANewcomerIsNotRemembered) {
  Begin({.per_second = 0.25});  // one at once
  EXPECT_EQ(Served(2, Named("ada")), 1);
  for (std::size_t i = 0; i < 2 * Limits::kClientsMax; ++i) {
    (void)Ask(Named(fmt::format("user {}", i).c_str()));
  }
  EXPECT_LE(limits_->clients(), Limits::kClientsMax);
  EXPECT_EQ(Served(3, Named("ada")), 0);
  EXPECT_EQ(Served(3, Named("late")), 3);
  clock_.now_ms += 5'000;
  EXPECT_EQ(Served(3, Named("late")), 1);
}

TEST_F(LimitsTest, ItsTableIsBounded) {
  Begin({.per_second = 10});
  for (std::size_t i = 0; i < 3 * Limits::kClientsMax; ++i) {
    (void)Ask(Named(fmt::format("user {}", i).c_str()));
  }
  EXPECT_LE(limits_->clients(), Limits::kClientsMax);
  EXPECT_GE(limits_->clients(), Limits::kClientsMax / 2);
}

}  // namespace
}  // namespace fanfold::http
