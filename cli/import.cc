#include "cli/import.h"

#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/append_window.h"
#include "cli/display.h"
#include "cli/lanes.h"
#include "cli/line_source.h"
#include "cli/progress.h"
#include "common/base/random.h"
#include "common/relation/codec.h"
#include "common/relation/slot.h"

namespace fanfold {
namespace {

constexpr std::int64_t kDeliveryTimeoutMs = 120'000;
constexpr std::int64_t kLingerMs = 5;
constexpr std::int64_t kFlushTimeoutMs = kDeliveryTimeoutMs + 10'000;
constexpr std::int64_t kFlushOnInterruptMs = 10'000;
constexpr std::int64_t kWaitSliceMs = 100;
constexpr std::int64_t kBadLinesShownMax = 20;
// How often the clock and the interrupt are looked at.
constexpr std::int64_t kLinesBetweenLooks = 1024;

enum class ImportEnd : std::uint8_t { kWholeFile, kInterrupted, kAppendFailed, kReadFailed };

// Ids no other import draws: 64 random bits, then a counter, as 32 hexadecimal digits.
class EventIds {
 public:
  EventIds() : id_(fmt::format("{:016x}{:016x}", RandomBits(), 0)) {}

  const std::string& Next() {
    constexpr char kDigits[] = "0123456789abcdef";
    std::uint64_t rest = ++count_;
    for (std::size_t i = id_.size(); rest != 0; rest >>= 4) id_[--i] = kDigits[rest & 0xf];
    return id_;
  }

 private:
  std::string id_;
  std::uint64_t count_ = 0;
};

class Import {
 public:
  Import(Session& session, const ImportOptions& options, LineSource source,
         std::unique_ptr<LogAppender> appender, const Placement& placement)
      : session_(session),
        options_(options),
        source_(std::move(source)),
        window_(std::move(appender)),
        placement_(placement),
        progress_(session.console, session.clock) {}

  ExitCode Run() {
    const ImportEnd end = AppendAll();
    const std::int64_t flush_ms =
        end == ImportEnd::kInterrupted ? kFlushOnInterruptMs : kFlushTimeoutMs;
    const bool flushed = window_.Flush(flush_ms);
    progress_.Clear();
    return Finish(end, flushed);
  }

 private:
  ImportEnd AppendAll() {
    while (true) {
      Result<std::optional<SourceLine>> line = source_.Next();
      if (!line) {
        read_error_ = line.error();
        return ImportEnd::kReadFailed;
      }
      const std::optional<SourceLine>& text = *line;
      if (!text) return ImportEnd::kWholeFile;
      ++line_;
      if (line_ % kLinesBetweenLooks == 0 && Look()) return ImportEnd::kInterrupted;
      const std::optional<ImportLine> event = Parse(*text);
      if (!event) continue;
      const bool taken = Append(*event);
      if (window_.failed()) return ImportEnd::kAppendFailed;
      if (!taken) return ImportEnd::kInterrupted;
    }
  }

  std::optional<ImportLine> Parse(const SourceLine& line) {
    if (line.too_long) {
      TellBad(fmt::format("longer than {} bytes", kImportLineBytesMax));
      return std::nullopt;
    }
    if (IsSkippedLine(line.text)) return std::nullopt;
    if (!format_) format_ = options_.format.value_or(FormatOf(line.text));
    std::expected<ImportLine, BadLine> parsed = ParseImportLine(*format_, line.text);
    if (parsed) return *parsed;
    TellBad(parsed.error());
    return std::nullopt;
  }

  void TellBad(const std::string& why) {
    ++bad_;
    if (bad_ > kBadLinesShownMax) return;
    progress_.Clear();
    session_.console.Say(fmt::format("line {}: {}", line_, why));
  }

  // False when it was interrupted before there was room.
  bool Append(const ImportLine& line) {
    event_.event_id = ids_.Next();
    event_.type = line.type;
    event_.subject = line.subject;
    event_.object = line.object;
    event_.at_ms = line.at_ms.value_or(session_.clock.NowMs());
    event_.by = line.by;
    value_.clear();
    AppendEvent(value_, event_);
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, line.subject.value);
    const std::string_view key(digits, static_cast<std::size_t>(end - digits));
    do {
      while (!window_.WaitForRoom(kWaitSliceMs)) {
        if (window_.failed()) return true;
        if (Look()) return false;
      }
    } while (!window_.Append(line_, placement_.PartitionOf(line.subject), key, value_));
    return true;
  }

