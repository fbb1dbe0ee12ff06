// Structured logs: one JSON object a line on stderr, {"ts","level","service","msg", fields…},
// in ASCII, behind its priority where systemd's journal reads. Thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/base/enum_names.h"

namespace fanfold {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
inline constexpr Names<LogLevel, 4> kLogLevels = {{{LogLevel::kDebug, "debug"},
                                                   {LogLevel::kInfo, "info"},
                                                   {LogLevel::kWarning, "warning"},
                                                   {LogLevel::kError, "error"}}};

struct LogField {
  std::string_view name;
  std::string value;
  bool quoted = true;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(text) {}
  LogField(std::string_view field, const std::string& text) : name(field), value(text) {}
  template <class T>
    requires std::is_integral_v<T>
  LogField(std::string_view field, T number)
      : name(field), value(std::to_string(number)), quoted(false) {}
};

// Names the service in every line and sets the lowest level that is written. Call once, early.
void StartLogging(std::string_view service, LogLevel lowest);
// From now on.
void SetLogLevel(LogLevel lowest);
[[nodiscard]] LogLevel LowestLogged();

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// The same, with a warning that is in the log as well where the new level would not have it:
// whoever silences the log is the last to be seen there.
void SetLogLevel(LogLevel lowest, std::string_view message, std::initializer_list<LogField> fields);

inline void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kInfo, message, fields);
}
inline void LogWarning(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kWarning, message, fields);
}
inline void LogError(std::string_view message, std::initializer_list<LogField> fields = {}) {
  Log(LogLevel::kError, message, fields);
}

}  // namespace fanfold
