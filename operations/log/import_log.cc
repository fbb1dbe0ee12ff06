#include "operations/log/import_log.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "common/stream/position.h"
#include "operations/log/afresh.h"
#include "operations/log/append_window.h"
#include "operations/log/deletion_ends.h"
#include "operations/log/import_target.h"
#include "operations/log/log_file.h"

namespace fanfold::operations {
namespace {

// Whatever a line of the file can hold: what the topic takes was looked at before.
constexpr AppenderOptions kAppending{.delivery_timeout_ms = 120'000,
                                     .linger_ms = 5,
                                     .record_bytes_max = kLogLineBytesMax,
                                     .stop_on_failure = true};
constexpr std::int64_t kLogFlushMs = kAppending.delivery_timeout_ms + 10'000;
constexpr std::int64_t kLogRoomSliceMs = 100;

// Can a record of a log `from` be appended to `to`, and where.
class Placing {
 public:
  Placing(const LogHeader& from, const ImportTarget& to)
      : same_(from.partitions == to.partitions), target_(to), afresh_(from, to.partitions) {}

  [[nodiscard]] bool same() const { return same_; }
  // Of an outcome that is left out.
  void Note(const LogLineRecord& record) { afresh_.Note(record.topic, record.stored); }

  // Errors: kRefused, it cannot stand there as it is.
  [[nodiscard]] Result<AfreshEvent> Of(const LogLineRecord& record) const {
    if (!record.stored.key || !record.stored.value) {
      return Refused(record, "has no key or no value, which cannot be appended");
    }
    const auto bytes_max = target_.batch_bytes_max[record.topic];
    if (const std::int64_t bytes = BatchBytesOf(record.stored); bytes_max && bytes > *bytes_max) {
      return Refused(record, fmt::format("makes a batch of {} bytes, and the topic takes {}: raise "
                                         "its max.message.bytes first",
                                         bytes, *bytes_max));
    }
    if (same()) return AfreshEvent{record.stored.position.partition, std::nullopt};
    Result<AfreshEvent> event = afresh_.Of(record.topic, record.stored);
    if (event) return event;
    return Refused(record, event.error().message);
  }

 private:
  static std::unexpected<Error> Refused(const LogLineRecord& record, std::string_view why) {
    return Fail(ErrorCode::kRefused, fmt::format("{} {} {}", record.topic.name(),
                                                 ToString(record.stored.position), why));
  }

  const bool same_;
  const ImportTarget target_;
  Afresh afresh_;
};

class LogImport {
 public:
  LogImport(Context& context, EventLog& log, Placing placing)
      : context_(context), log_(log), placing_(std::move(placing)), progress_(context) {}

  // Reads the file to its end and appends nothing.
  Status Check(LogFileReader file) { return ForEach(file, false); }

  Status Append(LogFileReader file) {
    Status done = ForEach(file, true);
    const Status flushed = CloseWindow();
    progress_.Clear();
    return done ? flushed : done;
  }

  // Deletions that named more than the file has.
  [[nodiscard]] std::size_t deletions_cut() const noexcept { return deletions_.cut(); }
  [[nodiscard]] ImportedLog Totals() const {
    return {events_, outcomes_, placing_.same(), progress_.elapsed_ms()};
  }

 private:
  Status ForEach(LogFileReader& file, bool append) {
    while (true) {
      const Result<std::optional<LogLineRecord>> next = file.Next();
      if (!next) return std::unexpected(next.error());
      if (!*next) return {};
      if (file.line() % kLinesBetweenLooks == 0 && Look(file, append)) return Interrupted();
      const LogLineRecord& record = **next;
      deletions_.Note(record);
      if (!placing_.same() && record.topic.of_outcomes()) {
        placing_.Note(record);
        continue;
      }
      Result<AfreshEvent> event = placing_.Of(record);
      if (!event) return std::unexpected(event.error());
      if (placing_.same()) event->value = deletions_.Within(record);
      if (!append) continue;
      if (Status taken = Append(file.line(), record, *event); !taken) return taken;
    }
  }

