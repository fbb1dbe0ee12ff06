// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstdint>
#include <librdkafka/rdkafka.h>

#include "common/kafka/kafka_event_log.h"

namespace fanfold::kafka {

// What of a client's options stands in files that change while it lives, looked at twice a second.
// A password is told to the client, for whenever it has to say again who it is. Certificates and
// keys are read when a client is made and never again: a round begins once a broker has answered a
// client that was made with what they hold now, and each client of an earlier one is outdated. What
// cannot be used, or nobody answers, changes nothing, and the log and a gauge say so. Thread-safe;
// waits for no file and no broker but where it says so.

// Asked before a client is made and after, for Follow to know what it was made with: 0 while the
// files hold what is of no round. Reads them. Errors: kInvalidArgument, at the first call they
// cannot be read, or one is larger than 64 MiB.
[[nodiscard]] Result<std::uint64_t> RoundOf(const KafkaOptions& options);
// Reads the password's file.
void Follow(rd_kafka_t* client, const KafkaOptions& options, std::uint64_t made_in_round);
// It was made with what a broker has answered to: only such a one may take another's place.
[[nodiscard]] bool IsCurrent(rd_kafka_t* client);
// It is not current, and one that is made now would be.
[[nodiscard]] bool IsOutdated(rd_kafka_t* client);
// Before the client goes.
void Forget(rd_kafka_t* client) noexcept;

}  // namespace fanfold::kafka