  // Shows the progress when it is due; true when it was asked to stop.
  bool Look() {
    if (progress_.Due()) {
      progress_.Show({.done = source_.bytes_read(),
                      .total = source_.bytes_total(),
                      .items = window_.appended(),
                      .items_name = "events",
                      .elapsed_ms = progress_.elapsed_ms()});
    }
    return session_.interrupt.WaitFor(0);
  }

  ExitCode Finish(ImportEnd end, bool flushed) {
    if (bad_ > kBadLinesShownMax) {
      session_.console.Say(
          fmt::format("{} bad lines in all, the first {} are shown", bad_, kBadLinesShownMax));
    }
    const std::optional<AppendFailure> failure = window_.failure();
    const bool whole = end == ImportEnd::kWholeFile && flushed && !failure;
    PrintTotals(whole);
    if (failure) return TellFailure(*failure);
    if (!flushed) return TellUnflushed();
    switch (end) {
      case ImportEnd::kReadFailed:
        session_.console.Say(fmt::format("fanfold: {}; everything before line {} is in the log",
                                         read_error_.message, line_ + 1));
        return ExitCode::kError;
      case ImportEnd::kInterrupted:
        session_.console.Say(fmt::format(
            "fanfold: interrupted; everything before line {} is in the log. Importing the same "
            "file again is safe: repeats change nothing",
            line_));
        return ExitCode::kError;
      case ImportEnd::kAppendFailed:
      case ImportEnd::kWholeFile:
        break;
    }
    return bad_ > 0 && options_.strict ? ExitCode::kDifferent : ExitCode::kFine;
  }

  ExitCode TellFailure(const AppendFailure& failure) {
    session_.console.Say(fmt::format(
        "fanfold: line {} is not known to be in the log: {}\nStopped, so that nothing overtakes "
        "it. Every event before that line is in the log, {} events in all. Importing the same "
        "file again is safe: repeats change nothing",
        failure.line, failure.error.message, window_.appended()));
    return ExitCode::kError;
  }

  ExitCode TellUnflushed() {
    session_.console.Say(fmt::format(
        "fanfold: the log does not answer; {} events are surely in it, later ones perhaps. "
        "Importing the same file again is safe: repeats change nothing",
        window_.appended()));
    return ExitCode::kError;
  }

  void PrintTotals(bool whole) {
    const double seconds = static_cast<double>(progress_.elapsed_ms()) / 1000.0;
    const double per_second = seconds > 0 ? static_cast<double>(window_.appended()) / seconds : 0.0;
    if (session_.json) {
      const nlohmann::json totals = {{"appended", window_.appended()},
                                     {"bad", bad_},
                                     {"seconds", seconds},
                                     {"events_per_second", static_cast<std::int64_t>(per_second)},
                                     {"complete", whole}};
      session_.console.PrintLine(totals.dump());
    } else {
      session_.console.PrintLine(fmt::format("appended {}, bad {}, {:.1f} s, {:.0f} events/s",
                                             window_.appended(), bad_, seconds, per_second));
    }
    session_.console.Flush();
  }

  Session& session_;
  const ImportOptions& options_;
  LineSource source_;
  AppendWindow window_;
  const Placement placement_;
  Progress progress_;
  EventIds ids_;
  std::optional<ImportFormat> format_;
  Event event_;        // reused: its strings keep their memory
  std::string value_;  // likewise
  std::int64_t line_ = 0;
  std::int64_t bad_ = 0;
  Error read_error_;
};

}  // namespace

ExitCode RunImport(Session& session, const ImportOptions& options) {
  Result<LineSource> source = LineSource::Open(options.file, kImportLineBytesMax);
  if (!source) return session.console.SayError(source.error());
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  const Result<Placement> placement = PlacementOn(**log, Topic::kEvents, session.backend);
  if (!placement) return session.console.SayError(placement.error());
  Result<std::unique_ptr<LogAppender>> appender = (*log)->NewAppender(
      Topic::kEvents, {.delivery_timeout_ms = kDeliveryTimeoutMs, .linger_ms = kLingerMs});
  if (!appender) return session.console.SayError(appender.error());
  Import import(session, options, std::move(*source), std::move(*appender), *placement);
  return import.Run();
}

}  // namespace fanfold
