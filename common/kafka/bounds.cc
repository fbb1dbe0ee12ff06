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

using Offsets = std::vector<Result<Offset>>;

Error BoundsError(rd_kafka_resp_err_t error, const std::string& topic, Partition partition) {
  return ErrorOf(error, fmt::format("{}/{}: bounds", topic, partition.value));
}

// Where the partitions' begins or ends stand: `which` is RD_KAFKA_OFFSET_BEGINNING or
// RD_KAFKA_OFFSET_END, which a broker takes for the "time" that is asked about. One request to each
// leader. librdkafka's own query of both (rd_kafka_query_watermark_offsets) is of one partition,
// and does without its timeout before 2.3, until the broker is back; rd_kafka_ListOffsets came
// with 2.3.
Offsets QueryOffsets(rd_kafka_t* client, const std::string& topic,
                     std::span<const Partition> partitions, std::int64_t which,
                     std::int64_t timeout_ms) {
  const PartitionListPtr asked(
      rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const Partition partition : partitions) {
    rd_kafka_topic_partition_list_add(asked.get(), topic.c_str(), partition.value)->offset = which;
  }
  const rd_kafka_resp_err_t failed =
      rd_kafka_offsets_for_times(client, asked.get(), static_cast<int>(timeout_ms));
  Offsets offsets;
  offsets.reserve(partitions.size());
  for (const Partition partition : partitions) {
    const rd_kafka_topic_partition_t* answer =
        rd_kafka_topic_partition_list_find(asked.get(), topic.c_str(), partition.value);
    const rd_kafka_resp_err_t error = failed != RD_KAFKA_RESP_ERR_NO_ERROR ? failed : answer->err;
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      offsets.emplace_back(std::unexpected(BoundsError(error, topic, partition)));
    } else {
      offsets.emplace_back(Offset(answer->offset));
    }
  }
  return offsets;
}

constexpr std::int64_t kAskAgainMs = 200;

std::vector<Result<LogBounds>> QueryOnce(rd_kafka_t* client, const std::string& topic,
                                         std::span<const Partition> partitions,
                                         std::int64_t timeout_ms) {
  const SystemClock clock;
  const std::int64_t deadline_ms = clock.SteadyMs() + timeout_ms;
  const Offsets begins =
      QueryOffsets(client, topic, partitions, RD_KAFKA_OFFSET_BEGINNING, timeout_ms);
  // The ends second: a log that is cut meanwhile still has begin ≤ end.
  const Offsets ends = QueryOffsets(client, topic, partitions, RD_KAFKA_OFFSET_END,
                                    std::max<std::int64_t>(0, deadline_ms - clock.SteadyMs()));
  std::vector<Result<LogBounds>> bounds;
  bounds.reserve(partitions.size());
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!begins[i] || !ends[i]) {
      bounds.emplace_back(std::unexpected(begins[i] ? ends[i].error() : begins[i].error()));
    } else {
      bounds.emplace_back(LogBounds{*begins[i], *ends[i]});
    }
  }
  return bounds;
}

bool AllLed(const std::vector<Result<LogBounds>>& bounds) {
  return std::ranges::none_of(bounds, [](const Result<LogBounds>& answer) {
    return !answer && answer.error().code == ErrorCode::kUnavailable;
  });
}

}  // namespace

std::vector<Result<LogBounds>> QueryBounds(rd_kafka_t* client, const std::string& topic,
                                           std::span<const Partition> partitions,
                                           const BoundsWait& wait) {
  if (partitions.empty()) return {};
  const SystemClock clock;
  const std::int64_t deadline_ms = clock.SteadyMs() + wait.timeout_ms;
  while (true) {
    std::vector<Result<LogBounds>> bounds =
        QueryOnce(client, topic, partitions, deadline_ms - clock.SteadyMs());
    if (AllLed(bounds)) return bounds;
    // Who leads is remembered for long, that nobody does as well.
    (void)DescribeTopic(client, topic, std::max<std::int64_t>(0, deadline_ms - clock.SteadyMs()));
    if (!wait.asks_again) return bounds;
    if (clock.SteadyMs() + kAskAgainMs >= deadline_ms) return bounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(kAskAgainMs));
  }
}

}  // namespace fanfold::kafka
