#include "common/base/logging.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

spdlog::level::level_enum LevelOf(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Never destroyed: threads of client libraries may log while the process ends.
spdlog::logger& Logger() {
  static auto& logger =
      *new spdlog::logger("fanfold", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  return logger;
}

}  // namespace

void StartLogging(std::string_view service, LogLevel lowest) {
  const std::string pattern =
      "{\"ts\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",\"service\":" + JsonQuoted(service) +
      "%v}";
  Logger().set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  SetLogLevel(lowest);
  Logger().flush_on(spdlog::level::info);
}

void SetLogLevel(LogLevel lowest) { Logger().set_level(LevelOf(lowest)); }

void SetLogLevel(LogLevel lowest, std::string_view message,
                 std::initializer_list<LogField> fields) {
  SetLogLevel(std::min(lowest, LowestLogged()));
  LogWarning(message, fields);
  SetLogLevel(lowest);
}

LogLevel LowestLogged() {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning}) {
    if (Logger().should_log(LevelOf(level))) return level;
  }
  return LogLevel::kError;
}

void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!Logger().should_log(LevelOf(level))) return;
  std::string line = ",\"msg\":" + JsonQuoted(message);
  for (const LogField& field : fields) {
    line +=
        "," + JsonQuoted(field.name) + ":" + (field.quoted ? JsonQuoted(field.value) : field.value);
  }
  Logger().log(LevelOf(level), "{}", line);
}

}  // namespace fanfold
