#include "operations/lanes/wait.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/backoff.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kPollFirstMs = 20;
constexpr std::int64_t kPollMaxMs = 250;
constexpr std::int64_t kReaderWaitMs = 250;

bool MayPass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kConflict ||
         code == ErrorCode::kTimeout || code == ErrorCode::kUnknown;
}

class Waiter {
 public:
  Waiter(Context& context, const WaitLimits& limits)
      : context_(context), limits_(limits), progress_(context) {}

  Result<WaitResult> Run() {
    Backoff backoff(kPollFirstMs, kPollMaxMs);
    while (true) {
      const Status looked = Look();
      if (looked && lagging_.empty() && !reader_lags_) return Finish(WaitEnd::kCaughtUp);
      if (!looked && !MayPass(looked.error().code)) return std::unexpected(looked.error());
      unreachable_ = looked ? std::string() : looked.error().message;
      if (looked) TellStopped();
      if (looked && OneHasHalted()) return Finish(WaitEnd::kHalted);
      ShowProgress();
      const std::int64_t left_ms = limits_.timeout_ms - progress_.elapsed_ms();
      if (left_ms <= 0) return Finish(WaitEnd::kLate);
      if (context_.interrupt.WaitFor(std::min(backoff.Next(), left_ms))) {
        return Finish(WaitEnd::kInterrupted);
      }
    }
  }

 private:
  Status Look() {
    if (Status known = LearnEnds(); !known) return known;
    if (readers_.empty()) {
      Result<ShardReaders> readers = OpenReaders(context_.backend);
      if (!readers) return Forward(readers);
      readers_ = std::move(*readers);
    }
    Result<Deployment> read = ReadNow(context_.backend, *readers_.front());
    if (!read) return Forward(read);
    Result<std::vector<ShardLane>> lanes = ReadLanes(readers_);
    if (!lanes) return Forward(lanes);
    if (Status within = CheckWithin(*lanes, *read); !within) return within;
    lagging_ = LaggingLanes(*ends_, *read, *lanes);
    if (limits_.passes_stopped) PassStopped();
    if (first_lack_ < 0) first_lack_ = EventsLacking(lagging_);
    return lagging_.empty() ? LookAtReader() : Status();
  }

  // Once: what comes later is not waited for.
  Status LearnEnds() {
    if (ends_) return {};
    Result<std::shared_ptr<EventLog>> log = context_.backend.OpenLog();
    if (!log) return Forward(log);
    log_ = *std::move(log);
    Result<AllEnds> ends = ReadAllEnds(*log_, context_.backend.partitions());
    if (!ends) return Forward(ends);
    ends_ = std::move(*ends);
    return {};
  }

  // A log that ends below a lane is not the one that it was folded from. Ends that were learned
  // before are not enough to say so.
  Status CheckWithin(std::span<const ShardLane> lanes, const Deployment& read) {
    for (const auto& [shard, status] : lanes) {
      const LaneId& lane = status.lane;
      const Topic events = lane.stream.events();
      const Offset at = status.progress.event_offset;
      const bool counts = status.state == LaneState::kRunning && IsRead(lane, read.read);
      if (!counts || at <= EndOf((*ends_)[events], lane.partition)) continue;
      const Result<LogBounds> bounds = log_->Bounds(events, lane.partition);
      if (!bounds) return std::unexpected(bounds.error());
      if (at <= bounds->end) continue;
      return Fail(
          ErrorCode::kRefused,
          fmt::format("{} on shard {} stands at {}, and {} ends at {}: it is not the log "
                      "that it was folded from, or not all of it",
                      NameOf(lane), shard.value, at.value, events.name(), bounds->end.value));
    }
    return {};
  }

  // Behind a decider that stands nobody comes any further.
  void PassStopped() {
    std::set<Partition> stopped;
    for (const LaggingLane& lane : lagging_) {
      const bool runs = !lane.status || lane.status->state == LaneState::kRunning;
      if (!runs) stopped.insert(lane.lane.partition);
    }
    TellStopped();
    std::erase_if(lagging_,
                  [&](const LaggingLane& lane) { return stopped.contains(lane.lane.partition); });
  }

  // What it holds in memory follows each stream by itself.
  Status LookAtReader() {
    std::vector<StreamPosition> last;
    for (const Stream stream : Stream::All()) {
      for (const Position& position : LastOf((*ends_)[stream.events()])) {
        last.push_back({stream, position});
      }
    }
    const Result<bool> reached = context_.backend.ReaderReached(last, kReaderWaitMs);
    reader_lags_ = !reached || !*reached;
    if (!reached) return std::unexpected(reached.error());
    return {};
  }

  // It goes on only when what is wrong has been mended.
  [[nodiscard]] bool OneHasHalted() const {
    return std::ranges::any_of(lagging_, [](const LaggingLane& lane) {
      return lane.status && lane.status->state == LaneState::kHalted;
    });
  }

  // A stopped lane goes on only by an operator's word: told at once.
  void TellStopped() {
    for (const LaggingLane& lane : lagging_) {
      if (!lane.status || lane.status->state == LaneState::kRunning) continue;
      if (!told_.insert({lane.shard, lane.lane}).second) continue;
      progress_.Clear();
      context_.sink.Note(DescribeLagging(lane));
    }
  }

  void ShowProgress() {
    if (!progress_.Due()) return;
    if (!unreachable_.empty()) {
      progress_.ShowText(unreachable_);
      return;
    }
    const std::int64_t done = first_lack_ - EventsLacking(lagging_);
    progress_.Show({.done = done,
                    .total = first_lack_,
                    .items = done,
                    .items_name = "steps",
                    .elapsed_ms = progress_.elapsed_ms()});
  }

  WaitResult Finish(WaitEnd end) {
    progress_.Clear();
    return {end, progress_.elapsed_ms(), std::move(lagging_), reader_lags_,
            std::move(unreachable_)};
  }

  Context& context_;
  const WaitLimits& limits_;
  std::shared_ptr<EventLog> log_;
  std::optional<AllEnds> ends_;
  Stretch progress_;
  ShardReaders readers_;
  std::vector<LaggingLane> lagging_;
  std::set<std::pair<Shard, LaneId>> told_;
  bool reader_lags_ = false;
  std::string unreachable_;       // why the last look failed; empty when it did not
  std::int64_t first_lack_ = -1;  // what lacked at the first look; −1 = none yet
};

}  // namespace

std::string DescribeLagging(const LaggingLane& lane) {
  std::string text = fmt::format("{} on shard {}: {} of {}", NameOf(lane.lane), lane.shard.value,
                                 lane.at.value, lane.end.value);
  if (!lane.status) return text + ", not started";
  if (lane.status->state != LaneState::kRunning) {
    text += fmt::format(", {} ({})", ToString(lane.status->state), lane.status->state_reason);
  } else if (lane.status->owner.empty()) {
    text += ", no owner";
  }
  return text;
}

Result<WaitResult> Wait(Context& context, const WaitLimits& limits) {
  return Waiter(context, limits).Run();
}

}  // namespace fanfold::operations
