// Which outcome of a topic comes next.
#pragma once

#include <expected>
#include <fmt/format.h>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold::reader {

// Whether what was read of `record` is the outcome that is next in its partition; false: a repeat.
// Errors: kOutOfRange, a gap or no outcome.
template <class Outcome>
[[nodiscard]] Result<bool> IsNext(const std::expected<Outcome, Unreadable>& outcome,
                                  const LogRecord& record, Offset next) {
  if (!outcome) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} cannot be read: {}", record.partition.value,
                            record.offset.value, outcome.error().detail));
  }
  if (outcome->position.offset <= next) return outcome->position.offset == next;
  return Fail(ErrorCode::kOutOfRange,
              fmt::format("outcome {} where {}:{} is next", ToString(outcome->position),
                          record.partition.value, next.value));
}

}  // namespace fanfold::reader
