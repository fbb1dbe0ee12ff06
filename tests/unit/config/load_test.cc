#include "common/base/config.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace fanfold {
namespace {

TEST(ParseConfig, ReadsEveryKey) {
  const Result<Config> config = ParseConfig(R"({
    "space":"x1", "kafka_brokers":"h:1,h:2", "shards":["mysql://a","mysql://b"], "partitions":32,
    "deployment_id":"0123456789abcdef0123456789abcdef",
    "follow_limit":5, "bind":"0.0.0.0", "reader_port":1, "writer_port":2, "projector_port":65535,
    "audit":"report", "audit_rows_per_second":9, "hosts":["api.example.com","[fe80::1]"],
    "origins":["https://app.example.com","http://localhost:3000"]})");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->space, "x1");
  EXPECT_EQ(config->kafka_brokers, "h:1,h:2");
  EXPECT_EQ(config->shards, (std::vector<std::string>{"mysql://a", "mysql://b"}));
  EXPECT_EQ(config->partitions, 32);
  EXPECT_EQ(config->deployment_id->text(), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(config->follow_limit, 5);
  EXPECT_EQ(config->bind, "0.0.0.0");
  EXPECT_EQ(config->reader_port, 1);
  EXPECT_EQ(config->writer_port, 2);
  EXPECT_EQ(config->projector_port, 65'535);
  EXPECT_EQ(config->audit, "report");
  EXPECT_EQ(config->audit_rows_per_second, 9);
  EXPECT_EQ(config->hosts, (std::vector<std::string>{"api.example.com", "[fe80::1]"}));
  EXPECT_EQ(config->origins,
            (std::vector<std::string>{"https://app.example.com", "http://localhost:3000"}));
}

TEST(ParseConfig, AbsentKeysKeepTheirDefaults) {
  const Result<Config> config = ParseConfig(R"({"partitions":16})");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->writer_port, 8081);
  EXPECT_EQ(config->follow_limit, 1000);
  EXPECT_EQ(config->bind, "127.0.0.1");
  EXPECT_EQ(config->audit, "repair");
  EXPECT_EQ(config->deployment_id, std::nullopt);
}

struct RefusedCase {
  std::string name;
  std::string text;
  std::string names;  // what the message must name
};
void PrintTo(const RefusedCase& refused, std::ostream* out) { *out << refused.name; }

class ParseConfigRefuses : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(ParseConfigRefuses, AndNamesTheKey) {
  const Result<Config> config = ParseConfig(GetParam().text);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(config.error().message.find(GetParam().names), std::string::npos)
      << config.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ParseConfigRefuses,
    ::testing::Values(
        RefusedCase{"NotJson", "space: x", "JSON object"},
        RefusedCase{"AKeyTwice", R"({"writer_port":1,"writer_port":2})",
                    "names \"writer_port\" twice"},
        RefusedCase{"ShortDeploymentId", R"({"partitions":16,"deployment_id":"0123"})",
                    "deployment_id must be 32 of 0-9 and a-f"},
        RefusedCase{"NotAnObject", "[]", "JSON object"},
        RefusedCase{"Audit", R"({"audit":"maybe"})", "audit must be repair"},
        RefusedCase{"AuditRate", R"({"audit_rows_per_second":0})", "audit_rows_per_second"},
        RefusedCase{"UnknownKey", R"({"writer_prot":1})", "writer_prot"},
        RefusedCase{"PortAsText", R"({"writer_port":"1"})", "writer_port"},
        RefusedCase{"PortTooLarge", R"({"reader_port":65536})", "reader_port"},
        RefusedCase{"PortNegative", R"({"projector_port":-1})", "projector_port"},
        RefusedCase{"NoPartition", R"({"partitions":0})", "partitions"},
        RefusedCase{"PartitionsMissing", R"({"writer_port":1})", "partitions is missing"},
        RefusedCase{"NoShard", R"({"shards":[]})", "shards"},
        RefusedCase{"ShardTwice", R"({"shards":["mysql://a","mysql://a"]})", "named twice"},
        RefusedCase{"ShardNotText", R"({"shards":[1]})", "shards"},
        RefusedCase{"SpaceWithADash", R"({"space":"a-b"})", "space"},
        RefusedCase{"SpaceTooLong", R"({"space":"abcdefghijklmnopq"})", "space"},
        RefusedCase{"HostWithAPort", R"({"hosts":["a:1"]})", "hosts must be"},
        RefusedCase{"NoList", R"({"hosts":"a"})", "hosts must be"},
        RefusedCase{"EveryOrigin", R"({"origins":["*"]})", "origins must be"},
        RefusedCase{"NullOrigin", R"({"origins":["null"]})", "origins must be"},
        RefusedCase{"OriginWithAPath", R"({"origins":["http://a/"]})", "origins"},
        RefusedCase{"OriginInCapitals", R"({"origins":["http://A"]})", "origins"},
        RefusedCase{"OriginWithTheUsualPort", R"({"origins":["https://a:443"]})", "origins"},
        RefusedCase{"LimitNegative", R"({"follow_limit":-1})", "follow_limit"}),
    [](const auto& param_info) { return param_info.param.name; });

class LoadConfigTest : public ::testing::Test {
 protected:
  LoadConfigTest() : path_(::testing::TempDir() + "fanfold_config_" + std::to_string(::getpid())) {
    ::unsetenv("FANFOLD_FOLLOW_LIMIT");
    std::ofstream(path_) << R"({"partitions":16,"writer_port":9000,"follow_limit":7})";
  }
  ~LoadConfigTest() override {
    std::remove(path_.c_str());
    ::unsetenv("FANFOLD_WRITER_PORT");
  }

  const std::string path_;
};

TEST_F(LoadConfigTest, TheEnvironmentStandsAboveTheFile) {
  ::setenv("FANFOLD_WRITER_PORT", "9001", 1);
  const Result<Config> config = LoadConfig(path_);
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->writer_port, 9001);
  EXPECT_EQ(config->follow_limit, 7);
}

TEST_F(LoadConfigTest, AnEmptyVariableIsNone) {
  ::setenv("FANFOLD_WRITER_PORT", "", 1);
  EXPECT_EQ(LoadConfig(path_).value().writer_port, 9000);
}

TEST_F(LoadConfigTest, AListStandsJoinedWithCommas) {
  ::setenv("FANFOLD_ORIGINS", "http://a,http://b:1", 1);
  const Result<Config> config = LoadConfig(path_);
  ::unsetenv("FANFOLD_ORIGINS");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->origins, (std::vector<std::string>{"http://a", "http://b:1"}));
}

TEST_F(LoadConfigTest, AWrongVariableIsRefusedByItsName) {
  ::setenv("FANFOLD_WRITER_PORT", "9001x", 1);
  const Result<Config> config = LoadConfig(path_);
  ASSERT_FALSE(config.has_value());
  EXPECT_NE(config.error().message.find("FANFOLD_WRITER_PORT"), std::string::npos);
}

TEST_F(LoadConfigTest, AMissingFileIsRefusedByItsName) {
  const Result<Config> config = LoadConfig(path_ + ".missing");
  ASSERT_FALSE(config.has_value());
  EXPECT_NE(config.error().message.find(".missing"), std::string::npos);
}

}  // namespace
}  // namespace fanfold
