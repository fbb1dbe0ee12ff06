#include "common/base/peers.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fanfold {
namespace {

PeerAddress At(const char* text) { return PeerAddress::Parse(text).value(); }

TEST(PeerAddress, IsOfEitherFamily) {
  for (const char* text : {"10.0.0.7", "127.0.0.1", "::1", "2001:db8::1"}) {
    EXPECT_EQ(At(text).text(), text);
  }
  EXPECT_EQ(At("::ffff:10.0.0.7"), At("10.0.0.7"));
  for (const char* wrong : {"", "localhost", "10.0.0", "10.0.0.7:80", "[::1]", "10.0.0.256"}) {
    EXPECT_FALSE(PeerAddress::Parse(wrong)) << wrong;
  }
}

TEST(PeerAddress, ACustomerHasAnAddressOrA64) {
  EXPECT_NE(At("10.0.0.7").customer(), At("10.0.0.8").customer());
  EXPECT_EQ(At("2001:db8:1:2::1").customer(), At("2001:db8:1:2:ffff::9").customer());
  EXPECT_NE(At("2001:db8:1:2::1").customer(), At("2001:db8:1:3::1").customer());
}

struct NetworkCase {
  const char* network;
  const char* address;
  bool has;
};

TEST(PeerNetwork, HasWhatBeginsAsItDoes) {
  for (const auto& [network, address, has] :
       {NetworkCase{"10.0.0.0/8", "10.255.0.1", true}, NetworkCase{"10.0.0.0/8", "11.0.0.1", false},
        NetworkCase{"10.0.0.7", "10.0.0.7", true}, NetworkCase{"10.0.0.7", "10.0.0.8", false},
        NetworkCase{"192.168.4.0/22", "192.168.7.255", true},
        NetworkCase{"192.168.4.0/22", "192.168.8.0", false},
        NetworkCase{"0.0.0.0/0", "8.8.8.8", true}, NetworkCase{"0.0.0.0/0", "2001:db8::1", false},
        NetworkCase{"fd00::/8", "fdff::1", true}, NetworkCase{"fd00::/8", "fe80::1", false},
        NetworkCase{"::/0", "10.0.0.1", true}, NetworkCase{"::1", "::1", true}}) {
    EXPECT_EQ(PeerNetwork::Parse(network)->Has(At(address)), has) << network << " " << address;
  }
  for (const char* wrong : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "/8",
                            "fd00::/129", "proxy.example"}) {
    EXPECT_FALSE(PeerNetwork::Parse(wrong)) << wrong;
  }
}

struct NotedCase {
  const char* peer;
  const char* noted;
  const char* client;
};

TEST(ClientOf, IsTheLastThatIsNoTrustedProxy) {
  const std::vector<PeerNetwork> trusted = {PeerNetwork::Parse("10.0.0.0/8").value(),
                                            PeerNetwork::Parse("fd00::1").value()};
  for (const auto& [peer, noted, client] :
       {NotedCase{"8.8.8.8", "1.1.1.1", "8.8.8.8"}, NotedCase{"10.0.0.1", "", "10.0.0.1"},
        NotedCase{"10.0.0.1", "1.1.1.1", "1.1.1.1"},
        NotedCase{"10.0.0.1", "9.9.9.9, 1.1.1.1", "1.1.1.1"},
        NotedCase{"10.0.0.1", "1.1.1.1,10.0.0.2", "1.1.1.1"},
        NotedCase{"10.0.0.1", "10.0.0.3 , 10.0.0.2", "10.0.0.3"},
        NotedCase{"10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"},
        NotedCase{"10.0.0.1", "1.1.1.1, unknown, 10.0.0.2", "10.0.0.2"},
        NotedCase{"10.0.0.1", "1.1.1.1,", "10.0.0.1"},
        NotedCase{"10.0.0.1", "1.1.1.1:4711", "1.1.1.1"},
        NotedCase{"fd00::1", "[2001:db8::1]:443", "2001:db8::1"},
        NotedCase{"fd00::1", "2001:db8::1", "2001:db8::1"}}) {
    EXPECT_EQ(ClientOf(At(peer), noted, trusted).text(), client) << peer << " " << noted;
  }
  EXPECT_EQ(ClientOf(At("10.0.0.1"), "1.1.1.1", {}).text(), "10.0.0.1");
}

}  // namespace
}  // namespace fanfold
