#include "operations/log/import.h"

#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "common/base/random.h"
#include "common/ports/deployment_check.h"
#include "common/relation/codec.h"
#include "common/stream/slot.h"
#include "operations/base/text.h"
#include "operations/lanes/lanes.h"
#include "operations/log/append_window.h"
#include "operations/log/line_source.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kDeliveryTimeoutMs = 120'000;
constexpr std::int64_t kLingerMs = 5;
constexpr std::int64_t kFlushTimeoutMs = kDeliveryTimeoutMs + 10'000;
constexpr std::int64_t kFlushOnInterruptMs = 10'000;
constexpr std::int64_t kWaitSliceMs = 100;
constexpr std::int64_t kBadLinesShownMax = 20;
// How often the clock and the interrupt are looked at.
constexpr std::int64_t kLinesBetweenLooks = 1024;

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

class FileImport {
 public:
  FileImport(Context& context, const ImportSource& options, LineSource source,
             std::unique_ptr<LogAppender> appender, std::int32_t partitions)
      : context_(context),
        options_(options),
        source_(std::move(source)),
        window_(std::move(appender)),
        partitions_(partitions),
        progress_(context) {}

  ImportResult Run() {
    ImportResult result;
    result.end = AppendAll();
    const bool interrupted = result.end == ImportEnd::kInterrupted;
    result.flushed = window_.Flush(interrupted ? kFlushOnInterruptMs : kFlushTimeoutMs);
    progress_.Clear();
    if (bad_ > kBadLinesShownMax) {
      context_.sink.Note(
          fmt::format("{} bad lines in all, the first {} are shown", bad_, kBadLinesShownMax));
    }
    result.failure = window_.failure();
    result.read_error = read_error_;
    result.lines = line_;
    result.bad = bad_;
    result.appended = window_.appended();
    result.elapsed_ms = progress_.elapsed_ms();
    return result;
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
    context_.sink.Note(fmt::format("line {}: {}", line_, why));
  }

  // False when it was interrupted before there was room.
  bool Append(const ImportLine& line) {
    event_.event_id = ids_.Next();
    event_.type = line.type;
    event_.subject = line.subject;
    event_.object = line.object;
    event_.at_ms = line.at_ms.value_or(context_.clock.NowMs());
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
    } while (!window_.Append(line_, PartitionOf(line.subject, partitions_), key, value_));
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
    return context_.interrupt.WaitFor(0);
  }

  Context& context_;
  const ImportSource& options_;
  LineSource source_;
  AppendWindow window_;
  const std::int32_t partitions_;
  Stretch progress_;
  EventIds ids_;
  std::optional<ImportFormat> format_;
  Event event_;        // reused: its strings keep their memory
  std::string value_;  // likewise
  std::int64_t line_ = 0;
  std::int64_t bad_ = 0;
  Error read_error_;
};

}  // namespace

Result<ImportResult> Import(Context& context, const ImportSource& options) {
  Result<LineSource> source = LineSource::Open(options.file, kImportLineBytesMax);
  if (!source) return std::unexpected(source.error());
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return std::unexpected(log.error());
  const std::int32_t partitions = context.backend.partitions();
  Status fits = CheckTopic(**log, topics::kRelationEvents, partitions);
  if (!fits) return Forward(fits);
  Result<std::unique_ptr<LogAppender>> appender = (*log)->NewAppender(
      topics::kRelationEvents, {.delivery_timeout_ms = kDeliveryTimeoutMs, .linger_ms = kLingerMs});
  if (!appender) return std::unexpected(appender.error());
  FileImport import(context, options, std::move(*source), std::move(*appender), partitions);
  return import.Run();
}

}  // namespace fanfold::operations
