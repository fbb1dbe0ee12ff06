#include "cli/lanes/lane.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "common/ports/deployment_check.h"
#include "common/stream/slot.h"
#include "operations/lanes/halt_advice.h"
#include "operations/lanes/lanes.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Json ToJson(const operations::ShardLane& lane) {
  const LaneStatus& status = lane.status;
  return {{"projection", ToString(status.lane.projection)},
          {"partition", status.lane.partition.value},
          {"shard", lane.shard.value},
          {"generation", status.lane.generation.value},
          {"role", RoleText(status.deciding)},
          {"state", ToString(status.state)},
          {"reason", status.state_reason},
          {"advice", operations::AdviceFor(status)},
          {"position", status.progress.event_offset.value},
          {"owner", status.owner},
          {"owner_epoch", status.owner_epoch}};
}

std::string TableOf(const std::vector<operations::ShardLane>& lanes) {
  if (lanes.empty()) return "no lanes: no projector has taken any\n";
  TextTable table({"LANE", "SHARD", "GEN", "ROLE", "STATE", "NEXT EVENT", "OWNER"});
  for (const operations::ShardLane& lane : lanes) {
    const LaneStatus& status = lane.status;
    table.Add({operations::NameOf(lane.status.lane), std::to_string(lane.shard.value),
               std::to_string(status.lane.generation.value), std::string(RoleText(status.deciding)),
               std::string(ToString(status.state)),
               std::to_string(status.progress.event_offset.value),
               status.owner.empty() ? "-" : status.owner});
  }
  std::string text = table.Text();
  for (const operations::ShardLane& lane : lanes) {
    if (lane.status.state == LaneState::kRunning) continue;
    text +=
        fmt::format("\n{} on shard {} is {} ({}):\n  {}\n", operations::NameOf(lane.status.lane),
                    lane.shard.value, ToString(lane.status.state), lane.status.state_reason,
                    operations::AdviceFor(lane.status));
  }
  return text;
}

void Print(Session& session, const std::vector<operations::ShardLane>& lanes) {
  if (session.json) {
    Json items = Json::array();
    for (const operations::ShardLane& lane : lanes) items.push_back(ToJson(lane));
    session.console.PrintLine(OneLine(Json{{"lanes", std::move(items)}}));
  } else {
    session.console.Print(Pasteable(TableOf(lanes), session.calls));
  }
  session.console.Flush();
}

// The worst that came of it.
ExitCode SayTold(Session& session, operations::LaneOrder order,
                 const std::vector<operations::LaneTold>& lanes) {
  ExitCode worst = ExitCode::kFine;
  for (const auto& [lane, told] : lanes) {
    if (!told) {
      worst = std::max(worst, session.console.SayError(OfShard(lane.shard, told.error()).error()));
    } else if (lane.status.state == LaneState::kHalted && order == operations::LaneOrder::kResume) {
      session.console.Say(fmt::format("{} on shard {} had halted: {}",
                                      operations::NameOf(lane.status.lane), lane.shard.value,
                                      lane.status.state_reason));
    }
  }
  return worst;
}

}  // namespace

std::optional<operations::LaneTarget> ParseLaneTarget(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view name = text.substr(0, slash);
  const std::optional<Projection> projection = Projection::Find(name);
  if (!projection) return std::nullopt;
  operations::LaneTarget target{*projection, std::nullopt};
  if (slash == std::string_view::npos) return target;
  const std::optional<std::int64_t> partition = ParseNonNegative(text.substr(slash + 1));
  if (!partition || *partition >= kPartitionsMax) return std::nullopt;
  target.partition = Partition(static_cast<std::int32_t>(*partition));
  return target;
}

ExitCode RunLaneList(Session& session, const LaneListOptions& options) {
  const Result<operations::LanesThatAnswer> read = operations::ListLanes(session, options.target);
  if (!read) return session.console.SayError(read.error());
  Print(session, read->lanes);
  ExitCode code = ExitCode::kFine;
  for (const Error& failure : read->failures) code = session.console.SayError(failure);
  return code;
}

ExitCode RunLaneOrder(Session& session, const operations::LaneOrderOptions& options) {
  const Result<operations::LanesTold> told = operations::OrderLanes(session, options);
  if (!told) return session.console.SayError(told.error());
  const ExitCode code = SayTold(session, options.order, told->lanes);
  if (!told->as_they_are) return session.console.SayError(told->as_they_are.error());
  Print(session, *told->as_they_are);
  return code;
}

}  // namespace fanfold
