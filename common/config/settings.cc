#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <variant>

#include "common/config/access_settings.h"
#include "common/config/dsn_password.h"
#include "common/config/kafka_settings.h"
#include "common/config/setting_kinds.h"
#include "common/stream/slot.h"

namespace fanfold {

using namespace setting_kinds;

namespace {

constexpr Names<DeploymentMode, 2> kModes = {
    {{DeploymentMode::kServers, "servers"}, {DeploymentMode::kFolder, "folder"}}};
constexpr Names<FeedChoice, 2> kFeedModes = {
    {{FeedChoice::kPull, "pull"}, {FeedChoice::kHybrid, "hybrid"}}};
const Takers kOnServers = {Program::kWriter, Program::kProjector, Program::kReader,
                           Program::kVerbs};
const Takers kOfTables = {Program::kProjector, Program::kReader, Program::kServe, Program::kVerbs};
const Takers kFolding = {Program::kProjector, Program::kServe, Program::kVerbs};

bool IsSpace(std::string_view text) {
  constexpr std::size_t kSpaceBytesMax = 16;
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == text.npos &&
         text.size() <= kSpaceBytesMax;
}

// A name without a port, or an address; one of IPv6 in brackets, which ends in one.
bool IsHost(std::string_view text) {
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  const bool in_brackets = text.starts_with('[') && text.ends_with(']');
  return !text.empty() && (in_brackets || text.find_first_not_of(kOfNames) == text.npos);
}

// As browsers send it.
bool IsOrigin(std::string_view text) {
  constexpr std::string_view kOfHosts = "abcdefghijklmnopqrstuvwxyz0123456789-._:[]";
  const std::size_t colon = text.find("://");
  const std::string_view scheme = text.substr(0, colon);
  if (scheme != "http" && scheme != "https") return false;
  const std::string_view host = text.substr(colon + std::string_view("://").size());
  const std::string_view port_left_out = scheme == "http" ? ":80" : ":443";
  return !host.empty() && host.find_first_not_of(kOfHosts) == host.npos &&
         !host.ends_with(port_left_out);
}

bool IsAudit(std::string_view text) {
  return text == "repair" || text == "report" || text == "off";
}

Setting Naming(DeploymentMode mode, Setting setting) {
  setting.names = mode;
  return setting;
}

Setting TheDeploymentId() {
  Setting setting = Begin(
      {"deployment_id",
       "The only deployment whose schemas are touched. Without it shard 0 says which one it is.",
       kOfTables},
      "32 of 0-9 and a-f, as `fanfold identity show` says it", ValueKind::kText);
  setting.set = [](const ConfigValue& value, Config& config) {
    const auto* text = std::get_if<std::string>(&value);
    const auto id = text == nullptr ? std::nullopt : DeploymentId::Parse(*text);
    if (id) config.deployment_id = id;
    return id.has_value();
  };
  setting.get = [](const Config& config) -> std::optional<ConfigValue> {
    if (!config.deployment_id) return std::nullopt;
    return config.deployment_id->text();
  };
  return setting;
}

std::vector<std::string> WithoutPasswords(const std::vector<std::string>& dsns) {
  std::vector<std::string> shown;
  std::ranges::transform(dsns, std::back_inserter(shown), WithoutPassword);
  return shown;
}

// librdkafka takes a space behind a comma, and none before one.
Setting TheBrokers() {
  Setting setting = Text({"kafka_brokers",
                          "Where to find the brokers: host:port, joined with commas. `fanfold "
                          "init` makes topics with as many replicas as there are brokers, three at "
                          "most.",
                          kOnServers},
                         "a text", IsAny, &Config::kafka_brokers);
  setting.set = [set = setting.set](const ConfigValue& value, Config& config) {
    if (!set(value, config)) return false;
    const ConfigValue list = ParseConfigValue(config.kafka_brokers, ValueKind::kList);
    config.kafka_brokers =
        fmt::format("{}", fmt::join(std::get<std::vector<std::string>>(list), ","));
    return true;
  };
  return setting;
}

// At least one, none twice, with another password neither.
Setting TheShards() {
  Setting setting = Begin(
      {"shards",
       "The schemas, in the order of the shards: "
       "mysql://user@host:port/schema?password_file=PATH&ssl_ca=PATH, or "
       "mysql://user@localhost/schema?socket=PATH. Off loopback ssl_ca is obligatory; ssl_cert and "
       "ssl_key say who asks. Each session reads their files anew.",
       {Program::kProjector, Program::kReader, Program::kVerbs}},
      "a list of DSNs, one a shard, none named twice", ValueKind::kList);
  setting.set = [](const ConfigValue& value, Config& config) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr || list->empty()) return false;
    const std::vector<std::string> schemas = WithoutPasswords(*list);
    for (const std::string& schema : schemas) {
      if (schema.empty() || std::ranges::count(schemas, schema) > 1) return false;
    }
    config.shards = *list;
    return true;
  };
  setting.get = [](const Config& config) -> std::optional<ConfigValue> {
    if (config.shards.empty()) return std::nullopt;
    return WithoutPasswords(config.shards);
  };
  return setting;
}

