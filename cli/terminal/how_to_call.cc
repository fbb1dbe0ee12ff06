#include "cli/terminal/how_to_call.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace fanfold {
namespace {

namespace fs = std::filesystem;

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// `make stack` has no Kafka but its jars; its programs are in build/release/bin.
std::string KafkaConfigs(const std::string& program, const std::optional<fs::path>& config_file) {
  const std::string elsewhere = "kafka-configs.sh";
  std::error_code ignored;
  const bool is_stack =
      config_file && fs::exists(config_file->parent_path() / "creation.json", ignored);
  if (!is_stack) return elsewhere;
  const fs::path root = fs::path(program).parent_path() / "../../..";
  const fs::path command = (root / "deploy/kafka/kafka-configs.sh").lexically_normal();
  return fs::exists(command, ignored) ? ShellWord(command.string()) : elsewhere;
}

}  // namespace

HowToCall HowToCallOn(const std::string& program, const FoundDeployment& found) {
  const auto& [sources, configured] = found;
  const Config& config = configured.config;
  HowToCall calls;
  calls.fanfold = ShellWord(program);
  if (sources.file) {
    calls.deployment = " --config " + ShellWord(*sources.file);
  } else if (config.mode == DeploymentMode::kFolder) {
    calls.deployment = " --dir " + ShellWord(config.folder);
  } else {
    for (const FlagValue& flag : sources.flags)
      calls.deployment += fmt::format(" {}={}", flag.setting->flag(), ShellWord(flag.text));
  }
  if (config.mode == DeploymentMode::kServers) {
    calls.kafka_configs =
        fmt::format("{} --bootstrap-server {}", KafkaConfigs(program, sources.file),
                    ShellWord(config.kafka_brokers));
  }
  return calls;
}

std::string Pasteable(std::string_view text, const HowToCall& calls) {
  constexpr std::string_view kFanfold = "`fanfold ";
  constexpr std::string_view kKafkaConfigs = "kafka-configs.sh ";
  std::string pasteable(text);
  for (std::size_t at = 0; (at = pasteable.find(kFanfold, at)) != std::string::npos;) {
    const std::size_t end = pasteable.find('`', at + 1);
    if (end == std::string::npos) break;
    pasteable.insert(end, calls.deployment);
    pasteable.replace(at + 1, kFanfold.size() - 2, calls.fanfold);
    at = pasteable.find('`', at + 1) + 1;
  }
  const std::size_t at = pasteable.find(kKafkaConfigs);
  if (at != std::string::npos) pasteable.replace(at, kKafkaConfigs.size() - 1, calls.kafka_configs);
  return pasteable;
}

}  // namespace fanfold
