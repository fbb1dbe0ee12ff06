// Who is in a consumer group.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/kafka/kafka_event_log.h"

namespace fanfold {

// How many members the group has, as its broker knows; 0 where there is no such group. `group` is
// without the space. Errors: kUnavailable. Blocks for at most options.bounds.timeout_ms.
[[nodiscard]] Result<std::int32_t> GroupMembers(const KafkaOptions& options,
                                                const std::string& group);

}  // namespace fanfold
