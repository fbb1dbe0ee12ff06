#include "operations/log/import.h"

#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/ports/log_proof.h"
#include "common/stream/slot.h"
#include "operations/base/text.h"
#include "operations/lanes/lanes.h"
#include "operations/log/append_window.h"
#include "operations/log/import_ids.h"
#include "operations/log/line_events.h"
#include "operations/log/line_source.h"
#include "operations/log/standstill.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kDeliveryTimeoutMs = 120'000;
constexpr std::int64_t kLingerMs = 5;
constexpr std::int64_t kFlushTimeoutMs = kDeliveryTimeoutMs + 10'000;
constexpr std::int64_t kFlushOnInterruptMs = 10'000;
constexpr std::int64_t kWaitSliceMs = 100;
constexpr std::int64_t kBadLinesShownMax = 20;
constexpr std::int64_t kLogProvedMs = 1'000;

// Whether the log is the one of the tables. Tables that do not answer keep nobody from appending.
class LogOfTables {
 public:
  LogOfTables(Context& context, EventLog& log, Stream stream)
      : context_(context), stream_(stream), proof_(log) {}

  // Asks again when the last answer is older than kLogProvedMs: an import may take hours. Errors:
  // kRefused, it is another log.
  Status Prove() {
    const std::int64_t now_ms = context_.clock.SteadyMs();
    if (asked_ms_ && now_ms - *asked_ms_ < kLogProvedMs) return {};
    Status same = Ask();
    const bool is_refused = !same && same.error().code == ErrorCode::kRefused;
    if (!same && !is_refused && !asked_ms_) {
      context_.sink.Note("it is not known whether this is the log of these tables: " +
                         same.error().message);
    }
    asked_ms_ = context_.clock.SteadyMs();
    return is_refused ? same : Status();
  }

 private:
  Status Ask() {
    const Result<ShardReaders> readers = OpenReaders(context_.backend);
    if (!readers) return std::unexpected(readers.error());
    const Result<Deployment> read = ReadNow(context_.backend, *readers->front());
    if (!read) return std::unexpected(read.error());
    return ProveLog(context_.backend, proof_, stream_, read->read, LogProof::Asks::kMarksAlone);
  }

  Context& context_;
  const Stream stream_;
  LogProof proof_;
  std::optional<std::int64_t> asked_ms_;  // by the steady clock
};

class FileImport {
 public:
  FileImport(Context& context, EventLog& log, LogOfTables proved, ImportKind kind,
             LineSource source, std::unique_ptr<LogAppender> appender,
             std::optional<ImportOutcomes> outcomes)
      : context_(context),
        proved_(std::move(proved)),
        kind_(std::move(kind)),
        source_(std::move(source)),
        window_(std::move(appender)),
        outcomes_(std::move(outcomes)),
        partitions_(context.backend.partitions()),
        progress_(context),
        standstill_(context, log) {}

  ImportResult Run() {
    ImportResult result;
    result.end = AppendAll();
    result.flushed = Flush(result.end);
    progress_.Clear();
    if (bad_ > kBadLinesShownMax) {
      context_.sink.Note(
          fmt::format("{} bad lines in all, the first {} are shown", bad_, kBadLinesShownMax));
    }
    result.failure = other_log_ ? other_log_ : window_.failure();
    result.read_error = read_error_;
    result.lines = next_line_ - 1;
    result.bad = bad_;
    result.appended = window_.appended();
    if (result.appended > 0) result.times = kind_.events->times();
    result.elapsed_ms = progress_.elapsed_ms();
    return result;
  }

  // Requires: outcomes to wait for, and all that was appended is in the log.
  ImportDecided WaitForOutcomes(std::int64_t silence_max_ms) {
    return outcomes_->Wait(ids_, silence_max_ms);
  }

 private:
  ImportEnd AppendAll() {
    while (true) {
      Result<std::optional<SourceLine>> line = source_.Next();
      if (!line) {
        if (context_.interrupt.WaitFor(0)) return ImportEnd::kInterrupted;
        read_error_ = line.error();
        return ImportEnd::kReadFailed;
      }
      const std::optional<SourceLine>& text = *line;
      if (!text) return ImportEnd::kWholeFile;
      line_ = std::exchange(next_line_, next_line_ + text->file_lines);
      if (++taken_ % kLinesBetweenLooks == 0 && Look()) return Stopped();
      const Result<bool> holds_event = HoldsEvent(*text);
      if (!holds_event) {
        read_error_ = holds_event.error();
        return ImportEnd::kReadFailed;
      }
      if (!*holds_event) continue;
      const std::optional<UserId> user = Encode(*text);
      if (!user) continue;
      const bool taken = Append(*user);
      if (window_.failed()) return ImportEnd::kAppendFailed;
      if (!taken) return Stopped();
    }
  }

  // Waits until all is acked, for less time once it was asked to stop; whether it is.
  bool Flush(ImportEnd& end) {
    std::int64_t began_ms = progress_.elapsed_ms();
    while (!window_.Flush(kWaitSliceMs)) {
      const bool interrupted = end == ImportEnd::kInterrupted;
      if (interrupted && !standstill_.why().empty()) return false;
      const std::int64_t at_most_ms = interrupted ? kFlushOnInterruptMs : kFlushTimeoutMs;
      if (progress_.elapsed_ms() - began_ms >= at_most_ms) return false;
      if (!Look() || interrupted) continue;
      end = Stopped();
      began_ms = progress_.elapsed_ms();
    }
    return true;
  }

