#include "cli/inspect/wait.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/base/json_text.h"
#include "operations/lanes/wait.h"

namespace fanfold {
namespace {

constexpr std::size_t kLanesNamedMax = 20;

using Json = nlohmann::json;

ExitCode ExitCodeOf(operations::WaitEnd end) {
  switch (end) {
    case operations::WaitEnd::kCaughtUp:
      return ExitCode::kFine;
    case operations::WaitEnd::kLate:
      return ExitCode::kDifferent;
    case operations::WaitEnd::kHalted:
      return ExitCode::kRefused;
    case operations::WaitEnd::kInterrupted:
      break;
  }
  return ExitCode::kError;
}

void SayLate(Session& session, const operations::WaitResult& result, double seconds) {
  session.console.Say(fmt::format("fanfold: not caught up after {:.2f} s", seconds));
  if (!result.unreachable.empty()) session.console.Say("  " + result.unreachable);
  SayLagging(session.console, result.lagging);
  if (result.lagging.empty() && result.reader_lags)
    session.console.Say("  the reader has not followed yet");
}

void PrintJson(Session& session, const operations::WaitResult& result, double seconds) {
  Json lagging = Json::array();
  for (const operations::LaggingLane& lane : result.lagging) {
    lagging.push_back({{"projection", ToString(lane.lane.projection)},
                       {"generation", lane.lane.generation.value},
                       {"partition", lane.lane.partition.value},
                       {"shard", lane.shard.value},
                       {"position", lane.at.value},
                       {"end", lane.end.value},
                       {"state", lane.status ? ToString(lane.status->state) : "not_started"},
                       {"reason", lane.status ? lane.status->state_reason : ""}});
  }
  const Json answer = {{"caught_up", result.end == operations::WaitEnd::kCaughtUp},
                       {"seconds", seconds},
                       {"lagging", std::move(lagging)},
                       {"reader_lags", result.reader_lags},
                       {"unreachable", result.unreachable}};
  session.console.PrintLine(OneLine(answer));
}

}  // namespace

void SayLagging(Console& console, std::span<const operations::LaggingLane> lagging) {
  for (const operations::LaggingLane& lane :
       lagging.first(std::min(lagging.size(), kLanesNamedMax)))
    console.Say("  " + DescribeLagging(lane));
  if (lagging.size() > kLanesNamedMax) {
    console.Say(fmt::format("  and {} more", lagging.size() - kLanesNamedMax));
  }
}

ExitCode RunWait(Session& session, const WaitOptions& options) {
  const Result<operations::WaitResult> result = operations::Wait(
      session, {.timeout_ms = options.timeout_ms, .passes_stopped = options.passes_stopped});
  if (!result) return session.console.SayError(result.error());
  const double seconds = static_cast<double>(result->elapsed_ms) / 1000.0;
  const bool caught_up = result->end == operations::WaitEnd::kCaughtUp;
  if (!caught_up) SayLate(session, *result, seconds);
  if (options.quiet) return ExitCodeOf(result->end);
  if (session.json) {
    PrintJson(session, *result, seconds);
  } else if (caught_up) {
    session.console.PrintLine(fmt::format("caught up after {:.2f} s", seconds));
  }
  session.console.Flush();
  return ExitCodeOf(result->end);
}

}  // namespace fanfold
