// Compares a record of a topic with the outcome that comes next.
#pragma once

#include <cstdint>
#include <expected>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold::reader {

enum class Expected : std::uint8_t {
  kNext,
  kRepeat,
  kUnreadable,  // passed over, as its lanes do: was it the next, the gap behind it tells
};

// Judges `record`, whose outcome's position was `read`, where `next` comes next in its partition.
// Errors: kOutOfRange, a gap.
[[nodiscard]] Result<Expected> Expect(const std::expected<Position, Unreadable>& read,
                                      const LogRecord& record, Offset next);

template <class Outcome>
[[nodiscard]] Result<Expected> Expect(const std::expected<Outcome, Unreadable>& outcome,
                                      const LogRecord& record, Offset next) {
  using Read = std::expected<Position, Unreadable>;
  return Expect(outcome ? Read(outcome->position) : Read(std::unexpected(outcome.error())), record,
                next);
}

// Counts the records that were passed over.
struct PassedOver {
  Counter& repeats;
  Counter& unreadable;
  void Count(Expected what) const { (what == Expected::kRepeat ? repeats : unreadable).Add(1); }
};

}  // namespace fanfold::reader