// A power of two, which bounds do not say.
Setting ThePartitions() {
  Setting setting =
      Number({"partitions",
              "How many each topic has: the number that the deployment was made with. It is said "
              "wherever there are servers.",
              kOnServers},
             "a power of two", 1, &Config::partitions, kPartitionsMax);
  setting.set = [within = setting.set](const ConfigValue& value, Config& config) {
    const auto* number = std::get_if<std::int64_t>(&value);
    const bool is_power = number != nullptr && *number > 0 && (*number & (*number - 1)) == 0;
    return is_power && within(value, config);
  };
  setting.get = [](const Config& config) -> std::optional<ConfigValue> {
    if (config.partitions == 0) return std::nullopt;
    return std::int64_t{config.partitions};
  };
  return setting;
}

std::vector<Setting> WhatItStandsOn() {
  std::vector<Setting> settings;
  settings.push_back(Choice({"mode",
                             "What the deployment stands on: Kafka and MySQL, or a folder "
                             "with log and tables that one process serves. A file of TOML "
                             "says it.",
                             {}},
                            "servers or folder", kModes, &Config::mode));
  settings.push_back(
      Naming(DeploymentMode::kFolder,
             Text({"folder", "Where log and tables are. `--dir` names it too.", {Program::kServe}},
                  "the path of a folder", IsSome, &Config::folder, ValueKind::kPath)));
  settings.push_back(Naming(DeploymentMode::kServers, TheBrokers()));
  for (Setting& option : KafkaSettings()) {
    option.takers = kOnServers;
    settings.push_back(std::move(option));
  }
  settings.push_back(Naming(DeploymentMode::kServers, TheShards()));
  settings.push_back(ThePartitions());
  settings.push_back(Text({"space",
                           "What topics, consumer groups and schemas begin with, where "
                           "several deployments share the servers.",
                           kOnServers},
                          "at most 16 of a-z and 0-9", IsSpace, &Config::space));
  settings.push_back(TheDeploymentId());
  return settings;
}

