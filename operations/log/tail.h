// The log as it grows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/slot.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct TailOptions {
  Topic topic = {};                   // relation-events
  bool from_start = false;            // else from the ends as they are at the start
  std::optional<std::int64_t> count;  // ends after so many records
};

// Sees one record, which is gone afterwards; `batch_ends`: no other has come yet. False: that is
// enough.
using SeeRecord =
    std::function<bool(const LogRecord& record, std::int32_t partitions, bool batch_ends)>;

// Shows records as they come until it is interrupted, `count` were shown, or `see` has enough.
// Errors: CheckTopic's, EventLog's; a log that is away for a while is none.
[[nodiscard]] Status Tail(Context& context, const TailOptions& options, const SeeRecord& see);

}  // namespace fanfold::operations
