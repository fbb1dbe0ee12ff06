#include "cli/wait.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "cli/lanes.h"
#include "cli/progress.h"
#include "common/base/backoff.h"

namespace fanfold {
namespace {

constexpr std::int64_t kPollFirstMs = 20;
constexpr std::int64_t kPollMaxMs = 250;
constexpr std::int64_t kReaderWaitMs = 250;
constexpr std::size_t kLanesNamedMax = 20;

using Json = nlohmann::json;

bool MayPass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kConflict ||
         code == ErrorCode::kTimeout || code == ErrorCode::kUnknown;
}

std::string NameOf(const LaggingLane& lane) {
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

class Waiter {
 public:
  Waiter(Session& session, const WaitOptions& options, LogEnds ends)
      : session_(session),
        options_(options),
        ends_(std::move(ends)),
        progress_(session.console, session.clock) {}

  ExitCode Run() {
    Backoff backoff(kPollFirstMs, kPollMaxMs);
    while (true) {
      const Status looked = Look();
      if (looked && lagging_.empty() && !reader_lags_) return Finish(ExitCode::kFine);
      if (!looked && !MayPass(looked.error().code)) {
        progress_.Clear();
        return session_.console.SayError(looked.error());
      }
      unreachable_ = looked ? std::string() : looked.error().message;
      if (looked) TellStopped();
      if (looked && OneHasHalted()) return Finish(ExitCode::kRefused);
      ShowProgress();
      const std::int64_t left_ms = options_.timeout_ms - progress_.elapsed_ms();
      if (left_ms <= 0) return Finish(ExitCode::kDifferent);
      if (session_.interrupt.WaitFor(std::min(backoff.Next(), left_ms))) {
        return Finish(ExitCode::kDifferent);
      }
    }
  }

 private:
  Status Look() {
    if (readers_.empty()) {
      Result<ShardReaders> readers = OpenReaders(session_.backend);
      if (!readers) return Forward(readers);
      readers_ = std::move(*readers);
    }
    Result<Catalog> catalog = readers_.front()->ReadCatalog();
    if (!catalog) return Forward(catalog);
    Result<std::vector<ShardLane>> lanes = ReadLanes(readers_);
    if (!lanes) return Forward(lanes);
    const Result<Placement> placement = ConfiguredPlacement(session_.backend);
    if (!placement) return std::unexpected(placement.error());
    lagging_ = LaggingLanes(ends_, catalog->read, *placement, *lanes);
    if (options_.passes_stopped) PassStopped();
    if (first_lack_ < 0) first_lack_ = EventsLacking(lagging_);
    return lagging_.empty() ? LookAtReader() : Status();
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

  // What it holds in memory follows the log by itself.
  Status LookAtReader() {
    std::vector<Position> last;
    for (std::size_t p = 0; p < ends_.size(); ++p) {
      if (ends_[p] == Offset(0)) continue;
      last.push_back({Partition(static_cast<std::int32_t>(p)), Offset(ends_[p].value - 1)});
    }
    const Result<bool> reached = session_.backend.ReaderReached(last, kReaderWaitMs);
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
      session_.console.Say(NameOf(lane));
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

  ExitCode Finish(ExitCode code) {
    progress_.Clear();
    const double seconds = static_cast<double>(progress_.elapsed_ms()) / 1000.0;
    if (code != ExitCode::kFine) TellLagging(seconds);
    if (code == ExitCode::kFine && options_.quiet) return code;
    if (session_.json) {
      PrintJson(code, seconds);
    } else if (code == ExitCode::kFine) {
      session_.console.PrintLine(fmt::format("caught up after {:.2f} s", seconds));
    }
    session_.console.Flush();
    return code;
  }

  void TellLagging(double seconds) {
    session_.console.Say(fmt::format("fanfold: not caught up after {:.2f} s", seconds));
    if (!unreachable_.empty()) session_.console.Say("  " + unreachable_);
    for (std::size_t i = 0; i < std::min(lagging_.size(), kLanesNamedMax); ++i) {
      session_.console.Say("  " + NameOf(lagging_[i]));
    }
    if (lagging_.empty() && reader_lags_) session_.console.Say("  the reader has not followed yet");
    if (lagging_.size() > kLanesNamedMax) {
      session_.console.Say(fmt::format("  and {} more", lagging_.size() - kLanesNamedMax));
    }
  }

  void PrintJson(ExitCode code, double seconds) {
    Json lagging = Json::array();
    for (const LaggingLane& lane : lagging_) {
      lagging.push_back({{"projection", ToString(lane.lane.projection)},
                         {"generation", lane.lane.generation.value},
                         {"partition", lane.lane.partition.value},
                         {"shard", lane.shard.value},
                         {"position", lane.at.value},
                         {"end", lane.end.value},
                         {"state", lane.status ? ToString(lane.status->state) : "not_started"},
                         {"reason", lane.status ? lane.status->state_reason : ""}});
    }
    const Json answer = {{"caught_up", code == ExitCode::kFine},
                         {"seconds", seconds},
                         {"lagging", std::move(lagging)}};
    session_.console.PrintLine(answer.dump());
  }

  Session& session_;
  const WaitOptions& options_;
  const LogEnds ends_;
  Progress progress_;
  ShardReaders readers_;
  std::vector<LaggingLane> lagging_;
  std::set<std::pair<Shard, LaneId>> told_;
  bool reader_lags_ = false;
  std::string unreachable_;       // why the last look failed; empty when it did not
  std::int64_t first_lack_ = -1;  // what lacked at the first look; −1 = none yet
};

}  // namespace

ExitCode RunWait(Session& session, const WaitOptions& options) {
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  Result<LogEnds> ends = ReadEnds(**log, Topic::kEvents, session.backend.partitions());
  if (!ends) return session.console.SayError(ends.error());
  return Waiter(session, options, std::move(*ends)).Run();
}

}  // namespace fanfold
