// The servers or files under a deployment, as the adapters find them: facts without a judgement.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/stream.h"

namespace fanfold {

// "" where the server does not tell it.
[[nodiscard]] inline std::string SettingOf(const std::map<std::string, std::string>& settings,
                                           const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string() : found->second;
}

struct TopicFacts {
  std::string name;
  std::int32_t partitions = 0;
  std::int32_t leaderless = 0;                  // partitions that nobody leads
  std::int32_t replicas_min = 0;                // of the partition that has the fewest
  std::int32_t under_replicated = 0;            // partitions with a replica that is not in sync
  std::map<std::string, std::string> settings;  // by Kafka's names
};

struct BrokerFacts {
  std::int32_t id = 0;
  std::map<std::string, std::string> settings;  // by Kafka's names; empty where it does not tell
};

struct LogFacts {
  std::string client;                // what reads the log, with its version; brokers tell none
  bool on_brokers = false;           // else a file, which has no settings
  std::vector<BrokerFacts> brokers;  // that the cluster knows now
  // How long this build's appenders may be silent and rely on being remembered by the brokers.
  std::int64_t producer_silence_max_ms = 0;
  // Left where the file and its tables grow; nothing where brokers have the log, or it is not told.
  std::optional<std::int64_t> free_bytes = {};
  PerTopic<TopicFacts> topics;
};

// An index, or the primary key (kPrimaryName), of a table.
struct TableIndex {
  std::string table;
  std::string name;
  std::vector<std::string> columns;
  friend auto operator<=>(const TableIndex&, const TableIndex&) = default;
};
inline constexpr const char* kPrimaryName = "PRIMARY";

// Facts about the database of one shard.
struct DatabaseFacts {
  std::string server;                         // with its version
  std::optional<std::int64_t> now_ms;         // its clock; nothing where it is this machine's
  std::vector<std::string> migrations_known;  // by this build
  std::vector<std::string> migrations_had;
  std::vector<TableIndex> indexes_wanted;       // by the generations that are read
  std::vector<TableIndex> indexes;              // of a table that has none: one without a name
  std::map<std::string, std::string> settings;  // by the server's names
};

}  // namespace fanfold
