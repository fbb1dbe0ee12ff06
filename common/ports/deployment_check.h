// Whether what a process has reached is the deployment that it is configured for: its topics' partitions,
// its shards' schemas. What a schema tells of itself is little: the catalog stands on shard 0, a lane
// of following on its partition's shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/relation/slot.h"

namespace fanfold {

// Has the topic the deployment's partitions? More are fine, since Kafka cannot take them back: what
// stands in those is nobody's. Errors: kRefused, it has fewer, naming both; PartitionCount's.
[[nodiscard]] Status CheckTopic(EventLog& log, Topic topic, std::int32_t partitions);

// How many records stand in the topic's partitions from `partitions` on. Errors: the log's.
[[nodiscard]] Result<std::int64_t> ForeignRecords(EventLog& log, Topic topic,
                                                  std::int32_t partitions);
}  // namespace fanfold
