#include "common/config/load.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "common/config/dsn_password.h"
#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

class Loading : public ::testing::Test {
 protected:
  // What the process has no part in: the file, variables and flags of a test.
  Result<Configured> Load(const std::string& text, const std::string& name = "fanfold.toml") {
    path_ = (std::filesystem::path(folder_.path()) / name).string();
    std::ofstream(path_) << text;
    return Configure(Sources(path_));
  }
  [[nodiscard]] ConfigSources Sources(std::optional<std::string> file) const {
    return {.file = std::move(file),
            .environment =
                [this](const char* variable) {
                  const auto found = variables_.find(variable);
                  return found == variables_.end() ? nullptr : found->second.c_str();
                },
            .flags = flags_};
  }
  std::string FromOf(const Configured& configured, std::string_view key) {
    for (const ConfiguredValue& one : configured.values) {
      if (one.setting->key == key) return one.from;
    }
    return "not there";
  }

  const testing::TempFolder folder_;
  std::string path_;
  std::map<std::string, std::string> variables_;
  std::vector<FlagValue> flags_;
};

TEST_F(Loading, EveryKeyIsRead) {
  const Result<Configured> loaded = Load(R"(
    mode = "servers"
    space = "x1"
    kafka_brokers = "h:1,h:2"
    shards = ["mysql://u@a/s", "mysql://u@b/s"]
    partitions = 32
    deployment_id = "0123456789abcdef0123456789abcdef"
    follow_limit = 5
    feed = "hybrid"
    push_fans_max = 16
    inbox_length = 21
    inbox_active_days = 17
    bind = "0.0.0.0"
    access = "tokens"
    tokens_file = "t"
    jwt_keys_file = "k"
    jwt_issuer = "https://id.example.com"
    jwt_audience = "fanfold"
    jwt_lifetime_max_s = 60
    jwt_user_claim = "uid"
    tls_certificate_file = "c.pem"
    tls_key_file = "k.pem"
    allow_plaintext = true
    operations_bind = "10.0.0.7"
    operations_port = 4
    rate_limit = 11
    rate_limit_strangers = 12
    requests_at_once = 13
    connections_per_address = 15
    idle_timeout_s = 16
    trusted_proxies = ["10.0.0.0/8"]
    shutdown_delay_ms = 14
    token_file = "token"
    ca_file = "ca.pem"
    reader_port = 1
    writer_port = 2
    projector_port = 65535
    audit = "report"
    audit_rows_per_second = 9
    hosts = ["api.example.com", "[fe80::1]"]
    origins = ["https://app.example.com", "http://localhost:3000"]
    log_level = "debug"
    cache_mib = 7
    tenant_mib = 8
    posts_mib = 9
    reader_threads = 9
    reader_io_threads = 10
    session_timeout_ms = 6000
    [kafka]
    security.protocol = "sasl_ssl"
    sasl.mechanism = "SCRAM-SHA-512"
    sasl.username = "fanfold"
    sasl.password_file = "secrets/kafka"
    ssl.ca.location = "a"
    ssl.crl.location = "b"
    ssl.certificate.location = "c"
    ssl.key.location = "d"
    ssl.key.password_file = "e"
    ssl.cipher.suites = "f"
    ssl.curves.list = "g"
    ssl.sigalgs.list = "h"
  )");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Config& config = loaded->config;
  EXPECT_EQ(config.space, "x1");
  EXPECT_EQ(config.kafka_brokers, "h:1,h:2");
  EXPECT_EQ(config.shards, (std::vector<std::string>{"mysql://u@a/s", "mysql://u@b/s"}));
  EXPECT_EQ(config.partitions, 32);
  EXPECT_EQ(config.deployment_id->text(), "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(config.follow_limit, 5);
  EXPECT_EQ(config.feed, FeedChoice::kHybrid);
  EXPECT_EQ(config.push_fans_max, 16);
  EXPECT_EQ(config.inbox_length, 21U);
  EXPECT_EQ(config.inbox_active_days, 17);
  EXPECT_EQ(config.bind, "0.0.0.0");
  EXPECT_EQ(config.access, AccessMode::kTokens);
  EXPECT_EQ(config.jwt_issuer, "https://id.example.com");
  EXPECT_EQ(config.jwt_audience, "fanfold");
  EXPECT_EQ(config.jwt_lifetime_max_s, 60);
  EXPECT_EQ(config.jwt_user_claim, "uid");
  EXPECT_TRUE(config.allow_plaintext);
  EXPECT_EQ(config.operations_bind, "10.0.0.7");
  EXPECT_EQ(config.operations_port, 4);
  EXPECT_EQ(config.rate_limit, 11);
  EXPECT_EQ(config.rate_limit_strangers, 12);
  EXPECT_EQ(config.requests_at_once, 13);
  EXPECT_EQ(config.connections_per_address, 15);
  EXPECT_EQ(config.idle_timeout_s, 16);
  EXPECT_EQ(config.trusted_proxies, std::vector<std::string>{"10.0.0.0/8"});
  EXPECT_EQ(config.shutdown_delay_ms, 14);
  EXPECT_EQ(config.reader_port, 1);
  EXPECT_EQ(config.writer_port, 2);
  EXPECT_EQ(config.projector_port, 65'535);
  EXPECT_EQ(config.audit, "report");
  EXPECT_EQ(config.audit_rows_per_second, 9);
  EXPECT_EQ(config.hosts, (std::vector<std::string>{"api.example.com", "[fe80::1]"}));
  EXPECT_EQ(config.origins,
            (std::vector<std::string>{"https://app.example.com", "http://localhost:3000"}));
  EXPECT_EQ(config.log_level, LogLevel::kDebug);
  EXPECT_EQ(config.cache_mib, 7U);
  EXPECT_EQ(config.tenant_mib, 8U);
  EXPECT_EQ(config.posts_mib, 9U);
  EXPECT_EQ(config.reader_threads, 9);
  EXPECT_EQ(config.reader_io_threads, 10);
  EXPECT_EQ(config.session_timeout_ms, 6'000);
  EXPECT_EQ(config.kafka.at("security.protocol"), "sasl_ssl");
  EXPECT_EQ(config.kafka.at("sasl.password_file"), folder_.path() + "/secrets/kafka");
  for (const ConfiguredValue& one : loaded->values) {
    EXPECT_NE(one.from, kFromDefault) << one.setting->key;
  }
}

TEST_F(Loading, JsonOfTheReleaseBeforeIsReadAsOfServers) {
  const auto loaded =
      Load(R"({"partitions":16,"shards":["mysql://u:geheim@h/s"],"kafka_brokers":"k:1"})");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.mode, DeploymentMode::kServers);
  EXPECT_EQ(loaded->config.shards, std::vector<std::string>{"mysql://u:geheim@h/s"});
  EXPECT_EQ(loaded->config.writer_port, 8081);
  for (const ConfiguredValue& one : loaded->values) {
    EXPECT_EQ(TomlOf(one.value.value_or("")).find("geheim"), std::string::npos);
  }
}

TEST_F(Loading, AFolderHasItsOwnDefaultsAndItsPathIsBesideTheFile) {
  const auto loaded = Load("mode = \"folder\"\nfolder = \"data\"\nfollow_limit = 3");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.folder, folder_.path() + "/data");
  EXPECT_EQ(loaded->config.follow_limit, 3);
  EXPECT_EQ(loaded->config.cache_mib, 256U);
  EXPECT_EQ(FromOf(*loaded, "shards"), "not there");
}

TEST_F(Loading, FlagsStandAboveTheEnvironmentAndThatAboveTheFile) {
  const std::string text =
      "mode = \"servers\"\nkafka_brokers = \"k:1\"\nwriter_port = 1\npartitions = 16";
  EXPECT_EQ(Load(text)->config.writer_port, 1);
  EXPECT_EQ(FromOf(*Load(text), "writer_port"), path_ + ":3");
  variables_["FANFOLD_WRITER_PORT"] = "2";
  EXPECT_EQ(Load(text)->config.writer_port, 2);
  EXPECT_EQ(FromOf(*Load(text), "writer_port"), "FANFOLD_WRITER_PORT");
  flags_ = {{FindSetting("writer_port"), "3"}};
  EXPECT_EQ(Load(text)->config.writer_port, 3);
  EXPECT_EQ(FromOf(*Load(text), "writer_port"), "--writer-port");
  EXPECT_EQ(FromOf(*Load(text), "reader_port"), kFromDefault);
}

TEST_F(Loading, TheEnvironmentIsEnough) {
  variables_ = {{"FANFOLD_PARTITIONS", "4"},
                {"FANFOLD_KAFKA_BROKERS", "k:1"},
                {"FANFOLD_SHARDS", "mysql://u@a/s,mysql://u@b/s"},
                {"FANFOLD_KAFKA_SECURITY_PROTOCOL", "sasl_ssl"},
                {"FANFOLD_KAFKA_SASL_MECHANISM", "PLAIN"},
                {"FANFOLD_KAFKA_SASL_PASSWORD_FILE", "relative"},
                {"FANFOLD_BIND", ""},
                {"FANFOLD_FOLDER", "of another deployment"}};
  const auto loaded = Configure(Sources({}));
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.shards, (std::vector<std::string>{"mysql://u@a/s", "mysql://u@b/s"}));
  EXPECT_EQ(loaded->config.kafka.at("security.protocol"), "sasl_ssl");
  EXPECT_EQ(loaded->config.kafka.at("sasl.password_file"), "relative");
  EXPECT_EQ(loaded->config.bind, "127.0.0.1");
}

TEST_F(Loading, SpacesRoundCommasAreNoPartOfAList) {
  variables_ = {{"FANFOLD_ORIGINS", "https://a.example , http://localhost:3000"},
                {"FANFOLD_HOSTS", " a.example,\tb.example "},
                {"FANFOLD_TRUSTED_PROXIES", "10.0.0.0/8, ::1"},
                {"FANFOLD_ALLOW_PLAINTEXT", "true"},
                {"FANFOLD_KAFKA_BROKERS", "h:1 , h:2"}};
  const auto loaded = Load("mode = \"servers\"\npartitions = 16");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.origins,
            (std::vector<std::string>{"https://a.example", "http://localhost:3000"}));
  EXPECT_EQ(loaded->config.hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(loaded->config.trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(loaded->config.kafka_brokers, "h:1,h:2");
  EXPECT_TRUE(loaded->config.allow_plaintext);
  variables_["FANFOLD_ORIGINS"] = "https://a, ,http://b";
  EXPECT_FALSE(Load("mode = \"servers\"\npartitions = 16")) << "one of them is none";
}

TEST_F(Loading, EverySettingHasItsVariableAndFlag) {
  EXPECT_EQ(FindSetting("kafka.ssl.ca.location")->variable(), "FANFOLD_KAFKA_SSL_CA_LOCATION");
  EXPECT_EQ(FindSetting("kafka.ssl.ca.location")->flag(), "--kafka-ssl-ca-location");
  std::map<std::string, int> seen;
  for (const Setting& setting : Settings()) {
    EXPECT_EQ(seen[setting.variable()]++, 0) << setting.key;
    EXPECT_EQ(seen[setting.flag()]++, 0) << setting.key;
    EXPECT_FALSE(setting.help.empty() || setting.wanted.empty()) << setting.key;
  }
}

struct RefusedCase {
  std::string name;
  std::string text;   // after mode and partitions
  std::string names;  // what the message must name
};
void PrintTo(const RefusedCase& refused, std::ostream* out) { *out << refused.name; }

class Refused : public Loading, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(Refused, AndNamesTheKey) {
  const auto loaded = Load("mode = \"servers\"\npartitions = 16\n" + GetParam().text);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(loaded.error().message.starts_with(path_)) << loaded.error().message;
  EXPECT_NE(loaded.error().message.find(GetParam().names), std::string::npos)
      << loaded.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Refused,
    ::testing::Values(
        RefusedCase{"NotToml", "space: x", "line 3"},
        RefusedCase{"AKeyTwice", "writer_port = 1\nwriter_port = 2", "line 4"},
        RefusedCase{"ShortDeploymentId", "deployment_id = \"0123\"",
                    "deployment_id must be 32 of 0-9 and a-f"},
        RefusedCase{"Audit", "audit = \"maybe\"", "audit must be repair"},
        RefusedCase{"AuditRate", "audit_rows_per_second = 0", "audit_rows_per_second must be"},
        RefusedCase{"UnknownKey", "writer_prot = 1",
                    ":3: writer_prot is not a known key; the nearest is writer_port"},
        RefusedCase{"UnknownTable", "[servers]\nspace = \"a\"", "servers.space is not a known key"},
        RefusedCase{"PortAsText", "writer_port = \"1\"", "writer_port must be a port, 0 … 65535"},
        RefusedCase{"PortTooLarge", "reader_port = 65536", "reader_port must be"},
        RefusedCase{"PortNegative", "projector_port = -1", "projector_port must be"},
        RefusedCase{"EmptyTable", "[kafkaa]", "kafkaa is not a known key"},
        RefusedCase{"Fraction", "follow_limit = 1.5", "follow_limit must be"},
        RefusedCase{"NoShard", "shards = []", "shards must be"},
        RefusedCase{"ShardTwice", "shards = [\"mysql://a\",\"mysql://a\"]", "named twice"},
        RefusedCase{"ShardNotText", "shards = [1]", "shards must be"},
        RefusedCase{"PasswordInTheDsn", "shards = [\"mysql://u:geheim@h/s\"]", "?password_file="},
        RefusedCase{"SpaceWithADash", "space = \"a-b\"", "space must be"},
        RefusedCase{"SpaceTooLong", "space = \"abcdefghijklmnopq\"", "space must be"},
        RefusedCase{"HostWithAPort", "hosts = [\"a:1\"]", "hosts must be"},
        RefusedCase{"BindToAName", "bind = \"localhost\"", "bind must be an IP address"},
        RefusedCase{"OperatorsOnNoAddress", "operations_bind = \"10.0.0\"",
                    "operations_bind must be an IP address"},
        RefusedCase{"NoList", "hosts = \"a\"", "hosts must be"},
        RefusedCase{"EveryOrigin", "origins = [\"*\"]", "origins must be"},
        RefusedCase{"NullOrigin", "origins = [\"null\"]", "origins must be"},
        RefusedCase{"OriginWithAPath", "origins = [\"http://a/\"]", "origins"},
        RefusedCase{"OriginInCapitals", "origins = [\"http://A\"]", "origins"},
        RefusedCase{"OriginWithTheUsualPort", "origins = [\"https://a:443\"]", "origins"},
        RefusedCase{"LimitNegative", "follow_limit = -1", "follow_limit"},
        RefusedCase{"OfAFolder", "folder = \"x\"", "folder is nothing to a deployment of mode"},
        RefusedCase{"Protocol", "kafka.security.protocol = \"tls\"",
                    "one of plaintext, ssl, sasl_plaintext, sasl_ssl"},
        RefusedCase{"NoVerification", "kafka.enable.ssl.certificate.verification = \"false\"",
                    "is not a known key"},
        RefusedCase{"NoNames", "kafka.ssl.endpoint.identification.algorithm = \"none\"",
                    "is not a known key"},
        RefusedCase{"Acks", "kafka.acks = \"1\"", "is not a known key"},
        RefusedCase{"CodeLoaded", "kafka.plugin.library.paths = \"x\"", "is not a known key"},
        RefusedCase{"Kerberos", "kafka.sasl.kerberos.principal = \"x\"", "is not a known key"},
        RefusedCase{"Access", "access = \"closed\"", "access must be open or tokens"},
        RefusedCase{"PlaintextAsText", "allow_plaintext = \"true\"",
                    "allow_plaintext must be true or false"},
        RefusedCase{"Proxy", "trusted_proxies = [\"10.0.0.0/40\"]", "trusted_proxies"},
        RefusedCase{"SecretInTheFile", "kafka.sasl.password = \"x\"",
                    "the nearest is kafka.sasl.password_file"}),
    [](const auto& param_info) { return param_info.param.name; });

struct TogetherCase {
  const char* name;
  const char* line;
  const char* says;
};

TEST_F(Loading, WhoGetsInGoesTogether) {
  for (const auto& [name, line, says] :
       {TogetherCase{"OpenOffLoopback", "bind = \"10.0.0.7\"", "set access to tokens"},
        TogetherCase{"OpenOnEveryAddress", "bind = \"::\"", "set access to tokens"},
        TogetherCase{"OperatorsOpenOffLoopback", "operations_bind = \"10.0.0.7\"",
                     "set access to tokens"},
        TogetherCase{"TokensOfNobody", "access = \"tokens\"", "neither tokens_file nor"},
        TogetherCase{"KeysOfNoIssuer", "access = \"tokens\"\njwt_keys_file = \"k\"",
                     "belong together"},
        TogetherCase{"IssuerForNobody",
                     "access = \"tokens\"\njwt_keys_file = \"k\"\njwt_issuer = \"i\"",
                     "belong together"},
        TogetherCase{"CertificateWithoutKey", "tls_certificate_file = \"c\"", "belong together"}}) {
    const auto loaded =
        Load(std::string("mode = \"servers\"\npartitions = 16\nkafka_brokers = \"h:1\"\n") + line);
    ASSERT_FALSE(loaded) << name;
    EXPECT_NE(loaded.error().message.find(says), std::string::npos)
        << name << ": " << loaded.error().message;
  }
}

TEST_F(Loading, AFileHasToSayItsModeAndItsPartitions) {
  EXPECT_NE(Load("partitions = 16").error().message.find("mode is missing"), std::string::npos);
  EXPECT_NE(Load("mode = \"cloud\"").error().message.find("servers or folder"), std::string::npos);
  EXPECT_NE(Load("mode = \"servers\"").error().message.find("partitions is missing"),
            std::string::npos);
  EXPECT_NE(Load("mode = \"servers\"\npartitions = 17").error().message.find("a power of two"),
            std::string::npos);
}

// On servers: refused once all is told.
TEST_F(Loading, WhatDoesNotGoTogetherIsRefused) {
  const std::string base = "mode = \"servers\"\npartitions = 16\n";
  EXPECT_NE(Load(base).error().message.find("kafka_brokers is missing"), std::string::npos);
  const std::string reached = base + "kafka_brokers = \"k:1\"\n";
  EXPECT_TRUE(Load(reached));
  for (const char* wrong :
       {"kafka.ssl.ca.location = \"/ca\"", "kafka.sasl.username = \"u\"",
        "kafka.security.protocol = \"ssl\"\nkafka.sasl.username = \"u\"",
        "kafka.security.protocol = \"sasl_plaintext\"\nkafka.sasl.mechanism = \"PLAIN\"\n"
        "kafka.ssl.ca.location = \"/ca\"",
        "kafka.security.protocol = \"sasl_plaintext\"\nkafka.sasl.mechanism = \"PLAIN\"",
        "kafka.security.protocol = \"sasl_ssl\""}) {
    const auto loaded = Load(reached + wrong);
    ASSERT_FALSE(loaded) << wrong;
    EXPECT_NE(loaded.error().message.find("kafka.security.protocol"), std::string::npos);
  }
}

TEST_F(Loading, APasswordWithoutTlsGoesToLoopbackAlone) {
  const auto load = [&](const std::string& brokers) {
    return Load("mode = \"servers\"\npartitions = 16\nkafka_brokers = \"" + brokers +
                "\"\nkafka.security.protocol = \"sasl_plaintext\"\n"
                "kafka.sasl.mechanism = \"PLAIN\"\n");
  };
  for (const char* brokers :
       {"localhost", "127.0.0.1:9092, [::1]:9093", "SASL_PLAINTEXT://[::1]"}) {
    EXPECT_TRUE(load(brokers)) << brokers;
  }
  for (const char* far : {"k", "k:9092", "127.0.0.1.example.com:9092", "[2001:db8::1]:9092",
                          "SASL_PLAINTEXT://10.0.0.1:9092"}) {
    const auto loaded = load(std::string("localhost:9092, ") + far);
    ASSERT_FALSE(loaded) << far;
    EXPECT_NE(loaded.error().message.find(std::string(far) + " is not on loopback"),
              std::string::npos)
        << loaded.error().message;
  }
}

TEST_F(Loading, AHostMayBeNamedTwiceAndAMarkStandBeforeTheText) {
  const auto loaded =
      Load("\xEF\xBB\xBF{\"partitions\":16,\"kafka_brokers\":\"k:1\",\"hosts\":[\"a\",\"a\"]}");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->config.hosts.size(), 2U);
}

TEST_F(Loading, AShardIsNamedTwiceWithAnotherPasswordToo) {
  const std::string before =
      R"({"partitions":16,"kafka_brokers":"k:1","shards":["mysql://u:one@localhost/s?socket=/a",)";
  const auto same = Load(before + R"("mysql://u:other@localhost/s?socket=/a"]})");
  ASSERT_FALSE(same);
  EXPECT_NE(same.error().message.find("named twice"), std::string::npos) << same.error().message;
  const auto other = Load(before + R"("mysql://u:other@localhost/t?socket=/a"]})");
  EXPECT_TRUE(other) << other.error().message;
}

TEST(DsnPassword, IsNeverShown) {
  for (const char* dsn :
       {"mysql://u:geheim@h:1/s", "mysql://u:ge/geheim@h/s", "mysql:/u:geheim@h/s",
        "mysql://u:geheim?x@h/s", "mysql://u@h/s?password=geheim&ssl_ca=/a",
        "mysql://u:a@geheim@h/s", "mysql://u@x:geheim?y@h/s", "mysql://u:x@y?geheim@h/s",
        "mysql://u:x/y@z?geheim@h/s"}) {
    EXPECT_TRUE(HoldsPassword(dsn)) << dsn;
    EXPECT_EQ(WithoutPassword(dsn).find("geheim"), std::string::npos) << WithoutPassword(dsn);
  }
  EXPECT_EQ(WithoutPassword("mysql://u:password=geheim@h/s"), "mysql://u:***@h/s");
  const std::string fine = "mysql://u@h:1/s?password_file=/p&ssl_ca=/a";
  EXPECT_FALSE(HoldsPassword(fine));
  EXPECT_EQ(WithoutPassword(fine), fine);
}

TEST(DsnPassword, WhatIsShownIsShownTheSameAgain) {
  for (const char* dsn : {"mysql://u:x/y@z?geheim@h/s", "mysql://u:x@h/s?password=y",
                          "myq:ls:/po.q:ls/u:/pflo@b.%?d&ssl#r@nomsl", "a:b@c?password=/x@y&d@e/",
                          "a:password=x&@h/s?password=geheim", ":?@/@?@/@?@/"}) {
    const std::string shown = WithoutPassword(dsn);
    EXPECT_EQ(WithoutPassword(shown), shown) << dsn;
    EXPECT_EQ(shown.find("geheim"), std::string::npos) << shown;
  }
}

TEST_F(Loading, AWrongVariableOrFlagIsRefusedByItsName) {
  variables_["FANFOLD_WRITER_PORT"] = "9001x";
  EXPECT_NE(Configure(Sources({})).error().message.find("FANFOLD_WRITER_PORT: writer_port must be"),
            std::string::npos);
  variables_ = {{"FANFOLD_SHARDS", "mysql://u:geheim@h/s"}};
  EXPECT_EQ(Configure(Sources({})).error().message.find("geheim"), std::string::npos);
  variables_ = {};
  flags_ = {{FindSetting("cache_mib"), "-1"}};
  EXPECT_NE(Configure(Sources({})).error().message.find("--cache-mib: cache_mib must be"),
            std::string::npos);
}

TEST_F(Loading, AMissingFileIsRefusedByItsName) {
  const auto loaded = Configure(Sources(folder_.path() + "/missing"));
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("/missing"), std::string::npos);
  EXPECT_FALSE(Configure(Sources(folder_.path())));  // a folder
}

TEST_F(Loading, ALargeFileIsRefused) {
  EXPECT_FALSE(Load("mode = \"folder\"\n" + std::string(1 << 20, '#')));
}

}  // namespace
}  // namespace fanfold
