// The options of librdkafka that a deployment may set, as its brokers demand. librdkafka's own page
// explains them (CONFIGURATION.md of librdkafka 2.0.2). Left out: options that check nothing
// (enable.ssl.certificate.verification, ssl.endpoint.identification.algorithm), load code
// (ssl.engine.*, plugin.*), weaken an ack (acks, enable.idempotence), or hold a secret.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/setting.h"

namespace fanfold {

// Keys are "kafka." and the option; one that would hold a secret ends in `_file` and names its
// file. Config::kafka has them without "kafka.".
[[nodiscard]] std::vector<Setting> KafkaSettings();

inline constexpr std::string_view kPlaintext = "plaintext";
// How brokers are spoken to, by Config::kafka.
[[nodiscard]] std::string ProtocolOf(const std::map<std::string, std::string>& options);

// The first of Config::kafka_brokers that is not on loopback. As librdkafka reads them:
// "PROTOCOL://HOST:PORT, …", where protocol and port may be missing.
[[nodiscard]] std::optional<std::string> BrokerOffLoopback(const std::string& brokers);

}  // namespace fanfold
