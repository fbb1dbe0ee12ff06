#include "cli/import_log.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/afresh.h"
#include "cli/append_window.h"
#include "cli/import_target.h"
#include "cli/log_file.h"
#include "cli/progress.h"
#include "cli/record_text.h"
#include "common/relation/position.h"

namespace fanfold {
namespace {

// Whatever a line of the file can hold: what the topic takes was looked at before.
constexpr AppenderOptions kAppending{
    .delivery_timeout_ms = 120'000, .linger_ms = 5, .record_bytes_max = kLogLineBytesMax};
constexpr std::int64_t kFlushTimeoutMs = kAppending.delivery_timeout_ms + 10'000;
constexpr std::int64_t kWaitSliceMs = 100;
// How often the clock and the interrupt are looked at.
constexpr std::int64_t kLinesBetweenLooks = 1024;

// Can a record of a log of `from` partitions be appended to `to`, and where.
class Placing {
 public:
  Placing(std::int32_t from, const ImportTarget& to)
      : from_(from, 1), to_(to.partitions, 1), target_(to) {}

  [[nodiscard]] bool same() const { return from_.partitions() == to_.partitions(); }

  // Errors: kRefused, it cannot stand there as it is.
  [[nodiscard]] Result<AfreshPlace> Of(const LogLineRecord& record) const {
    if (!record.stored.key || !record.stored.value) {
      return Refused(record, "has no key or no value, which cannot be appended");
    }
    const auto bytes_max = target_.BatchBytesMax(record.topic);
    if (const std::int64_t bytes = BatchBytesOf(record.stored); bytes_max && bytes > *bytes_max) {
      return Refused(record, fmt::format("makes a batch of {} bytes, and the topic takes {}: raise "
                                         "its max.message.bytes first",
                                         bytes, *bytes_max));
    }
    if (same()) return AfreshPlace{record.stored.position.partition};
    const std::optional<AfreshPlace> place = PlaceAfresh(record.stored, from_, to_);
    if (place) return *place;
    return Refused(record, "was parked for its partition, and one partition has room for it");
  }

 private:
  static std::unexpected<Error> Refused(const LogLineRecord& record, std::string_view why) {
    return Fail(ErrorCode::kRefused, fmt::format("{} {} {}", NameOf(record.topic),
                                                 ToString(record.stored.position), why));
  }

  const Placement from_;
  const Placement to_;
  const ImportTarget target_;
};

class LogImport {
 public:
  LogImport(Session& session, EventLog& log, Placing placing)
      : session_(session),
        log_(log),
        placing_(placing),
        progress_(session.console, session.clock) {}

  // Reads the file to its end and appends nothing.
  Status Check(LogFileReader file) { return ForEach(file, false); }

  Status Append(LogFileReader file) {
    Status done = ForEach(file, true);
    const Status flushed = CloseWindow();
    progress_.Clear();
    return done ? flushed : done;
  }

  void PrintTotals() const {
    const double seconds = static_cast<double>(progress_.elapsed_ms()) / 1000.0;
    if (session_.json) {
      const nlohmann::json totals = {{"events", events_},
                                     {"outcomes", outcomes_},
                                     {"same_offsets", placing_.same()},
                                     {"seconds", seconds}};
      session_.console.PrintLine(totals.dump());
    } else if (placing_.same()) {
      session_.console.PrintLine(
          fmt::format("imported {} events and {} outcomes at their offsets, {:.1f} s", events_,
                      outcomes_, seconds));
    } else {
      session_.console.PrintLine(fmt::format(
          "imported {} events into a new log, to be decided afresh, {:.1f} s", events_, seconds));
    }
    session_.console.Flush();
    if (if_version_ > 0) {
      session_.console.Say(fmt::format(
          "{} events carry if_version, an offset of the old log: look at what becomes of them",
          if_version_));
    }
  }

 private:
  Status ForEach(LogFileReader& file, bool append) {
    while (true) {
      const Result<std::optional<LogLineRecord>> next = file.Next();
      if (!next) return std::unexpected(next.error());
      if (!*next) return {};
      if (file.line() % kLinesBetweenLooks == 0 && Look(file, append)) return Interrupted();
      const LogLineRecord& record = **next;
      if (!placing_.same() && record.topic == Topic::kOutcomes) continue;
      const Result<AfreshPlace> place = placing_.Of(record);
      if (!place) return std::unexpected(place.error());
      if (!append) continue;
      if (Status taken = Append(file.line(), record, *place); !taken) return taken;
    }
  }

  Status Append(std::int64_t line, const LogLineRecord& record, const AfreshPlace& place) {
    if (!window_ || topic_ != record.topic) {
      if (Status opened = OpenWindow(record.topic); !opened) return opened;
    }
    do {
      while (!window_->WaitForRoom(kWaitSliceMs)) {
        if (window_->failed()) return Failure();
        if (session_.interrupt.WaitFor(0)) return Interrupted();
      }
    } while (!AppendOnce(line, record.stored, place));
    if (window_->failed()) return Failure();
    ++(record.topic == Topic::kEvents ? events_ : outcomes_);
    if_version_ += place.if_version ? 1 : 0;
    return {};
  }

  bool AppendOnce(std::int64_t line, const StoredRecord& stored, const AfreshPlace& place) {
    if (!placing_.same()) {
      return window_->Append(line, place.partition, *stored.key, *stored.value);
    }
    return window_->AppendAt(line, {stored.position.partition, stored.position.offset}, *stored.key,
                             *stored.value);
  }

  // One topic is in the log to its last record before the next one begins.
  Status OpenWindow(Topic topic) {
    if (Status closed = CloseWindow(); !closed) return closed;
    Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topic, kAppending);
    if (!appender) return Forward(appender);
    topic_ = topic;
    window_ = std::make_unique<AppendWindow>(std::move(*appender));
    return {};
  }

  Status CloseWindow() {
    if (!window_) return {};
    const bool flushed = window_->Flush(kFlushTimeoutMs);
    if (window_->failed()) return Failure();
    if (!flushed) return Fail(ErrorCode::kUnavailable, "the log does not answer");
    window_.reset();
    return {};
  }

  // Once nothing is in flight any more, so that it is the first.
  Status Failure() {
    (void)window_->Flush(kFlushTimeoutMs);
    const AppendFailure failure = window_->failure().value_or(AppendFailure{});
    window_.reset();
    return Fail(ErrorCode::kInternal, fmt::format("line {}, a record of {}: {}", failure.line,
                                                  NameOf(topic_), failure.error.message));
  }

  static Status Interrupted() { return Fail(ErrorCode::kInternal, "interrupted"); }

  // Shows the progress when it is due; true when it was asked to stop.
  bool Look(const LogFileReader& file, bool append) {
    if (progress_.Due()) {
      progress_.Show({.done = file.bytes_read(),
                      .total = file.bytes_total(),
                      .items = file.line(),
                      .items_name = append ? "records appended" : "records checked",
                      .elapsed_ms = progress_.elapsed_ms()});
    }
    return session_.interrupt.WaitFor(0);
  }

  Session& session_;
  EventLog& log_;
  const Placing placing_;
  Progress progress_;
  Topic topic_ = Topic::kOutcomes;  // of window_
  std::unique_ptr<AppendWindow> window_;
  std::int64_t events_ = 0;
  std::int64_t outcomes_ = 0;
  std::int64_t if_version_ = 0;
};

// Before anything is appended, where the file can be read twice.
Status CheckFile(Session& session, EventLog& log, const ImportTarget& to, const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  Result<LogFileReader> file = LogFileReader::Open(path);
  if (!file) return Forward(file);
  const Placing placing(file->partitions(), to);
  return LogImport(session, log, placing).Check(std::move(*file));
}

Status ImportLog(Session& session, const ImportLogOptions& options) {
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return Forward(log);
  const Result<ImportTarget> target = CheckImportTarget(session.backend, **log);
  if (!target) return std::unexpected(target.error());
  if (Status whole = CheckFile(session, **log, *target, options.file); !whole) return whole;
  // A long file takes its time: somebody may have started a projector or a writer meanwhile.
  if (const auto still = CheckImportTarget(session.backend, **log); !still) {
    return std::unexpected(still.error());
  }
  Result<LogFileReader> file = LogFileReader::Open(options.file);
  if (!file) return Forward(file);
  const std::int32_t from = file->partitions();
  const Placing placing(from, *target);
  if (!placing.same()) {
    session.console.Say(
        fmt::format("fanfold: the file is of {} partitions, the log has {}: a new log. Its events "
                    "are appended and decided afresh, their outcomes are left out",
                    from, target->partitions));
  }
  LogImport run(session, **log, placing);
  const Status done = run.Append(std::move(*file));
  if (done) {
    run.PrintTotals();
    return {};
  }
  return Fail(done.error().code,
              done.error().message +
                  "\nThe target may hold a part of the log now: start no projectors on it, make it "
                  "anew and import again");
}

}  // namespace

ExitCode RunImportLog(Session& session, const ImportLogOptions& options) {
  const Status done = ImportLog(session, options);
  return done ? ExitCode::kFine : session.console.SayError(done.error());
}

}  // namespace fanfold
