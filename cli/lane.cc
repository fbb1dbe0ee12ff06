#include "cli/lane.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/display.h"
#include "cli/halt_advice.h"
#include "cli/lanes.h"
#include "common/relation/slot.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Json ToJson(const ShardLane& lane) {
  const LaneStatus& status = lane.status;
  return {{"projection", ToString(status.lane.projection)},
          {"partition", status.lane.partition.value},
          {"shard", lane.shard.value},
          {"generation", status.lane.generation.value},
          {"role", RoleText(status.deciding)},
          {"state", ToString(status.state)},
          {"reason", status.state_reason},
          {"advice", AdviceFor(status)},
          {"position", status.progress.event_offset.value},
          {"owner", status.owner},
          {"owner_epoch", status.owner_epoch}};
}

std::string TableOf(const std::vector<ShardLane>& lanes) {
  if (lanes.empty()) return "no lanes: no projector has claimed any\n";
  TextTable table({"LANE", "SHARD", "GEN", "ROLE", "STATE", "NEXT EVENT", "OWNER"});
  for (const ShardLane& lane : lanes) {
    const LaneStatus& status = lane.status;
    table.Add({NameOf(lane.status.lane), std::to_string(lane.shard.value),
               std::to_string(status.lane.generation.value), std::string(RoleText(status.deciding)),
               std::string(ToString(status.state)),
               std::to_string(status.progress.event_offset.value),
               status.owner.empty() ? "-" : status.owner});
  }
  std::string text = table.Text();
  for (const ShardLane& lane : lanes) {
    if (lane.status.state == LaneState::kRunning) continue;
    text += fmt::format("\n{} on shard {} is {} ({}):\n  {}\n", NameOf(lane.status.lane),
                        lane.shard.value, ToString(lane.status.state), lane.status.state_reason,
                        AdviceFor(lane.status));
  }
  return text;
}

bool Means(const LaneTarget& target, const LaneId& lane) {
  return lane.projection == target.projection &&
         (!target.partition || *target.partition == lane.partition);
}

void Print(Session& session, const std::vector<ShardLane>& lanes) {
  if (session.json) {
    Json items = Json::array();
    for (const ShardLane& lane : lanes) items.push_back(ToJson(lane));
    session.console.PrintLine(
        Json{{"lanes", std::move(items)}}.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    session.console.Print(Pasteable(TableOf(lanes), session.calls));
  }
  session.console.Flush();
}

std::vector<ShardLane> Those(std::vector<ShardLane> lanes, const auto& are_meant) {
  std::erase_if(lanes, [&](const ShardLane& lane) { return !are_meant(lane.status.lane); });
  std::ranges::sort(lanes, {},
                    [](const ShardLane& lane) { return std::pair(lane.status.lane, lane.shard); });
  return lanes;
}

Result<std::vector<ShardLane>> LanesThat(const ShardReaders& readers, const auto& are_meant) {
  Result<std::vector<ShardLane>> lanes = ReadLanes(readers);
  if (!lanes) return lanes;
  return Those(std::move(*lanes), are_meant);
}

Status Tell(TableOperations& tables, const LaneId& lane, const LaneOrderOptions& options) {
  switch (options.order) {
    case LaneOrder::kPause:
      return tables.Pause(lane, options.reason);
    case LaneOrder::kResume:
      return tables.Resume(lane);
    case LaneOrder::kRewind:
      break;
  }
  return tables.Rewind(lane, options.to);
}

// Tells each lane; the worst that came of it.
ExitCode TellAll(Session& session, const std::vector<ShardLane>& lanes,
                 const LaneOrderOptions& options) {
  ExitCode worst = ExitCode::kFine;
  for (const ShardLane& lane : lanes) {
    Result<std::unique_ptr<TableOperations>> tables = session.backend.OpenOperations(lane.shard);
    const Status told =
        tables ? Tell(**tables, lane.status.lane, options) : Status(Forward(tables));
    if (told) {
      if (lane.status.state == LaneState::kHalted && options.order == LaneOrder::kResume) {
        session.console.Say(fmt::format("{} on shard {} had halted: {}", NameOf(lane.status.lane),
                                        lane.shard.value, lane.status.state_reason));
      }
      continue;
    }
    const Error error{told.error().code,
                      fmt::format("shard {}: {}", lane.shard.value, told.error().message)};
    worst = std::max(worst, session.console.SayError(error));
  }
  return worst;
}

}  // namespace

std::optional<LaneTarget> ParseLaneTarget(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view name = text.substr(0, slash);
  const std::optional<Projection> projection = Projection::Find(name);
  if (!projection) return std::nullopt;
  LaneTarget target{*projection, std::nullopt};
  if (slash == std::string_view::npos) return target;
  const std::optional<std::int64_t> partition = ParseNonNegative(text.substr(slash + 1));
  if (!partition || *partition >= Placement::kPartitionsMax) return std::nullopt;
  target.partition = Partition(static_cast<std::int32_t>(*partition));
  return target;
}

ExitCode RunLaneList(Session& session, const LaneListOptions& options) {
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  LanesThatAnswer read = ReadLanesThatAnswer(*readers);
  Print(session, Those(std::move(read.lanes), [&](const LaneId& lane) {
          return !options.target || Means(*options.target, lane);
        }));
  ExitCode code = ExitCode::kFine;
  for (const Error& failure : read.failures) code = session.console.SayError(failure);
  return code;
}

ExitCode RunLaneOrder(Session& session, const LaneOrderOptions& options) {
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  const Result<Catalog> catalog = readers->front()->ReadCatalog();
  if (!catalog) return session.console.SayError(catalog.error());
  const ReadGenerations& read = catalog->read;
  const auto is_meant = [&](const LaneId& lane) {
    return Means(options.target, lane) &&
           (options.generation ? lane.generation == *options.generation : IsRead(lane, read));
  };
  const auto lanes = LanesThat(*readers, is_meant);
  if (!lanes) return session.console.SayError(lanes.error());
  if (lanes->empty()) {
    return session.console.SayError(
        {ErrorCode::kNotFound, "there is no such lane; `fanfold lane list` shows those there are"});
  }
  const ExitCode code = TellAll(session, *lanes, options);
  const auto after = LanesThat(*readers, is_meant);
  if (!after) return session.console.SayError(after.error());
  Print(session, *after);
  return code;
}

}  // namespace fanfold