  // The first line that is not skipped says what the file is, and may say no more.
  Result<bool> HoldsEvent(const SourceLine& line) {
    if (!line.too_long && IsSkippedLine(line.text)) return false;
    if (begun_ || line.too_long) return true;
    begun_ = true;
    const Result<bool> holds = kind_.events->Begin(line.text);
    if (const auto between = kind_.events->joined_between()) source_.JoinQuoted(*between);
    return holds;
  }

  // The event's record in value_; nothing where there is none.
  std::optional<UserId> Encode(const SourceLine& line) {
    if (line.too_long) {
      TellBad(fmt::format("longer than {} bytes", kind_.line_bytes_max));
      return std::nullopt;
    }
    value_.clear();
    const std::expected<UserId, BadLine> user =
        kind_.events->Encode(line.text, ids_.Of(line_), context_.clock.NowMs(), value_);
    if (user) return *user;
    TellBad(user.error());
    return std::nullopt;
  }

  void TellBad(const std::string& why) {
    ++bad_;
    if (bad_ > kBadLinesShownMax) return;
    progress_.Clear();
    context_.sink.Note(fmt::format("line {}: {}", line_, why));
  }

  // Appends value_. False when it was interrupted before there was room.
  bool Append(UserId user) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, user.value);
    const std::string_view key(digits, static_cast<std::size_t>(end - digits));
    while (!window_.WaitForRoom(kWaitSliceMs)) {
      if (window_.failed()) return true;
      if (Look()) return false;
    }
    const Partition partition = PartitionOf(user, partitions_);
    window_.Append(line_, partition, key, value_);
    ++handed_;
    if (outcomes_) outcomes_->Expect(partition, line_);
    return true;
  }

  // Shows the progress when it is due; true when it was asked to stop, or the log is another by
  // now.
  bool Look() {
    standstill_.Look(window_.appended(), window_.is_waiting());
    if (progress_.Due()) ShowProgress();
    if (const Status same = proved_.Prove(); !same) other_log_ = {line_, same.error()};
    return other_log_ || context_.interrupt.WaitFor(0);
  }
  [[nodiscard]] ImportEnd Stopped() const {
    return other_log_ ? ImportEnd::kAppendFailed : ImportEnd::kInterrupted;
  }

  // Of what is appended, not of what was read.
  void ShowProgress() {
    if (!standstill_.why().empty()) return progress_.ShowText(standstill_.why());
    const std::int64_t appended = window_.appended();
    const double part =
        handed_ > 0 ? static_cast<double>(appended) / static_cast<double>(handed_) : 0;
    progress_.Show(
        {.done = static_cast<std::int64_t>(part * static_cast<double>(source_.bytes_read())),
         .total = source_.bytes_total(),
         .items = appended,
         .items_name = "events",
         .elapsed_ms = progress_.elapsed_ms()});
  }

  Context& context_;
  LogOfTables proved_;
  std::optional<AppendFailure> other_log_;  // it is one by now
  const ImportKind kind_;
  LineSource source_;
  AppendWindow window_;
  std::optional<ImportOutcomes> outcomes_;  // nothing: they are not waited for
  const std::int32_t partitions_;
  Stretch progress_;
  Standstill standstill_;
  ImportIds ids_;
  std::string value_;      // reused: it keeps its memory
  std::int64_t line_ = 0;  // of the file, the first of those that quotes join
  std::int64_t next_line_ = 1;
  std::int64_t taken_ = 0;  // from the source
  bool begun_ = false;
  std::int64_t handed_ = 0;  // to the appender
  std::int64_t bad_ = 0;
  Error read_error_;
};

}  // namespace

Result<ImportResult> Import(Context& context, const ImportSource& options) {
  ImportKind kind = KindOf(options.layout);
  Result<LineSource> source =
      LineSource::Open(options.file, kind.line_bytes_max, &context.interrupt);
  if (!source) return std::unexpected(source.error());
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return std::unexpected(log.error());
  Status fits = CheckTopic(**log, kind.topic, context.backend.partitions());
  if (!fits) return Forward(fits);
  LogOfTables proved(context, **log, kind.topic.stream());
  if (Status same = proved.Prove(); !same) return Forward(same);
  std::optional<ImportOutcomes> outcomes;
  if (options.silence_max_ms && kind.topic.stream().outcomes()) {
    Result<ImportOutcomes> begun = ImportOutcomes::Begin(context, **log, kind.topic.stream());
    if (!begun) return std::unexpected(begun.error());
    outcomes.emplace(std::move(*begun));
  }
  const bool waits = outcomes.has_value();
  Result<std::unique_ptr<LogAppender>> appender = (*log)->NewAppender(
      kind.topic,
      {.delivery_timeout_ms = kDeliveryTimeoutMs, .linger_ms = kLingerMs, .stop_on_failure = true});
  if (!appender) return std::unexpected(appender.error());
  FileImport import(context, **log, std::move(proved), std::move(kind), std::move(*source),
                    std::move(*appender), std::move(outcomes));
  ImportResult result = import.Run();
  // What was appended before a file could not be read on is decided, too.
  const bool is_over = result.end == ImportEnd::kWholeFile || result.end == ImportEnd::kReadFailed;
  if (waits && is_over && result.flushed && !result.failure) {
    result.decided = import.WaitForOutcomes(*options.silence_max_ms);
  }
  return result;
}

}  // namespace fanfold::operations
