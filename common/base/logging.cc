#include "common/base/logging.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

// Whether who reads stderr is systemd's journal (systemd.exec(5), $JOURNAL_STREAM).
bool IsReadByJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe): set by none
  struct stat is{};
  return stream != nullptr && ::fstat(STDERR_FILENO, &is) == 0 &&
         stream == fmt::format("{}:{}", is.st_dev, is.st_ino);
}

// "<4>": the journal takes it off and knows the line by it (sd-daemon(3)).
class Priority final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& line, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string_view priority = PriorityOf(line.level);
    to.append(priority.data(), priority.data() + priority.size());
  }
  [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<Priority>();
  }

 private:
  static std::string_view PriorityOf(spdlog::level::level_enum level) noexcept {
    if (level >= spdlog::level::err) return "<3>";
    if (level == spdlog::level::warn) return "<4>";
    return level == spdlog::level::info ? "<6>" : "<7>";
  }
};

}  // namespace

void StartLogging(std::string_view service, LogLevel lowest) {
  const std::string pattern =
      std::string(IsReadByJournal() ? "%P" : "") +
      "{\"ts\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",\"service\":" + JsonPlain(service) +
      "%v}";
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<Priority>('P').set_pattern(pattern);
  Logger().set_formatter(std::move(formatter));
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
  std::string line = ",\"msg\":" + JsonPlain(message);
  for (const LogField& field : fields) {
    line +=
        "," + JsonPlain(field.name) + ":" + (field.quoted ? JsonPlain(field.value) : field.value);
  }
  Logger().log(LevelOf(level), "{}", line);
}

}  // namespace fanfold
