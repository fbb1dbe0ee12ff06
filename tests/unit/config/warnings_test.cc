#include "common/config/warnings.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fanfold {
namespace {

Config OnServers(const std::string& brokers) {
  Config config;
  config.kafka_brokers = brokers;
  return config;
}

Config WithTokens(const std::string& bind) {
  Config config;
  config.mode = DeploymentMode::kFolder;
  config.access = AccessMode::kTokens;
  config.bind = bind;
  return config;
}

TEST(Plaintext, OfBrokersOffLoopbackIsToldByTheirName) {
  Config config = OnServers("127.0.0.1:9092, 10.1.2.3:9092");
  ASSERT_EQ(PlaintextOf(config).size(), 1U);
  EXPECT_TRUE(PlaintextOf(config)[0].starts_with("kafka_brokers names 10.1.2.3:9092, which"));
  config.kafka["security.protocol"] = "ssl";
  EXPECT_TRUE(PlaintextOf(config).empty());
  config.kafka["security.protocol"] = "plaintext";
  EXPECT_FALSE(PlaintextOf(config).empty());
  config.allow_plaintext = true;
  EXPECT_TRUE(PlaintextOf(config).empty());
  EXPECT_TRUE(PlaintextOf(OnServers("localhost:9092,[::1]:9092")).empty());
  config = OnServers("10.1.2.3:9092");
  config.mode = DeploymentMode::kFolder;
  EXPECT_TRUE(PlaintextOf(config).empty()) << "a folder has no brokers";
}

TEST(Plaintext, OfTokensOffLoopbackIsToldForEachPort) {
  EXPECT_TRUE(PlaintextOf(WithTokens("127.0.0.1")).empty());
  Config config = WithTokens("0.0.0.0");
  ASSERT_EQ(PlaintextOf(config).size(), 1U);
  EXPECT_TRUE(PlaintextOf(config)[0].starts_with("bind is 0.0.0.0, which"));
  config.operations_bind = "10.0.0.7";
  EXPECT_EQ(PlaintextOf(config).size(), 2U);
  Config proxied = config;
  proxied.trusted_proxies = {"10.0.0.0/8"};
  EXPECT_TRUE(PlaintextOf(proxied).empty());
  Config certified = config;
  certified.tls_certificate_file = "c.pem";
  EXPECT_TRUE(PlaintextOf(certified).empty());
  config.allow_plaintext = true;
  EXPECT_TRUE(PlaintextOf(config).empty());
}

TEST(StrayVariables, AreToldWithTheNearest) {
  const std::vector<std::string> lines =
      StrayVariables({"FANFOLD_REDAER_PORT", "FANFOLD_READER_PORT", "FANFOLD_CONFIG", "PATH",
                      "FANFOLD_KAFKA_SSL_CA_LOCATION", "FANFOLD_MODE"});
  ASSERT_EQ(lines.size(), 2U) << "the file alone says the mode";
  EXPECT_EQ(lines[0],
            "FANFOLD_REDAER_PORT is no setting, and does nothing; the nearest is "
            "FANFOLD_READER_PORT");
}

TEST(StrayVariables, OfTheProcessAreAmongItsWarnings) {
  ASSERT_EQ(::setenv("FANFOLD_FOLOW_LIMIT", "a=b", 1), 0);
  const std::vector<std::string> lines = WarningsOf(WithTokens("127.0.0.1"));
  ::unsetenv("FANFOLD_FOLOW_LIMIT");
  const auto is_told = [](const std::string& line) {
    return line.starts_with("FANFOLD_FOLOW_LIMIT is no setting") &&
           line.ends_with("FANFOLD_FOLLOW_LIMIT");
  };
  EXPECT_TRUE(std::ranges::any_of(lines, is_told));
}

}  // namespace
}  // namespace fanfold
