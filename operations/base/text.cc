#include "operations/base/text.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/stream/ids.h"

namespace fanfold::operations {

std::string ShortCount(std::int64_t count) {
  struct Unit {
    double size;
    char letter;
  };
  constexpr Unit kUnits[] = {{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}};
  const auto number = static_cast<double>(count);
  for (const Unit& unit : kUnits) {
    // Half of the last digit shown below the unit already reads as one of it.
    if (number >= unit.size * 0.9995) {
      const double scaled = number / unit.size;
      const int decimals = scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
      return fmt::format("{:.{}f}{}", scaled, decimals, unit.letter);
    }
  }
  return std::to_string(count);
}

std::string ShortDuration(std::int64_t ms) {
  const std::int64_t seconds = std::max<std::int64_t>(ms, 0) / 1000;
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  if (hours >= 24) return fmt::format("{}d {:02}:{:02}", hours / 24, hours % 24, minutes % 60);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes % 60, seconds % 60);
  return fmt::format("{}:{:02}", minutes, seconds % 60);
}

std::string IsoTime(std::int64_t ms) {
  using std::chrono::milliseconds;
  constexpr std::int64_t kYear10000Ms = 253'402'300'800'000;
  if (ms < 0 || ms >= kYear10000Ms) return fmt::format("{} ms", ms);
  const std::chrono::sys_time<milliseconds> time{milliseconds(ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  if (const auto ms = ParseNonNegative(text)) return ms;
  std::tm time{};
  const std::string whole(text);
  const char* rest = strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (rest == nullptr) return std::nullopt;
  std::int64_t fraction_ms = 0;
  if (*rest == '.') {
    const std::string_view behind(rest + 1);
    const std::size_t digits = behind.find('Z');
    const auto number = ParseNonNegative(behind.substr(0, digits));
    if (digits != 3 || !number) return std::nullopt;
    fraction_ms = *number;
    rest += 1 + digits;
  }
  if (std::string_view(rest) != "Z") return std::nullopt;
  const std::int64_t ms = timegm(&time) * std::int64_t{1000} + fraction_ms;
  // What is no day, as 31 February, reads as another one.
  if (ms < 0 || !IsoTime(ms).starts_with(whole.substr(0, 19))) return std::nullopt;
  return ms;
}

std::string Escaped(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= 0x20 && byte <= 0x7e) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  return text;
}

}  // namespace fanfold::operations
