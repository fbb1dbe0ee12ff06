#include "common/config/warnings.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <unistd.h>

#include "common/base/logging.h"
#include "common/base/loopback.h"
#include "common/base/nearest.h"
#include "common/config/kafka_settings.h"
#include "common/config/setting.h"

namespace fanfold {
namespace {

// Variables of ours that are no settings: of verbs and services, of the image, of `make stack`.
constexpr std::string_view kNoSettings[] = {"FANFOLD_CONFIG", "FANFOLD_HEALTH_PORT",
                                            "FANFOLD_KAFKA_PORT", "FANFOLD_KAFKA_CONTROLLER_PORT",
                                            "FANFOLD_MYSQL_PORT"};
constexpr std::string_view kOrAllow = "or say that it is meant: allow_plaintext = true";

std::vector<std::string> VariablesOfSettings() {
  std::vector<std::string> names;
  for (const Setting& setting : Settings()) {
    if (!setting.takers.empty()) names.push_back(setting.variable());
  }
  return names;
}

}  // namespace

std::vector<std::string> PlaintextOf(const Config& config) {
  std::vector<std::string> lines;
  if (config.allow_plaintext) return lines;
  const auto broker = BrokerOffLoopback(config.kafka_brokers);
  if (config.mode == DeploymentMode::kServers && broker && ProtocolOf(config.kafka) == kPlaintext) {
    lines.push_back(
        fmt::format("kafka_brokers names {}, which is not on loopback, and is spoken to without "
                    "TLS: set kafka.security.protocol to ssl or sasl_ssl, {}",
                    *broker, kOrAllow));
  }
  const bool in_tls = !config.tls_certificate_file.empty() || !config.trusted_proxies.empty();
  if (config.access == AccessMode::kOpen || in_tls) return lines;
  for (const auto& [key, address] :
       {std::pair("bind", config.bind), std::pair("operations_bind", config.operations_bind)}) {
    if (IsLoopback(address)) continue;
    lines.push_back(
        fmt::format("{} is {}, which is not on loopback, and tokens go there without TLS: set "
                    "tls_certificate_file and tls_key_file, name whoever speaks TLS before it in "
                    "trusted_proxies, {}",
                    key, address, kOrAllow));
  }
  return lines;
}

std::vector<std::string> StrayVariables(const std::vector<std::string>& names) {
  const std::vector<std::string> known = VariablesOfSettings();
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    if (!name.starts_with("FANFOLD_") || std::ranges::count(known, name) != 0 ||
        std::ranges::count(kNoSettings, name) != 0) {
      continue;
    }
    lines.push_back(fmt::format("{} is no setting, and does nothing; the nearest is {}", name,
                                NearestOf(name, known)));
  }
  return lines;
}

std::vector<std::string> VariableNames() {
  std::vector<std::string> names;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text = *one;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::vector<std::string> WarningsOf(const Config& config) {
  std::vector<std::string> lines = PlaintextOf(config);
  std::ranges::move(StrayVariables(VariableNames()), std::back_inserter(lines));
  return lines;
}

void LogWarnings(const Config& config) {
  for (const std::string& line : WarningsOf(config)) {
    LogWarning("look at the configuration", {{"why", line}});
  }
}

}  // namespace fanfold
