// The settings of a deployment, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/deployment_id.h"
#include "common/base/logging.h"

namespace fanfold {

// What holds a deployment's log and tables.
enum class DeploymentMode : std::uint8_t {
  kServers,  // Kafka and MySQL
  kFolder,   // a log and tables in this process
};

// Who may ask.
enum class AccessMode : std::uint8_t {
  kOpen,    // whoever reaches the port
  kTokens,  // whoever has a token
};

// How feeds are made.
enum class FeedChoice : std::uint8_t {
  kPull,    // merged where they are read
  kHybrid,  // with inboxes besides
};

// Each member's setting says its purpose and its values: settings.cc.
struct Config {
  DeploymentMode mode = DeploymentMode::kServers;
  std::string folder = "./var/fanfold";
  std::string space;
  std::string kafka_brokers;
  std::map<std::string, std::string> kafka;  // options of librdkafka, by name
  std::vector<std::string> shards;           // their DSNs, in order
  std::int32_t partitions = 0;               // 0: not told
  std::optional<DeploymentId> deployment_id;
  std::int64_t follow_limit = 1'000;
  FeedChoice feed = FeedChoice::kPull;
  std::int64_t push_fans_max = 10'000;
  std::size_t inbox_length = 500;
  std::int64_t inbox_active_days = 7;
  std::string bind = "127.0.0.1";
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  std::uint16_t reader_port = 8080;
  std::uint16_t writer_port = 8081;
  std::uint16_t projector_port = 8200;
  AccessMode access = AccessMode::kOpen;
  bool allow_plaintext = false;
  std::string tokens_file;
  std::string jwt_keys_file;
  std::string jwt_issuer;
  std::string jwt_audience;
  std::int64_t jwt_lifetime_max_s = 86'400;
  std::string jwt_user_claim;
  std::string operations_bind = "127.0.0.1";
  std::optional<std::uint16_t> operations_port;
  std::int64_t rate_limit = 0;
  std::int64_t rate_limit_strangers = 0;
  std::int64_t requests_at_once = 0;
  std::int64_t connections_per_address = 2'000;
  std::int64_t idle_timeout_s = 75;
  std::vector<std::string> trusted_proxies;
  std::int64_t shutdown_delay_ms = 0;
  std::string token_file;
  std::string tls_certificate_file;
  std::string tls_key_file;
  std::string ca_file;
  std::int32_t reader_threads = 8;
  std::int32_t reader_io_threads = 1;
  std::size_t cache_mib = 1'024;
  std::size_t tenant_mib = 128;
  std::size_t posts_mib = 256;
  std::int64_t session_timeout_ms = 30'000;
  std::string audit = "repair";
  std::int64_t audit_rows_per_second = 20'000;
  LogLevel log_level = LogLevel::kInfo;
};

}  // namespace fanfold
