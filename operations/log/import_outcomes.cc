#include "operations/log/import_outcomes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "operations/lanes/wait.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kOutcomesPolledMax = 10'000;
constexpr std::int64_t kOutcomesPollMs = 200;
constexpr std::int64_t kOutcomesRetryMs = 200;

void CountOutcome(const ToldOutcome& told, std::int64_t line, ImportDecided& decided) {
  ++decided.events;
  if (told.reason.empty()) {
    ++std::ranges::find(decided.taken, told.kind, &std::pair<std::string_view, std::int64_t>::first)
          ->second;
    return;
  }
  auto found = std::ranges::find_if(decided.refused, [&](const RefusedEvents& refused) {
    return refused.kind == told.kind && refused.reason == told.reason;
  });
  if (found == decided.refused.end()) {
    found = decided.refused.insert(found, {told.kind, told.reason, 0, {}});
  }
  ++found->count;
  if (found->first.size() < RefusedEvents::kFirstMax) found->first.push_back({line, told.of});
}

class OutcomeWait {
 public:
  OutcomeWait(Context& context, EventLog& log, Stream stream, const ImportIds& ids,
              std::int64_t events, std::int64_t silence_max_ms)
      : context_(context),
        log_(log),
        stream_(stream),
        ids_(ids),
        events_(events),
        silence_max_ms_(silence_max_ms),
        progress_(context) {
    for (const std::string_view kind : TakenKinds(stream)) decided_.taken.push_back({kind, 0});
  }

  ImportDecided Run(const LogEnds& begins, const std::vector<std::int64_t>& last_lines) {
    if (Status started = Start(begins, last_lines); !started) return Failed(started.error());
    std::int64_t heard_ms = progress_.elapsed_ms();
    while (!waits_.empty()) {
      Result<LogBatch> batch = reader_->Poll(kOutcomesPolledMax, kOutcomesPollMs);
      if (!batch && batch.error().code != ErrorCode::kUnavailable) return Failed(batch.error());
      const bool silent = !batch || batch->records.empty();
      if (silent) {
        Look();
      } else {
        Take(*batch);
        heard_ms = progress_.elapsed_ms();
      }
      if (!batch) decided_.unreachable = batch.error().message;
      ShowProgress();
      const std::int64_t silence_ms = progress_.elapsed_ms() - heard_ms;
      if (silent && OneHasHalted()) return Finish(DecidedEnd::kHalted);
      if (silent && silence_ms >= silence_max_ms_) return Finish(DecidedEnd::kLate);
      if (!waits_.empty() && context_.interrupt.WaitFor(batch ? 0 : kOutcomesRetryMs)) {
        return Finish(DecidedEnd::kInterrupted);
      }
    }
    return Finish(DecidedEnd::kAll);
  }

 private:
  Status Start(const LogEnds& begins, const std::vector<std::int64_t>& last_lines) {
    Result<LogEnds> ends = ReadEnds(log_, stream_.events(), context_.backend.partitions());
    if (!ends) return Forward(ends);
    ends_ = std::move(*ends);
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(*stream_.outcomes());
    if (!reader) return Forward(reader);
    reader_ = std::move(*reader);
    for (std::size_t p = 0; p < last_lines.size(); ++p) {
      if (last_lines[p] == 0) continue;
      const Partition partition(static_cast<std::int32_t>(p));
      waits_[partition] = {0, last_lines[p]};
      if (Status started = reader_->Start(partition, begins[p]); !started) return started;
    }
    return {};
  }

  void Take(const LogBatch& batch) {
    decided_.lagging.clear();
    decided_.unreachable.clear();
    for (const LogRecord& record : batch.records) {
      const auto lines = waits_.find(record.partition);
      const std::optional<ToldOutcome> told =
          lines == waits_.end() ? std::nullopt : ReadTold(stream_, record);
      const auto line = told ? ids_.LineOf(told->event_id) : std::nullopt;
      // A copy of an outcome, or an event that was appended twice.
      if (!line || *line <= lines->second.decided) continue;
      CountOutcome(*told, *line, decided_);
      lines->second.decided = *line;
      if (*line < lines->second.last) continue;
      reader_->Stop(record.partition);
      waits_.erase(lines);
    }
  }

