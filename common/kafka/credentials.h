// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstdint>
#include <librdkafka/rdkafka.h>

#include "common/kafka/kafka_event_log.h"

namespace fanfold::kafka {

// Follows those of a client's options that stand in files and change while the client lives; looks
// twice a second. A new password is told to the client, for the next time that it logs in.
// Certificates and keys are read when a client is made and never again. A round begins once a
// broker has answered a client made with the files' present content; every client of an earlier
// round is then outdated. Unusable files, or no answer, change nothing; the log and a gauge say so.
// Thread-safe; waits for no file and no broker but where it says so.

// The round that the files' present content belongs to; 0: none. Ask before a client is made and
// after, to tell Follow. Reads the files. Errors: kInvalidArgument, at the first call they
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
