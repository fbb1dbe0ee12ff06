// Which of librdkafka's options a deployment may set: what its brokers ask of a client. Its own
// page says what they do (CONFIGURATION.md of librdkafka 2.0.2). Not among them: what checks
// nothing (enable.ssl.certificate.verification, ssl.endpoint.identification.algorithm), loads code
// (ssl.engine.*, plugin.*), weakens what an ack says (acks, enable.idempotence), or holds a secret.
#pragma once

#include <vector>

#include "common/config/setting.h"

namespace fanfold {

// Keys are "kafka." and the option; one that would hold a secret ends in `_file` and names its
// file. Config::kafka has them without "kafka.".
[[nodiscard]] std::vector<Setting> KafkaSettings();

}  // namespace fanfold
