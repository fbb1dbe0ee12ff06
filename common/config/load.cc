#include "common/config/load.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "common/base/read_file.h"
#include "common/config/access_settings.h"
#include "common/config/config_file.h"
#include "common/config/dsn_password.h"
#include "common/config/kafka_settings.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Wrong(std::string_view where, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument,
              where.empty() ? std::string(what) : fmt::format("{}: {}", where, what));
}

// What is missing, or does not go together; nothing when all does.
std::optional<std::string> WhyNotOnServers(const Config& config) {
  if (config.partitions == 0) {
    return "partitions is missing: the number that the deployment was made with";
  }
  if (config.kafka_brokers.empty()) {
    return "kafka_brokers is missing: host:port, joined with commas";
  }
  const std::string protocol = ProtocolOf(config.kafka);
  const bool is_sasl = protocol.starts_with("sasl_");
  for (const auto& [name, value] : config.kafka) {
    if (name.starts_with("ssl.") && !protocol.ends_with("ssl")) {
      return fmt::format("kafka.{} wants kafka.security.protocol to be ssl or sasl_ssl", name);
    }
    if (name.starts_with("sasl.") && !is_sasl) {
      return fmt::format("kafka.{} wants kafka.security.protocol to be sasl_ssl", name);
    }
  }
  if (is_sasl && !config.kafka.contains("sasl.mechanism")) {
    return "kafka.sasl.mechanism is missing, since kafka.security.protocol is " + protocol;
  }
  if (protocol == "sasl_plaintext") {
    if (const auto far = BrokerOffLoopback(config.kafka_brokers)) {
      return fmt::format(
          "kafka.security.protocol is sasl_plaintext, and {} is not on loopback: it "
          "wants sasl_ssl",
          *far);
    }
  }
  return std::nullopt;
}

class Configuring {
 public:
  explicit Configuring(DeploymentMode mode) : config_(DefaultsOf(mode)) {}

  Status Set(const Setting& setting, const ConfigValue& value, std::string from, bool from_json) {
    if (!Knows(setting)) {
      return Wrong(from, fmt::format("{} is nothing to a deployment of mode {}", setting.key,
                                     NameOf(config_.mode)));
    }
    if (!setting.set(value, config_)) {
      return Wrong(from, fmt::format("{} must be {}", setting.key, setting.wanted));
    }
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (!from_json && list != nullptr && std::ranges::any_of(*list, HoldsPassword)) {
      return Wrong(from, fmt::format("{} holds a password: name its file, "
                                     "?password_file=/PATH, instead",
                                     setting.key));
    }
    from_[&setting] = std::move(from);
    return {};
  }

  [[nodiscard]] bool Knows(const Setting& setting) const { return setting.IsOf(config_.mode); }

  [[nodiscard]] Result<Configured> Done() && {
    if (config_.mode == DeploymentMode::kServers) {
      if (const auto wrong = WhyNotOnServers(config_)) return Wrong("", *wrong);
    }
    if (const auto wrong = WhyNotAccess(config_)) return Wrong("", *wrong);
    Configured done;
    for (const Setting& setting : Settings()) {
      if (!Knows(setting)) continue;
      const auto from = from_.find(&setting);
      done.values.push_back({&setting, setting.get(config_),
                             from == from_.end() ? std::string(kFromDefault) : from->second});
    }
    done.config = std::move(config_);
    return done;
  }

 private:
  Config config_;
  std::map<const Setting*, std::string> from_;
};

// Says itself which mode it is of; JSON, as it was, is of servers.
Result<DeploymentMode> ModeOf(const ConfigText& text) {
  const auto told = std::ranges::find(text.entries, "mode", &ConfigEntry::key);
  Config config;
  if (told == text.entries.end()) {
    if (text.is_json) return config.mode;
    return Wrong("", "mode is missing: servers or folder");
  }
  const Setting& mode = *FindSetting("mode");
  if (!mode.set(told->value, config)) return Wrong("", "mode must be " + mode.wanted);
  return config.mode;
}

ConfigValue BesideFile(const ConfigValue& value, const std::string& file) {
  const auto* path = std::get_if<std::string>(&value);
  if (path == nullptr || path->empty()) return value;
  return fs::absolute(fs::path(file).parent_path() / *path).lexically_normal().string();
}

Status SetEntries(const ConfigText& text, const std::string& file, Configuring& to) {
  for (const ConfigEntry& entry : text.entries) {
    const std::string from = entry.line > 0 ? fmt::format("{}:{}", file, entry.line) : file;
    const Setting* setting = FindSetting(entry.key);
    if (setting == nullptr) return Wrong(from, NoSuchKey(entry.key));
    const bool is_path = setting->kind == ValueKind::kPath;
    Status set =
        to.Set(*setting, is_path ? BesideFile(entry.value, file) : entry.value, from, text.is_json);
    if (!set) return set;
  }
  return {};
}

Status SetEnvironment(const Environment& environment, Configuring& to) {
  for (const Setting& setting : Settings()) {
    if (setting.takers.empty()) continue;
    const std::string name = setting.variable();
    const std::optional<std::string> text = VariableIn(environment, name);
    // One environment may be that of several deployments.
    if (!text || !to.Knows(setting)) continue;
    Status set = to.Set(setting, ParseConfigValue(*text, setting.kind), name, false);
    if (!set) return set;
  }
  return {};
}

}  // namespace

std::optional<std::string> VariableIn(const Environment& environment, const std::string& name) {
  const char* text = environment ? environment(name.c_str()) : std::getenv(name.c_str());
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

Result<Configured> Configure(const ConfigSources& sources) {
  ConfigText text;
  DeploymentMode mode = sources.mode;
  if (sources.file) {
    const auto read = ReadUpTo(*sources.file, kConfigBytesMax);
    if (!read) return Wrong("", "cannot read " + *sources.file);
    Result<ConfigText> parsed = ParseConfigText(*read);
    if (!parsed) return Wrong(*sources.file, parsed.error().message);
    text = *std::move(parsed);
    Result<DeploymentMode> told = ModeOf(text);
    if (!told) return Wrong(*sources.file, told.error().message);
    mode = *told;
  }
  Configuring to(mode);
  if (Status set = SetEntries(text, sources.file.value_or(""), to); !set) return Forward(set);
  if (Status set = SetEnvironment(sources.environment, to); !set) return Forward(set);
  for (const FlagValue& flag : sources.flags) {
    const ConfigValue value = ParseConfigValue(flag.text, flag.setting->kind);
    Status set = to.Set(*flag.setting, value, flag.setting->flag(), false);
    if (!set) return Forward(set);
  }
  return std::move(to).Done();
}

Result<Config> LoadConfig(const ConfigSources& sources) {
  Result<Configured> configured = Configure(sources);
  if (!configured) return Forward(configured);
  return std::move(configured->config);
}

}  // namespace fanfold
