#include "common/kafka/bounds.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "common/base/clock.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

// Where the partition's begin or end stands: `which` is RD_KAFKA_OFFSET_BEGINNING or
// RD_KAFKA_OFFSET_END, which a broker takes for the "time" that is asked about. librdkafka's own
// query of both (rd_kafka_query_watermark_offsets) does without its timeout before 2.3, until the
// broker is back.
Result<Offset> QueryOffset(rd_kafka_t* client, const std::string& topic, Partition partition,
                           std::int64_t which, std::int64_t timeout_ms) {
  const PartitionListPtr asked(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_t* entry =
      rd_kafka_topic_partition_list_add(asked.get(), topic.c_str(), partition.value);
  entry->offset = which;
  rd_kafka_resp_err_t error =
      rd_kafka_offsets_for_times(client, asked.get(), static_cast<int>(timeout_ms));
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) error = entry->err;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(error, fmt::format("{}/{}: bounds", topic, partition.value)));
  }
  return Offset(entry->offset);
}

constexpr std::int64_t kAskAgainMs = 200;

Result<LogBounds> QueryOnce(rd_kafka_t* client, const std::string& topic, Partition partition,
                            std::int64_t timeout_ms) {
  const SystemClock clock;
  const std::int64_t deadline_ms = clock.SteadyMs() + timeout_ms;
  const Result<Offset> begin =
      QueryOffset(client, topic, partition, RD_KAFKA_OFFSET_BEGINNING, timeout_ms);
  if (!begin) return std::unexpected(begin.error());
  // The end second: a log that is cut meanwhile still has begin ≤ end.
  const Result<Offset> end = QueryOffset(client, topic, partition, RD_KAFKA_OFFSET_END,
                                         std::max<std::int64_t>(0, deadline_ms - clock.SteadyMs()));
  if (!end) return std::unexpected(end.error());
  return LogBounds{*begin, *end};
}

}  // namespace

Result<LogBounds> QueryBounds(rd_kafka_t* client, const std::string& topic, Partition partition,
                              const BoundsWait& wait) {
  const SystemClock clock;
  const std::int64_t deadline_ms = clock.SteadyMs() + wait.timeout_ms;
  while (true) {
    Result<LogBounds> bounds = QueryOnce(client, topic, partition, deadline_ms - clock.SteadyMs());
    if (bounds || !wait.asks_again || bounds.error().code != ErrorCode::kUnavailable) return bounds;
    if (clock.SteadyMs() + kAskAgainMs >= deadline_ms) return bounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(kAskAgainMs));
  }
}

}  // namespace fanfold::kafka
