// Which outcome of a topic comes next.
#pragma once

#include <expected>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold::reader {

// Whether what was read of `record`, the position of an outcome, is the one that is next in its
// partition; false: a repeat. Errors: kOutOfRange, a gap or no outcome.
[[nodiscard]] Result<bool> IsNext(const std::expected<Position, Unreadable>& read,
                                  const LogRecord& record, Offset next);

template <class Outcome>
[[nodiscard]] Result<bool> IsNext(const std::expected<Outcome, Unreadable>& outcome,
                                  const LogRecord& record, Offset next) {
  using Read = std::expected<Position, Unreadable>;
  return IsNext(outcome ? Read(outcome->position) : Read(std::unexpected(outcome.error())), record,
                next);
}

}  // namespace fanfold::reader
