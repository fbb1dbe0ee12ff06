#include "common/config/kafka_settings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <variant>

#include "common/base/loopback.h"

namespace fanfold {
namespace {

struct Option {
  std::string_view name;  // librdkafka's
  std::string_view help;
  ValueKind kind = ValueKind::kText;
  std::array<std::string_view, 4> choices = {};
};

constexpr Option kOptions[] = {
    {"security.protocol",
     "How brokers are spoken to. What they show is always verified. sasl_plaintext is for brokers "
     "on loopback alone.",
     ValueKind::kText,
     {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"}},
    {"sasl.mechanism",
     "How we say who we are. SCRAM wants librdkafka 2.6.1 where the brokers are Kafka 4: those "
     "refuse what earlier ones say (Debian 12 has 2.0.2, 13 has 2.8.0). PLAIN sends the password, "
     "within TLS.",
     ValueKind::kText,
     {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}},
    {"sasl.username", "Who we are.", ValueKind::kText},
    {"sasl.password_file", "The password's file, read again when it changes.", ValueKind::kPath},
    {"ssl.ca.location",
     "The file of the certificates that brokers' are verified with, read again when "
     "it changes. Without it: the system's.",
     ValueKind::kPath},
    {"ssl.crl.location", "The file of certificates that are revoked, read again when it changes.",
     ValueKind::kPath},
    {"ssl.certificate.location",
     "The file of our own certificate, where brokers want one. Read again when it or its key "
     "changes: "
     "each client is made anew, and a projector's lanes are given back and taken again.",
     ValueKind::kPath},
    {"ssl.key.location", "The file of its key.", ValueKind::kPath},
    {"ssl.key.password_file", "The file of the key's password.", ValueKind::kPath},
    {"ssl.cipher.suites", "As OpenSSL's ciphers(1) has them.", ValueKind::kText},
    {"ssl.curves.list", "As SSL_CTX_set1_curves_list(3) has them.", ValueKind::kText},
    {"ssl.sigalgs.list", "As SSL_CTX_set1_sigalgs_list(3) has them.", ValueKind::kText},
};

bool Fits(const Option& option, const std::string& value) {
  if (value.empty()) return false;
  if (option.choices[0].empty()) return true;
  return std::ranges::count(option.choices, value) != 0;
}

std::string WantedOf(const Option& option) {
  if (option.kind == ValueKind::kPath) return "the path of a file";
  if (option.choices[0].empty()) return "a text";
  std::string wanted;
  for (const std::string_view choice : option.choices) {
    if (choice.empty()) continue;
    wanted += (wanted.empty() ? "one of " : ", ") + std::string(choice);
  }
  return wanted;
}

Setting SettingOf(const Option& option) {
  Setting setting;
  setting.key = fmt::format("kafka.{}", option.name);
  setting.help = option.help;
  setting.wanted = WantedOf(option);
  setting.kind = option.kind;
  setting.set = [&option](const ConfigValue& value, Config& config) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || !Fits(option, *text)) return false;
    config.kafka[std::string(option.name)] = *text;
    return true;
  };
  setting.get = [&option](const Config& config) -> std::optional<ConfigValue> {
    const auto found = config.kafka.find(std::string(option.name));
    if (found == config.kafka.end()) return std::nullopt;
    return found->second;
  };
  return setting;
}

}  // namespace

std::optional<std::string> BrokerOffLoopback(const std::string& brokers) {
  const ConfigValue list = ParseConfigValue(brokers, ValueKind::kList);
  for (const std::string& broker : std::get<std::vector<std::string>>(list)) {
    std::string_view host = broker;
    if (const auto protocol = host.find("://"); protocol != host.npos) {
      host.remove_prefix(protocol + 3);
    }
    if (!IsLoopback(host)) host = host.substr(0, host.rfind(':'));
    if (!broker.empty() && !IsLoopback(host)) return broker;
  }
  return std::nullopt;
}

std::string ProtocolOf(const std::map<std::string, std::string>& options) {
  const auto told = options.find("security.protocol");
  return told == options.end() ? std::string(kPlaintext) : told->second;
}

std::vector<Setting> KafkaSettings() {
  std::vector<Setting> settings;
  for (const Option& option : kOptions) settings.push_back(SettingOf(option));
  return settings;
}

}  // namespace fanfold
