#include "cli/export_log.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

#include "cli/log_line.h"
#include "cli/progress.h"
#include "cli/record_text.h"
#include "common/ports/deployment_check.h"
#include "common/relation/position.h"

namespace fanfold {
namespace {

constexpr std::size_t kPollRecordsMax = 2000;
constexpr std::int64_t kPollTimeoutMs = 200;
constexpr std::int64_t kRetryMs = 200;
// How long nothing may come of what the log said it holds.
constexpr std::int64_t kSilenceMaxMs = 60'000;

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// Null when it cannot be opened; errno says why.
std::FILE* OpenForWriting(const std::string& path) {
  if (path != "-") return std::fopen(path.c_str(), "wbe");
  const int copy = dup(STDOUT_FILENO);
  return copy < 0 ? nullptr : fdopen(copy, "wb");
}

// A file that is on the disk once Finish said so.
class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)), file_(OpenForWriting(path_)) {}

  [[nodiscard]] Status Check() const {
    return file_ ? Status()
                 : Fail(ErrorCode::kInvalidArgument,
                        fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

  Status Put(std::string line) {
    if (line.size() > kLogLineBytesMax) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("a record takes more than {} bytes", kLogLineBytesMax));
    }
    line += '\n';
    const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
    return written ? Status() : Failed();
  }

  Status Finish() {
    if (std::fflush(file_.get()) != 0) return Failed();
    // Pipes and terminals have no disk under them.
    if (fsync(fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) return Failed();
    return {};
  }

 private:
  [[nodiscard]] Status Failed() const {
    return Fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

  const std::string path_;
  const std::unique_ptr<std::FILE, CloseFile> file_;
};

std::int64_t Sum(const LogEnds& ends) {
  std::int64_t sum = 0;
  for (const Offset end : ends) sum += end.value;
  return sum;
}

// The ends of a topic whose every record from offset 0 on is there.
Result<LogEnds> WholeEnds(EventLog& log, Topic topic, std::int32_t partitions) {
  if (Status fits = CheckTopic(log, topic, partitions); !fits) return Forward(fits);
  const Result<std::vector<LogBounds>> bounds = log.AllBounds(topic, partitions);
  if (!bounds) return std::unexpected(bounds.error());
  LogEnds ends;
  for (const LogBounds& held : *bounds) {
    if (held.begin != Offset(0)) {
      const Partition partition(static_cast<std::int32_t>(ends.size()));
      return Fail(ErrorCode::kRefused,
                  fmt::format("{} begins at {}: what was before is gone, so the log cannot be "
                              "moved with its offsets",
                              NameOf(topic), ToString(Position{partition, held.begin})));
    }
    ends.push_back(held.end);
  }
  return ends;
}

class LogExport {
 public:
  LogExport(Session& session, EventLog& log, LogTotals ends, LineFile& file)
      : session_(session),
        log_(log),
        ends_(std::move(ends)),
        total_(Sum(ends_.outcomes) + Sum(ends_.events)),
        file_(file),
        progress_(session.console, session.clock) {}

  Status Run() {
    const LogHeader header{static_cast<std::int32_t>(ends_.events.size())};
    Status done = file_.Put(ToLine(header));
    if (done) done = WriteTopic(Topic::kOutcomes);
    if (done) done = WriteTopic(Topic::kEvents);
    if (done) done = file_.Put(ToLine(ends_));
    if (done) done = file_.Finish();
    progress_.Clear();
    return done;
  }

  [[nodiscard]] std::int64_t elapsed_ms() const { return progress_.elapsed_ms(); }

 private:
  Status WriteTopic(Topic topic) {
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topic);
    if (!reader) return Forward(reader);
    const LogEnds& ends = ends_.Of(topic);
    for (std::size_t p = 0; p < ends.size(); ++p) {
      if (ends[p] == Offset(0)) continue;
      const Partition partition(static_cast<std::int32_t>(p));
      if (Status begun = (*reader)->Start(partition, Offset(0)); !begun) return begun;
      if (Status done = WritePartition(topic, partition, ends[p], **reader); !done) return done;
      (*reader)->Stop(partition);
    }
    return {};
  }

  Status WritePartition(Topic topic, Partition partition, Offset end, LogReader& reader) {
    Offset next(0);
    std::int64_t heard_ms = session_.clock.SteadyMs();
    while (next < end) {
      Result<LogBatch> batch = reader.Poll(kPollRecordsMax, kPollTimeoutMs);
      if (!batch && batch.error().code != ErrorCode::kUnavailable) return Forward(batch);
      if (session_.interrupt.WaitFor(batch ? 0 : kRetryMs)) {
        return Fail(ErrorCode::kInternal, "interrupted; the file is not whole");
      }
      const std::int64_t now_ms = session_.clock.SteadyMs();
      if (batch && !batch->records.empty()) {
        heard_ms = now_ms;
      } else if (now_ms - heard_ms > kSilenceMaxMs) {
        return Fail(ErrorCode::kUnavailable, fmt::format("{} {} does not come", NameOf(topic),
                                                         ToString(Position{partition, next})));
      }
      if (!batch) continue;
      if (Status written = WriteBatch(topic, *batch, end, next); !written) return written;
      ShowProgress();
    }
    return {};
  }

  Status WriteBatch(Topic topic, const LogBatch& batch, Offset end, Offset& next) {
    for (const LogRecord& record : batch.records) {
      if (record.offset >= end) break;
      if (record.offset != next) {
        return Fail(ErrorCode::kRefused, fmt::format("{} {} is missing in the log", NameOf(topic),
                                                     ToString(Position{record.partition, next})));
      }
      if (Status put = file_.Put(ToLine(topic, record)); !put) {
        const std::string position = ToString(Position{record.partition, record.offset});
        return Fail(put.error().code,
                    fmt::format("{} {}: {}", NameOf(topic), position, put.error().message));
      }
      next = Next(next);
      ++written_;
    }
    return {};
  }

  void ShowProgress() {
    if (!progress_.Due()) return;
    progress_.Show({.done = written_,
                    .total = total_,
                    .items = written_,
                    .items_name = "records",
                    .elapsed_ms = progress_.elapsed_ms()});
  }

  Session& session_;
  EventLog& log_;
  LogTotals ends_;
  const std::int64_t total_;
  LineFile& file_;
  Progress progress_;
  std::int64_t written_ = 0;
};

