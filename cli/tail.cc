#include "cli/tail.h"

#include <memory>

#include "cli/lanes.h"
#include "cli/record_text.h"

namespace fanfold {
namespace {

constexpr std::size_t kPollRecordsMax = 1000;
constexpr std::int64_t kPollTimeoutMs = 200;
constexpr std::int64_t kRetryMs = 1000;

Status StartAll(EventLog& log, Topic topic, std::int32_t partitions, bool from_start,
                LogReader& reader) {
  Result<std::vector<LogBounds>> bounds = log.AllBounds(topic, partitions);
  if (!bounds) return Forward(bounds);
  for (std::int32_t p = 0; p < partitions; ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    Status started = reader.Start(Partition(p), from_start ? held.begin : held.end);
    if (!started) return started;
  }
  return {};
}

class Tail {
 public:
  Tail(Session& session, const TailOptions& options, Topic topic, const Placement& placement)
      : session_(session), topic_(topic), placement_(placement), left_(options.count) {}

  ExitCode Run(LogReader& reader) {
    std::int64_t pause_ms = 0;
    while (!Finished() && !session_.interrupt.WaitFor(pause_ms)) {
      Result<LogBatch> batch = reader.Poll(kPollRecordsMax, kPollTimeoutMs);
      if (!batch && batch.error().code != ErrorCode::kUnavailable) {
        return session_.console.SayError(batch.error());
      }
      pause_ms = batch ? 0 : kRetryMs;
      if (batch && !Print(*batch)) break;
    }
    return ExitCode::kFine;
  }

 private:
  [[nodiscard]] bool Finished() const { return left_ && *left_ <= 0; }

  // False when nobody reads any more.
  bool Print(const LogBatch& batch) {
    for (const LogRecord& record : batch.records) {
      if (Finished()) break;
      const std::string line = session_.json ? RecordJson(topic_, record, placement_)
                                             : RecordText(topic_, record, placement_);
      if (!session_.console.PrintLine(line)) return false;
      if (left_) --*left_;
    }
    return session_.console.Flush();
  }

  Session& session_;
  const Topic topic_;
  const Placement placement_;
  std::optional<std::int64_t> left_;
};

}  // namespace

ExitCode RunTail(Session& session, const TailOptions& options) {
  const Topic topic = options.outcomes ? Topic::kOutcomes : Topic::kEvents;
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  const Result<Placement> placement = PlacementOn(**log, topic, session.backend);
  if (!placement) return session.console.SayError(placement.error());
  Result<std::unique_ptr<LogReader>> reader = (*log)->NewReader(topic);
  if (!reader) return session.console.SayError(reader.error());
  const Status started =
      StartAll(**log, topic, placement->partitions(), options.from_start, **reader);
  if (!started) return session.console.SayError(started.error());
  return Tail(session, options, topic, *placement).Run(**reader);
}

}  // namespace fanfold
