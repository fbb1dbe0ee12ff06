#include "cli/status.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cli/lanes.h"
#include "cli/record_reader.h"
#include "cli/status_report.h"

namespace fanfold {
namespace {

constexpr std::int64_t kWatchPeriodMs = 1000;
// Between the two looks that a rate wants.
constexpr std::int64_t kRatePeriodMs = 500;

Offset EndOf(const LogEnds& ends, Partition partition) {
  const auto index = static_cast<std::size_t>(partition.value);
  return index < ends.size() ? ends[index] : Offset(0);
}

class StatusSource {
 public:
  StatusSource(Session& session, std::shared_ptr<EventLog> log, ShardReaders readers)
      : session_(session), log_(std::move(log)), readers_(std::move(readers)) {}

  Result<StatusReport> Read() {
    Result<Catalog> catalog = readers_.front()->ReadCatalog();
    if (!catalog) {
      return Fail(catalog.error().code,
                  "shard 0, which has the catalog: " + catalog.error().message);
    }
    const std::int32_t partitions = session_.backend.partitions();
    // Lanes before ends, so that a lane is never shown beyond its end.
    LanesThatAnswer read = ReadLanesThatAnswer(readers_);
    Result<LogEnds> events = ReadEnds(*log_, Topic::kEvents, partitions);
    if (!events) return Forward(events);
    Result<LogEnds> outcomes = ReadEnds(*log_, Topic::kOutcomes, partitions);
    if (!outcomes) return Forward(outcomes);
    StatusReport report;
    report.at_ms = session_.clock.SteadyMs();
    report.read = catalog->read;
    report.partitions = partitions;
    report.shards = session_.backend.shards();
    report.failures = std::move(read.failures);
    for (ShardLane& lane : read.lanes) {
      report.lanes.push_back(ReportOf(std::move(lane), catalog->read, *events, *outcomes));
    }
    std::ranges::sort(report.lanes, {}, [](const LaneReport& lane) {
      return std::pair(lane.status.lane, lane.shard);
    });
    if (Status aged = SetAges(report); !aged) return Forward(aged);
    return report;
  }

 private:
  static LaneReport ReportOf(ShardLane lane, const ReadGenerations& read, const LogEnds& events,
                             const LogEnds& outcomes) {
    LaneReport report;
    report.shard = lane.shard;
    report.status = std::move(lane.status);
    const Partition partition = report.status.lane.partition;
    report.read = IsRead(report.status.lane, read);
    report.end =
        EndOf(TopicOf(report.status.deciding) == Topic::kEvents ? events : outcomes, partition);
    const std::int64_t left =
        EndOf(events, partition).value - report.status.progress.event_offset.value;
    report.lag_events = std::max<std::int64_t>(left, 0);
    return report;
  }

  // The oldest event that is not in a lane's rows is the first one from its event position on.
  Status SetAges(StatusReport& report) {
    std::vector<Position> oldest;
    for (const LaneReport& lane : report.lanes) {
      if (lane.lag_events > 0) {
        oldest.push_back({lane.status.lane.partition, lane.status.progress.event_offset});
      }
    }
    std::ranges::sort(oldest);
    oldest.erase(std::unique(oldest.begin(), oldest.end()), oldest.end());
    auto records = ReadFirstFrom(*log_, Topic::kEvents, oldest);
    if (!records) return Forward(records);
    std::map<Position, std::int64_t> appended_ms;
    for (std::size_t i = 0; i < oldest.size(); ++i) {
      if (const auto& record = (*records)[i]) appended_ms[oldest[i]] = record->appended_ms;
    }
    const std::int64_t now_ms = session_.clock.NowMs();
    for (LaneReport& lane : report.lanes) {
      const auto found =
          appended_ms.find({lane.status.lane.partition, lane.status.progress.event_offset});
      if (lane.lag_events == 0 || found == appended_ms.end()) continue;
      lane.lag_ms = std::max<std::int64_t>(now_ms - found->second, 0);
    }
    return {};
  }

  Session& session_;
  std::shared_ptr<EventLog> log_;
  ShardReaders readers_;
};

// kError when a shard does not answer.
ExitCode Show(Session& session, const StatusOptions& options, const StatusReport& report) {
  constexpr std::string_view kHomeAndClear = "\x1b[H\x1b[2J";
  if (session.json) {
    session.console.PrintLine(StatusJson(report));
  } else {
    if (options.watch && session.console.err_is_terminal()) session.console.Print(kHomeAndClear);
    session.console.Print(StatusText(report, options.all_lanes));
  }
  ExitCode code = ExitCode::kFine;
  for (const Error& failure : report.failures) code = session.console.SayError(failure);
  return code;
}

ExitCode Watch(Session& session, const StatusOptions& options, StatusSource& source) {
  std::optional<StatusReport> before;
  do {
    Result<StatusReport> report = source.Read();
    if (!report) {
      session.console.SayError(report.error());
      continue;
    }
    if (before) SetRates(*report, *before);
    (void)Show(session, options, *report);
    if (!session.console.Flush()) return ExitCode::kFine;
    before = std::move(*report);
  } while (!session.interrupt.WaitFor(kWatchPeriodMs));
  return ExitCode::kFine;
}

// Twice where something lags, for its rate.
Result<StatusReport> ReadOnce(Session& session, StatusSource& source) {
  Result<StatusReport> first = source.Read();
  const auto lags = [](const LaneReport& lane) { return lane.lag_events > 0; };
  if (!first || !std::ranges::any_of(first->lanes, lags)) return first;
  if (session.interrupt.WaitFor(kRatePeriodMs)) return first;
  Result<StatusReport> second = source.Read();
  if (second) SetRates(*second, *first);
  return second;
}

}  // namespace

ExitCode RunStatus(Session& session, const StatusOptions& options) {
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  StatusSource source(session, std::move(*log), std::move(*readers));
  if (options.watch) return Watch(session, options, source);
  const Result<StatusReport> report = ReadOnce(session, source);
  if (!report) return session.console.SayError(report.error());
  const ExitCode code = Show(session, options, *report);
  session.console.Flush();
  return code;
}

}  // namespace fanfold