std::vector<Setting> WhatItServes() {
  std::vector<Setting> settings;
  settings.push_back(Text({"bind", "The address that the ports are on.", kServing}, "an IP address",
                          IsAddress, &Config::bind));
  settings.push_back(Number({"reader_port",
                             "The reader's, and that of a folder. 0: any free one.",
                             {Program::kReader, Program::kServe, Program::kVerbs}},
                            "a port", 0, &Config::reader_port));
  settings.push_back(Number({"writer_port", "The writer's.", {Program::kWriter}}, "a port", 0,
                            &Config::writer_port));
  settings.push_back(Number(
      {"projector_port", "The projector's /healthz, /readyz and /metrics.", {Program::kProjector}},
      "a port", 0, &Config::projector_port));
  settings.push_back(List({"hosts",
                           "Names that requests may be sent to, besides addresses and "
                           "localhost.",
                           kServing},
                          "a list of names without ports", IsHost, &Config::hosts));
  settings.push_back(
      List({"origins", "Pages that may write, besides those of the service's own host.", kServing},
           "a list of origins as browsers send them: https://app.example.com, "
           "http://localhost:3000",
           IsOrigin, &Config::origins));
  settings.push_back(Number(
      {"shutdown_delay_ms",
       "How long a service that was told to stop answers, and is not ready, before it takes "
       "its leave: as long as a balancer needs to see that. A second SIGTERM or SIGINT ends it.",
       {Program::kWriter, Program::kReader, Program::kServe}},
      "milliseconds", 0, &Config::shutdown_delay_ms, 300'000));
  settings.push_back(
      Number({"follow_limit", "How many a user may follow. 0: as many as they like.", kFolding},
             "a number", 0, &Config::follow_limit));
  settings.push_back(Choice({"feed",
                             "How feeds of a deployment that is made now are made; `fanfold feed "
                             "mode` changes it later.",
                             {Program::kServe, Program::kVerbs}},
                            "pull or hybrid", kFeedModes, &Config::feed));
  settings.push_back(Number({"push_fans_max",
                             "Hybrid: posts of authors with so many fans are pulled, not "
                             "delivered.",
                             kFolding},
                            "a number", 1, &Config::push_fans_max));
  settings.push_back(Number({"inbox_length", "Hybrid: entries of an inbox.", kFolding}, "a number",
                            20, &Config::inbox_length, 10'000));
  settings.push_back(
      Number({"inbox_active_days",
              "Hybrid: an inbox is kept for owners who looked within so many days.", kFolding},
             "a number", 1, &Config::inbox_active_days, 3'650));
  settings.push_back(Choice({"log_level",
                             "The lowest that is logged. It is taken from the file again "
                             "when the process gets SIGUSR1, and PUT /log_level changes it.",
                             kServing},
                            "debug, info, warning or error", kLogLevels, &Config::log_level));
  return settings;
}

std::vector<Setting> HowItWorks() {
  constexpr std::int64_t kMibMax = std::int64_t{1} << 20;
  const Takers reading = {Program::kReader, Program::kServe};
  std::vector<Setting> settings;
  settings.push_back(Number({"cache_mib",
                             "Memory for lists that follow the outcomes, in MiB. 0: "
                             "everything from the tables.",
                             reading},
                            "a number", 0, &Config::cache_mib, kMibMax));
  settings.push_back(Number({"tenant_mib",
                             "Memory for what follows each further topic, as profiles "
                             "do, in MiB. 0: everything from the tables.",
                             reading},
                            "a number", 0, &Config::tenant_mib, kMibMax));
  settings.push_back(
      Number({"posts_mib",
              "Memory for the lists of authors' posts, newest first, from which feeds "
              "are merged, in MiB; what they say is in `tenant_mib`. 0: none is held.",
              reading},
             "a number", 0, &Config::posts_mib, kMibMax));
  settings.push_back(Number({"reader_threads",
                             "Questions to the tables at once; each has its own "
                             "connection to every shard.",
                             {Program::kReader}},
                            "a number", 1, &Config::reader_threads, 256));
  settings.push_back(
      Number({"reader_io_threads", "Threads that serve connections.", {Program::kReader}},
             "a number", 1, &Config::reader_io_threads, 64));
  settings.push_back(Number({"session_timeout_ms",
                             "After how long without a sign of life another "
                             "projector takes over.",
                             {Program::kProjector}},
                            "milliseconds", 6'000, &Config::session_timeout_ms, 300'000));
  settings.push_back(Text({"audit",
                           "What the auditor does with rows that are not what the topics "
                           "say.",
                           {Program::kProjector, Program::kServe}},
                          "repair, report or off", IsAudit, &Config::audit));
  settings.push_back(Number(
      {"audit_rows_per_second", "How fast it reads.", {Program::kProjector, Program::kServe}},
      "a number", 1, &Config::audit_rows_per_second));
  return settings;
}

}  // namespace

std::string_view NameOf(DeploymentMode mode) { return NameOf(kModes, mode); }

std::span<const Setting> Settings() {
  static const std::vector<Setting> settings = [] {
    std::vector<Setting> all = WhatItStandsOn();
    for (auto part : {WhatItServes(), AccessSettings(), HowItWorks()})
      std::ranges::move(part, std::back_inserter(all));
    return all;
  }();
  return settings;
}

}  // namespace fanfold
