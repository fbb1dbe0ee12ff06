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
#include "operations/log/post_line.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kDeliveryTimeoutMs = 120'000;
constexpr std::int64_t kLingerMs = 5;
constexpr std::int64_t kFlushTimeoutMs = kDeliveryTimeoutMs + 10'000;
constexpr std::int64_t kFlushOnInterruptMs = 10'000;
constexpr std::int64_t kWaitSliceMs = 100;
constexpr std::int64_t kBadLinesShownMax = 20;

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

// Lines as events of one stream. Keeps what it needs of the lines before.
class LineEvents {
 public:
  virtual ~LineEvents() = default;
  // Puts the record of the line's event into `value`, with this id, which it may take; whose it is.
  [[nodiscard]] virtual std::expected<UserId, BadLine> Encode(std::string_view line,
                                                              const std::string& event_id,
                                                              std::int64_t now_ms,
                                                              std::string& value) = 0;
};

class RelationLines final : public LineEvents {
 public:
  explicit RelationLines(std::optional<ImportFormat> format) : format_(format) {}

  std::expected<UserId, BadLine> Encode(std::string_view line, const std::string& event_id,
                                        std::int64_t now_ms, std::string& value) override {
    if (!format_) format_ = FormatOf(line);
    const std::expected<ImportLine, BadLine> parsed = ParseImportLine(*format_, line);
    if (!parsed) return std::unexpected(parsed.error());
    event_.event_id = event_id;
    event_.type = parsed->type;
    event_.subject = parsed->subject;
    event_.object = parsed->object;
    event_.at_ms = parsed->at_ms.value_or(now_ms);
    event_.by = parsed->by;
    AppendEvent(value, event_);
    return event_.subject;
  }

 private:
  std::optional<ImportFormat> format_;
  Event event_;  // reused: its strings keep their memory
};

class PostLines final : public LineEvents {
 public:
  std::expected<UserId, BadLine> Encode(std::string_view line, const std::string& event_id,
                                        std::int64_t now_ms, std::string& value) override {
    std::expected<PostLine, BadLine> parsed = ParsePostLine(line);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    parsed->event.event_id = event_id;
    parsed->event.at_ms = parsed->at_ms.value_or(now_ms);
    AppendPostEvent(value, parsed->event);
    return parsed->event.author;
  }
};

// What is read and appended of a kind of file.
struct FileKind {
  Topic topic;
  std::size_t line_bytes_max;
  std::unique_ptr<LineEvents> events;
};

FileKind KindOf(const ImportSource& options) {
  if (options.posts) {
    return {topics::kPostEvents, kPostLineBytesMax, std::make_unique<PostLines>()};
  }
  return {topics::kRelationEvents, kImportLineBytesMax,
          std::make_unique<RelationLines>(options.format)};
}

class FileImport {
 public:
  FileImport(Context& context, FileKind kind, LineSource source,
             std::unique_ptr<LogAppender> appender, std::int32_t partitions)
      : context_(context),
        kind_(std::move(kind)),
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
      const std::optional<UserId> user = Encode(*text);
      if (!user) continue;
      const bool taken = Append(*user);
      if (window_.failed()) return ImportEnd::kAppendFailed;
      if (!taken) return ImportEnd::kInterrupted;
    }
  }

  // The event's record in value_; nothing where there is none.
  std::optional<UserId> Encode(const SourceLine& line) {
    if (line.too_long) {
      TellBad(fmt::format("longer than {} bytes", kind_.line_bytes_max));
      return std::nullopt;
    }
    if (IsSkippedLine(line.text)) return std::nullopt;
    value_.clear();
    const std::expected<UserId, BadLine> user =
        kind_.events->Encode(line.text, ids_.Next(), context_.clock.NowMs(), value_);
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
    window_.Append(line_, PartitionOf(user, partitions_), key, value_);
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
  const FileKind kind_;
  LineSource source_;
  AppendWindow window_;
  const std::int32_t partitions_;
  Stretch progress_;
  EventIds ids_;
  std::string value_;  // reused: it keeps its memory
  std::int64_t line_ = 0;
  std::int64_t bad_ = 0;
  Error read_error_;
};

}  // namespace

Result<ImportResult> Import(Context& context, const ImportSource& options) {
  FileKind kind = KindOf(options);
  Result<LineSource> source = LineSource::Open(options.file, kind.line_bytes_max);
  if (!source) return std::unexpected(source.error());
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return std::unexpected(log.error());
  const std::int32_t partitions = context.backend.partitions();
  Status fits = CheckTopic(**log, kind.topic, partitions);
  if (!fits) return Forward(fits);
  Result<std::unique_ptr<LogAppender>> appender = (*log)->NewAppender(
      kind.topic,
      {.delivery_timeout_ms = kDeliveryTimeoutMs, .linger_ms = kLingerMs, .stop_on_failure = true});
  if (!appender) return std::unexpected(appender.error());
  FileImport import(context, std::move(kind), std::move(*source), std::move(*appender), partitions);
  return import.Run();
}

}  // namespace fanfold::operations