  // At those who have to decide.
  void Look() {
    decided_.lagging.clear();
    decided_.unreachable.clear();
    const Result<std::vector<ShardLane>> lanes = AskLanes();
    if (!lanes) {
      decided_.unreachable = lanes.error().message;
      return;
    }
    for (const ShardLane& lane : *lanes) {
      const LaneId& id = lane.status.lane;
      const bool decides = lane.status.deciding && id.stream == stream_;
      if (!decides || !waits_.contains(id.partition)) continue;
      decided_.lagging.push_back({lane.shard, id, lane.status.progress.event_offset,
                                  EndOf(ends_, id.partition), lane.status});
    }
    TellStopped();
  }

  Result<std::vector<ShardLane>> AskLanes() {
    if (readers_.empty()) {
      Result<ShardReaders> readers = OpenReaders(context_.backend);
      if (!readers) return Forward(readers);
      readers_ = std::move(*readers);
    }
    return ReadLanes(readers_);
  }

  void TellStopped() {
    for (const LaggingLane& lane : decided_.lagging) {
      if (lane.status->state == LaneState::kRunning) continue;
      if (!told_.insert({lane.shard, lane.lane}).second) continue;
      progress_.Clear();
      context_.sink.Note(DescribeLagging(lane));
    }
  }

  [[nodiscard]] bool OneHasHalted() const {
    return std::ranges::any_of(decided_.lagging, [](const LaggingLane& lane) {
      return lane.status->state == LaneState::kHalted;
    });
  }

  void ShowProgress() {
    if (!progress_.Due()) return;
    if (!decided_.unreachable.empty()) return progress_.ShowText(decided_.unreachable);
    progress_.Show({.done = decided_.events,
                    .total = events_,
                    .items = decided_.events,
                    .items_name = "decided",
                    .elapsed_ms = progress_.elapsed_ms()});
  }

  ImportDecided Finish(DecidedEnd end) {
    progress_.Clear();
    decided_.end = end;
    return std::move(decided_);
  }

  ImportDecided Failed(const Error& error) {
    decided_.unreachable = error.message;
    return Finish(DecidedEnd::kFailed);
  }

  struct Lines {
    std::int64_t decided = 0;  // every one up to it is
    std::int64_t last = 0;
  };

  Context& context_;
  EventLog& log_;
  const Stream stream_;
  const ImportIds& ids_;
  const std::int64_t events_;
  const std::int64_t silence_max_ms_;
  Stretch progress_;
  LogEnds ends_;  // of the events
  std::unique_ptr<LogReader> reader_;
  ShardReaders readers_;
  std::map<Partition, Lines> waits_;
  std::set<std::pair<Shard, LaneId>> told_;
  ImportDecided decided_;
};

}  // namespace

std::int64_t ImportDecided::refused_as(std::string_view kind) const {
  std::int64_t sum = 0;
  for (const RefusedEvents& of : refused) sum += of.kind == kind ? of.count : 0;
  return sum;
}

Result<ImportOutcomes> ImportOutcomes::Begin(Context& context, EventLog& log, Stream stream) {
  Result<LogEnds> begins = ReadEnds(log, *stream.outcomes(), context.backend.partitions());
  if (!begins) return Forward(begins);
  return ImportOutcomes(context, log, stream, std::move(*begins));
}

ImportDecided ImportOutcomes::Wait(const ImportIds& ids, std::int64_t silence_max_ms) {
  return OutcomeWait(context_, log_, stream_, ids, events_, silence_max_ms)
      .Run(begins_, last_lines_);
}

}  // namespace fanfold::operations
