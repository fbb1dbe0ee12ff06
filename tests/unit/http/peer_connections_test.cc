#include "common/http/peer_connections.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "common/http/http_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/wait_until.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

class PeerConnectionsTest : public ::testing::Test {
 protected:
  void Begin(PeerRules rules) {
    peers_ = std::make_unique<PeerConnections>(std::move(rules), clock_, metrics_);
  }

  // How many of `attempts` get a place and keep it.
  std::size_t Admitted(std::size_t attempts, const char* address) {
    std::size_t admitted = 0;
    for (std::size_t i = 0; i < attempts; ++i) {
      auto place = peers_->Admit(PeerAddress::Parse(address).value());
      if (place == nullptr) continue;
      ++admitted;
      places_.push_back(std::move(place));
    }
    return admitted;
  }

  testing::ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<PeerConnections> peers_;
  std::vector<std::shared_ptr<void>> places_;
};

TEST_F(PeerConnectionsTest, EachAddressHasItsOwn) {
  Begin({.connections_max = 3});
  EXPECT_EQ(Admitted(5, "10.0.0.7"), 3U);
  EXPECT_EQ(Admitted(5, "10.0.0.8"), 3U);
  EXPECT_EQ(Admitted(2, "2001:db8::1"), 2U);
  EXPECT_EQ(Admitted(2, "2001:db8::2"), 1U);
  EXPECT_EQ(Admitted(2, "2001:db8:0:1::1"), 2U);
  EXPECT_NE(metrics_.Text().find("fanfold_http_connections_refused_total 5"), std::string::npos);
}

TEST_F(PeerConnectionsTest, APlaceIsGivenBackAndNothingIsKeptForLong) {
  Begin({.connections_max = 2});
  EXPECT_EQ(Admitted(3, "10.0.0.7"), 2U);
  places_.pop_back();
  EXPECT_EQ(Admitted(2, "10.0.0.7"), 1U);
  EXPECT_EQ(peers_->addresses(), 1U);
  places_.clear();
  EXPECT_EQ(Admitted(1, "10.0.0.8"), 1U);
  EXPECT_EQ(peers_->addresses(), 2U);
  clock_.now_ms += PeerConnections::kWindowMs;
  EXPECT_EQ(Admitted(1, "10.0.0.8"), 1U);
  EXPECT_EQ(peers_->addresses(), 1U);
}

TEST_F(PeerConnectionsTest, WhoComesBackForEachRequestMayNotWithoutEnd) {
  const auto come_back = [&](std::size_t attempts, const char* address) {
    std::size_t admitted = 0;
    for (std::size_t i = 0; i < attempts; ++i) {
      admitted += Admitted(1, address);
      places_.clear();
    }
    return admitted;
  };
  for (const std::int64_t most : {std::int64_t{2}, PeerConnections::kOpenedMin + 7}) {
    Begin({.connections_max = most, .exempt = {PeerNetwork::Parse("127.0.0.0/8").value()}});
    const auto opened = static_cast<std::size_t>(std::max(most, PeerConnections::kOpenedMin));
    EXPECT_EQ(come_back(5'000, "10.0.0.7"), opened);
    clock_.now_ms += PeerConnections::kWindowMs - 1;
    EXPECT_EQ(come_back(5'000, "10.0.0.7"), 0U);
    EXPECT_EQ(come_back(1, "10.0.0.8"), 1U);
    EXPECT_EQ(come_back(5'000, "127.0.0.1"), 5'000U);
    clock_.now_ms += 1;
    EXPECT_EQ(come_back(5'000, "10.0.0.7"), opened);
  }
}

TEST_F(PeerConnectionsTest, OfManyAddressesThatHaveLeftThoseThatAreRefusedAreRemembered) {
  Begin({.connections_max = PeerConnections::kOpenedMin});
  const auto opened = static_cast<std::size_t>(PeerConnections::kOpenedMin);
  EXPECT_EQ(Admitted(2 * opened, "10.0.0.7"), opened);
  for (std::size_t i = 0; i < PeerConnections::kLeftMax + 100; ++i) {
    PeerAddress of = PeerAddress::Parse("2001:db8::1").value();
    of.bytes[5] = static_cast<std::uint8_t>(i >> 16);
    of.bytes[6] = static_cast<std::uint8_t>(i >> 8);
    of.bytes[7] = static_cast<std::uint8_t>(i);
    EXPECT_NE(peers_->Admit(of), nullptr);
  }
  EXPECT_EQ(peers_->addresses(), PeerConnections::kLeftMax);
  const auto one_more = peers_->Admit(PeerAddress::Parse("10.0.0.9").value());
  places_.clear();
  EXPECT_EQ(Admitted(1, "10.0.0.7"), 0U);
}

TEST_F(PeerConnectionsTest, ThoseThatBringOthersAreNotCounted) {
  Begin({.connections_max = 2, .exempt = {PeerNetwork::Parse("10.0.0.0/8").value()}});
  EXPECT_EQ(Admitted(9, "10.0.0.7"), 9U);
  EXPECT_EQ(Admitted(9, "11.0.0.7"), 2U);
  EXPECT_EQ(peers_->addresses(), 1U);
}

TEST_F(PeerConnectionsTest, WithoutALimitNobodyIs) {
  Begin({});
  EXPECT_EQ(Admitted(9, "10.0.0.7"), 9U);
}

// On several threads, each with its part of the connections.
TEST_F(PeerConnectionsTest, OneAboveThoseOfItsAddressIsClosedUntilAnotherGoes) {
  Begin({.connections_max = 2});
  ServerOptions options;
  options.io_threads = 3;
  options.admit = [this](const PeerAddress& peer) { return peers_->Admit(peer); };
  const auto server = Serve(Echo, options);
  const auto first = std::make_unique<RawClient>(server->port());
  auto second = std::make_unique<RawClient>(server->port());
  ASSERT_TRUE(first->Ask(Get("/")));
  ASSERT_TRUE(second->Ask(Get("/")));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RawClient(server->port()).IsAtEnd());
  EXPECT_TRUE(first->Ask(Get("/")));
  second.reset();
  EXPECT_TRUE(
      testing::WaitUntil([&] { return RawClient(server->port()).Ask(Get("/")).has_value(); }));
}

}  // namespace
}  // namespace fanfold::http
