#include "operations/log/import_time.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "common/stream/ids.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kTimeMsMax = static_cast<std::int64_t>(kUserIdMax);

// Reads a text from its front.
class TimeScan {
 public:
  explicit TimeScan(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool Skip(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  // Exactly so many digits, at most `most`.
  [[nodiscard]] std::optional<int> Number(std::size_t digits, int most) {
    if (rest_.size() < digits) return std::nullopt;
    int number = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = 10 * number + (c - '0');
    }
    if (number > most) return std::nullopt;
    rest_.remove_prefix(digits);
    return number;
  }
  // Of a second, the digits that stand here: three count.
  [[nodiscard]] std::optional<int> FractionMs() {
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) return std::nullopt;
    int ms = 0;
    for (std::size_t i = 0; i < 3; ++i) ms = 10 * ms + (i < digits ? rest_[i] - '0' : 0);
    rest_.remove_prefix(digits);
    return ms;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

using MsOrNone = std::optional<std::int64_t>;

MsOrNone DayMs(TimeScan& scan) {
  const auto year = scan.Number(4, 9'999);
  if (!year || !scan.Skip("-")) return std::nullopt;
  const auto month = scan.Number(2, 12);
  if (!month || !scan.Skip("-")) return std::nullopt;
  const auto day = scan.Number(2, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::milliseconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

MsOrNone ClockMs(TimeScan& scan) {
  const auto hour = scan.Number(2, 23);
  if (!hour || !scan.Skip(":")) return std::nullopt;
  const auto minute = scan.Number(2, 59);
  if (!minute || !scan.Skip(":")) return std::nullopt;
  const auto second = scan.Number(2, 60);  // a leap second
  if (!second) return std::nullopt;
  const auto fraction = scan.Skip(".") || scan.Skip(",") ? scan.FractionMs() : 0;
  if (!fraction) return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1000} + *fraction;
}

// East of UTC.
MsOrNone ZoneMs(TimeScan& scan) {
  (void)scan.Skip(" ");
  if (scan.at_end() || scan.Skip("Z") || scan.Skip("z") || scan.Skip("UTC")) return 0;
  const bool west = scan.Skip("-");
  if (!west && !scan.Skip("+")) return std::nullopt;
  const auto hours = scan.Number(2, 23);
  if (!hours) return std::nullopt;
  const bool has_minutes = scan.Skip(":") || !scan.at_end();
  const auto minutes = has_minutes ? scan.Number(2, 59) : 0;
  if (!minutes) return std::nullopt;
  return (west ? -1 : 1) * (*hours * 60 + *minutes) * std::int64_t{60'000};
}

MsOrNone ParseIso8601(std::string_view text) {
  TimeScan scan(text);
  const MsOrNone day = DayMs(scan);
  if (!day) return std::nullopt;
  std::int64_t ms = *day;
  if (!scan.at_end()) {
    if (!scan.Skip("T") && !scan.Skip("t") && !scan.Skip(" ")) return std::nullopt;
    const MsOrNone clock = ClockMs(scan);
    if (!clock) return std::nullopt;
    const MsOrNone zone = ZoneMs(scan);
    if (!zone || !scan.at_end()) return std::nullopt;
    ms += *clock - *zone;
  }
  return ms < 0 ? std::nullopt : MsOrNone(ms);
}

MsOrNone ParseSeconds(std::string_view text) {
  const std::size_t point = text.find('.');
  const MsOrNone seconds = ParseNonNegative(text.substr(0, point));
  TimeScan behind(point == std::string_view::npos ? "0" : text.substr(point + 1));
  const auto fraction = behind.FractionMs();
  if (!seconds || !fraction || !behind.at_end()) return std::nullopt;
  if (*seconds > (kTimeMsMax - *fraction) / 1000) return std::nullopt;
  return *seconds * 1000 + *fraction;
}

}  // namespace

std::optional<std::int64_t> ParseTimeIn(TimeUnit unit, std::string_view text) {
  switch (unit) {
    case TimeUnit::kMs:
      return ParseNonNegative(text);
    case TimeUnit::kSeconds:
      return ParseSeconds(text);
    case TimeUnit::kIso8601:
      return ParseIso8601(text);
  }
  return std::nullopt;
}

std::string_view TimeWanted(TimeUnit unit) noexcept {
  switch (unit) {
    case TimeUnit::kMs:
      return "an integer 0 … 2^63-1, of ms since 1970";
    case TimeUnit::kSeconds:
      return "a number of seconds since 1970";
    case TimeUnit::kIso8601:
      return "a time from 1970 on such as 2022-06-22T07:50:50Z";
  }
  return {};
}

TimeSpan Widened(const std::optional<TimeSpan>& span, std::int64_t ms) noexcept {
  if (!span) return {ms, ms};
  return {std::min(span->earliest_ms, ms), std::max(span->latest_ms, ms)};
}

}  // namespace fanfold::operations
