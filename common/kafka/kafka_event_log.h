// The log on Kafka.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "common/ports/event_log.h"

namespace fanfold {

// How much a reader fetches before it is asked for it, over all its partitions: librdkafka looks
// only once a second whether a reader that had enough has room again, so this is what is read in a
// second at most.
struct ReadAhead {
  std::int64_t records = 150'000;
  std::int64_t kbytes = 49'152;
};
// For those who read a log from end to end.
inline constexpr ReadAhead kScanReadAhead{1'000'000, 262'144};

// How bounds and numbers of partitions are waited for.
struct BoundsWait {
  std::int64_t timeout_ms = EventLog::kBoundsTimeoutMs;
  // A partition that nobody leads just now is asked again until then, else told at once.
  bool asks_again = false;
};

struct KafkaOptions {
  std::string brokers = {};  // "host:port,…"
  // Prefixes topics and groups: "" gives relation-events, "x" x-relation-events.
  std::string space = {};
  ReadAhead read_ahead = {};
  BoundsWait bounds = {};
  // Options of the client over ours, as common/config/kafka_settings.h has them: of one that ends
  // in
  // `_file` the file holds the value.
  std::map<std::string, std::string> client = {};
};

[[nodiscard]] std::string KafkaTopicName(const KafkaOptions& options, Topic topic);

// Reads the secrets' files. Errors: kInvalidArgument, the message says which option the client does
// not take.
//
// Thread-safe; readers and appenders may outlive it. Does not block and needs no broker: where
// there is none, calls fail with kUnavailable until there is. NewReader and NewAppender fail as
// PartitionCount does. The largest record that is appended is what brokers take by default, 1 MB;
// records of any size are read. A LogReader delivers what the log holds: a hole between offsets is
// left for its owner to see. After kOutOfRange from Poll, which names the partition, nothing more
// of that partition comes until it is started again. A batch that outlives its reader keeps the
// reader's connections open.
[[nodiscard]] Result<std::unique_ptr<EventLog>> NewKafkaEventLog(const KafkaOptions& options);

}  // namespace fanfold
