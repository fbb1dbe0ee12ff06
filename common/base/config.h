// What a deployment is told. A JSON file, then environment variables over it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/deployment_id.h"
#include "common/base/result.h"

namespace fanfold {

struct Config {
  std::string space;          // prefix of topics, consumer groups and schemas; [a-z0-9]{0,16}
  std::string kafka_brokers;  // "host:port,…"
  // One DSN a shard, in shard order: mysql://user[:password]@host:port/schema, or
  // mysql://user@localhost/schema?socket=/path/to/mariadb.sock
  std::vector<std::string> shards;
  // P of the deployment, fixed when it is made. A file has to say it.
  std::int32_t partitions = 16;
  // The only deployment whose schemas are touched; nothing: shard 0 says which one it is.
  std::optional<DeploymentId> deployment_id;
  std::int64_t follow_limit = 1000;
  std::string bind = "127.0.0.1";
  std::vector<std::string> hosts;    // names that requests may be sent to; see common/http/access.h
  std::vector<std::string> origins;  // of pages that may write
  std::uint16_t reader_port = 8080;
  std::uint16_t writer_port = 8081;
  std::uint16_t projector_port = 8200;
  std::string audit = "repair";  // what the auditor does with drift: repair, report or off
  std::int64_t audit_rows_per_second = 20'000;
};

// Reads the file; keys are the members' names, unknown ones are refused, `partitions` is
// obligatory. Then FANFOLD_READER_PORT, FANFOLD_WRITER_PORT, FANFOLD_PROJECTOR_PORT,
// FANFOLD_FOLLOW_LIMIT, FANFOLD_SPACE, FANFOLD_DEPLOYMENT_ID, FANFOLD_BIND, FANFOLD_AUDIT, and,
// joined with commas, FANFOLD_HOSTS and FANFOLD_ORIGINS. Errors: kInvalidArgument, the message
// names the key and what it must be.
[[nodiscard]] Result<Config> LoadConfig(const std::string& path);

// The defaults and the environment. Errors: as LoadConfig's.
[[nodiscard]] Result<Config> ConfigFromEnvironment();

// The file's text alone, without the environment.
[[nodiscard]] Result<Config> ParseConfig(const std::string& text);

}  // namespace fanfold
