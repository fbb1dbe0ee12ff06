// Times as files have them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/enum_names.h"

namespace fanfold::operations {

enum class TimeUnit : std::uint8_t { kMs, kSeconds, kIso8601 };
inline constexpr fanfold::Names<TimeUnit, 3> kTimeUnits = {
    {{TimeUnit::kMs, "ms"}, {TimeUnit::kSeconds, "s"}, {TimeUnit::kIso8601, "iso8601"}}};

// Ms since 1970 UTC, 0 … 2^63−1, of
//   kMs: an integer;
//   kSeconds: an integer, or a number with a fraction; three digits of it count;
//   kIso8601: 2022-06-22, or with T or a space and 07:50:50, .592, and Z, UTC, +02, +0200 or
//   +02:00 behind it; without a zone it is UTC.
// Nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> ParseTimeIn(TimeUnit unit, std::string_view text);

// Says which text ParseTimeIn wants.
[[nodiscard]] std::string_view TimeWanted(TimeUnit unit) noexcept;

// The earliest and the latest of some times.
struct TimeSpan {
  std::int64_t earliest_ms = 0;
  std::int64_t latest_ms = 0;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};
[[nodiscard]] TimeSpan Widened(const std::optional<TimeSpan>& span, std::int64_t ms) noexcept;

}  // namespace fanfold::operations
