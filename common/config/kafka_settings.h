// Which of librdkafka's options a deployment may set: what its brokers ask of a client. Its own
// page says what they do (CONFIGURATION.md of librdkafka 2.0.2). Not among them: what checks
// nothing (enable.ssl.certificate.verification, ssl.endpoint.identification.algorithm), loads code
// (ssl.engine.*, plugin.*), weakens what an ack says (acks, enable.idempotence), or holds a secret.
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
// "PROTOCOL://HOST:PORT, …", of which protocol and port may be missing.
[[nodiscard]] std::optional<std::string> BrokerOffLoopback(const std::string& brokers);

}  // namespace fanfold