Result<LogTotals> EndsOf(EventLog& log, std::int32_t partitions) {
  Result<LogEnds> outcomes = WholeEnds(log, Topic::kOutcomes, partitions);
  if (!outcomes) return Forward(outcomes);
  Result<LogEnds> events = WholeEnds(log, Topic::kEvents, partitions);
  if (!events) return Forward(events);
  return LogTotals{std::move(*outcomes), std::move(*events)};
}

void PrintTotals(Session& session, const ExportLogOptions& options, const LogTotals& totals,
                 std::int64_t elapsed_ms) {
  const double seconds = static_cast<double>(elapsed_ms) / 1000.0;
  const nlohmann::json answer = {{"events", Sum(totals.events)},
                                 {"outcomes", Sum(totals.outcomes)},
                                 {"partitions", totals.events.size()},
                                 {"seconds", seconds}};
  const std::string text =
      session.json
          ? answer.dump()
          : fmt::format("exported {} events and {} outcomes of {} partitions, {:.1f} s",
                        Sum(totals.events), Sum(totals.outcomes), totals.events.size(), seconds);
  if (options.file == "-") return session.console.Say(text);  // stdout is the file
  session.console.PrintLine(text);
  session.console.Flush();
}

}  // namespace

ExitCode RunExportLog(Session& session, const ExportLogOptions& options) {
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  const Result<LogTotals> totals = EndsOf(**log, session.backend.partitions());
  if (!totals) return session.console.SayError(totals.error());
  LineFile file(options.file);
  if (Status opened = file.Check(); !opened) return session.console.SayError(opened.error());
  LogExport run(session, **log, *totals, file);
  if (Status done = run.Run(); !done) return session.console.SayError(done.error());
  PrintTotals(session, options, *totals, run.elapsed_ms());
  return ExitCode::kFine;
}

}  // namespace fanfold