  Status Append(std::int64_t line, const LogLineRecord& record, const AfreshEvent& event) {
    if (!window_ || topic_ != record.topic) {
      if (Status opened = OpenWindow(record.topic); !opened) return opened;
    }
    while (!window_->WaitForRoom(kLogRoomSliceMs)) {
      if (window_->failed()) return Failure();
      if (context_.interrupt.WaitFor(0)) return Interrupted();
    }
    AppendOnce(line, record.stored, event);
    if (window_->failed()) return Failure();
    ++(record.topic.of_outcomes() ? outcomes_ : events_);
    return {};
  }

  void AppendOnce(std::int64_t line, const StoredRecord& stored, const AfreshEvent& event) {
    const std::string& value = event.value ? *event.value : *stored.value;
    if (placing_.same()) {
      return window_->AppendAt(line, {stored.position.partition, stored.position.offset},
                               *stored.key, value);
    }
    window_->Append(line, event.partition, *stored.key, value);
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
    const bool flushed = window_->Flush(kLogFlushMs);
    if (window_->failed()) return Failure();
    if (!flushed) return Fail(ErrorCode::kUnavailable, "the log does not answer");
    window_.reset();
    return {};
  }

  // Once nothing is in flight any more, so that it is the first.
  Status Failure() {
    (void)window_->Flush(kLogFlushMs);
    const AppendFailure failure = window_->failure().value_or(AppendFailure{});
    window_.reset();
    return Fail(ErrorCode::kInternal, fmt::format("line {}, a record of {}: {}", failure.line,
                                                  topic_.name(), failure.error.message));
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
    return context_.interrupt.WaitFor(0);
  }

  Context& context_;
  EventLog& log_;
  Placing placing_;
  DeletionEnds deletions_;
  Stretch progress_;
  Topic topic_;  // of window_
  std::unique_ptr<AppendWindow> window_;
  std::int64_t events_ = 0;
  std::int64_t outcomes_ = 0;
};

// Before anything is appended, where the file can be read twice.
Status CheckFile(Context& context, EventLog& log, const ImportTarget& to, const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  Result<LogFileReader> file = LogFileReader::Open(path);
  if (!file) return Forward(file);
  const Placing placing(file->header(), to);
  return LogImport(context, log, placing).Check(std::move(*file));
}

}  // namespace

Result<ImportedLog> ImportLog(Context& context, const ImportLogOptions& options) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  const Result<ImportTarget> target = CheckImportTarget(context.backend, **log);
  if (!target) return std::unexpected(target.error());
  if (Status whole = CheckFile(context, **log, *target, options.file); !whole) {
    return Forward(whole);
  }
  // A long file takes its time: somebody may have started a projector or a writer meanwhile.
  if (const auto still = CheckImportTarget(context.backend, **log); !still) {
    return std::unexpected(still.error());
  }
  Result<LogFileReader> file = LogFileReader::Open(options.file);
  if (!file) return Forward(file);
  const Placing placing(file->header(), *target);
  if (!placing.same()) {
    context.sink.Note(
        fmt::format("fanfold: the file is of {} partitions, the log has {}: a new log. Its events "
                    "are appended and decided afresh, their outcomes are left out",
                    file->header().partitions, target->partitions));
  }
  LogImport run(context, **log, placing);
  const Status done = run.Append(std::move(*file));
  if (run.deletions_cut() > 0) {
    context.sink.Note(
        fmt::format("fanfold: {} account deletions named more of the log than the file has; they "
                    "end what the file has",
                    run.deletions_cut()));
  }
  if (done) return run.Totals();
  return Fail(done.error().code,
              done.error().message +
                  "\nThe target may hold a part of the log now: start no projectors on it, make it "
                  "anew and import again");
}

}  // namespace fanfold::operations
