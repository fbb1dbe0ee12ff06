#include "common/kafka/bounds.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <thread>

#include "common/kafka/admin.h"
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
    } else if (answer->offset < 0) {
      offsets.emplace_back(
          std::unexpected(BoundsError(RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, topic, partition)));
    } else {
      offsets.emplace_back(Offset(answer->offset));
    }
  }
  return offsets;
}

// The part of a wait after which all leaders together have not answered, and after which nobody has
// said who leads.
constexpr std::int64_t kPartOfWait = 4;

using Clock = std::chrono::steady_clock;

std::vector<Result<LogBounds>> QueryTogether(rd_kafka_t* client, const std::string& topic,
                                             std::span<const Partition> partitions,
                                             std::int64_t timeout_ms) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  const Offsets begins =
      QueryOffsets(client, topic, partitions, RD_KAFKA_OFFSET_BEGINNING, timeout_ms);
  // The ends second: a log that is cut meanwhile still has begin ≤ end.
  const Offsets ends =
      std::ranges::any_of(begins, &Result<Offset>::has_value)
          ? QueryOffsets(client, topic, partitions, RD_KAFKA_OFFSET_END, MsUntil(deadline))
          : begins;
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

// What one leader is asked for, and where in the answer each of it belongs.
struct Share {
  std::vector<Partition> partitions;
  std::vector<std::size_t> places;
};

// Who is to be asked for what `bounds` lacks. What nobody can be asked for is told there: that a
// partition is missing or not led is for a broker to say, not for what the client remembers. Where
// none says it in time, all are asked together once more.
std::map<std::int32_t, Share> SharesOf(const Result<TopicShape>& shape, const std::string& topic,
                                       std::span<const Partition> partitions,
                                       std::vector<Result<LogBounds>>& bounds) {
  const bool unsaid = !shape && shape.error().code == ErrorCode::kUnavailable;
  std::map<std::int32_t, Share> shares;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i]) continue;
    const Partition partition = partitions[i];
    std::int32_t leader = TopicShape::kNobody;
    if (!shape) {
      bounds[i] = std::unexpected(shape.error());
    } else if (partition.value >= shape->partitions()) {
      bounds[i] =
          std::unexpected(BoundsError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, topic, partition));
    } else {
      bounds[i] =
          std::unexpected(BoundsError(RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, topic, partition));
      leader = shape->leaders[static_cast<std::size_t>(partition.value)];
    }
    if (leader == TopicShape::kNobody && !unsaid) continue;
    Share& share = shares[leader];
    share.partitions.push_back(partition);
    share.places.push_back(i);
  }
  return shares;
}

// Asks once more for what `bounds` lacks, each leader by itself: asked together, one that does not
// answer fails all (rd_kafka_offsets_for_times).
void QueryByLeader(rd_kafka_t* client, const std::string& topic,
                   std::span<const Partition> partitions, Clock::time_point deadline,
                   std::vector<Result<LogBounds>>& bounds) {
  const Result<TopicShape> shape = DescribeTopic(client, topic, MsUntil(deadline) / kPartOfWait);
  const std::map<std::int32_t, Share> shares = SharesOf(shape, topic, partitions, bounds);
  auto left = static_cast<std::int64_t>(shares.size());
  for (const auto& [leader, share] : shares) {
    const std::vector<Result<LogBounds>> told =
        QueryTogether(client, topic, share.partitions, MsUntil(deadline) / left--);
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (told[i] || told[i].error().code != ErrorCode::kNotFound)
        bounds[share.places[i]] = told[i];
    }
  }
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
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(wait.timeout_ms);
  std::vector<Result<LogBounds>> bounds =
      QueryTogether(client, topic, partitions, wait.timeout_ms / kPartOfWait);
  while (!std::ranges::all_of(bounds, &Result<LogBounds>::has_value)) {
    QueryByLeader(client, topic, partitions, deadline, bounds);
    if (AllLed(bounds) || !wait.asks_again || MsUntil(deadline) <= kAskAgainMs) return bounds;
    std::this_thread::sleep_for(std::chrono::milliseconds(kAskAgainMs));
  }
  return bounds;
}

}  // namespace fanfold::kafka
