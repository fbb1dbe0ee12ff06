#include "cli/inspect/status_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

// One projection in one generation: sums over its lanes.
struct ProjectionReport {
  Projection projection;
  Generation generation;
  bool read = false;
  int lanes = 0;
  int running = 0;
  int halted = 0;
  std::int64_t lag_events = 0;  // the worst shard's of each partition
  std::int64_t lag_ms = 0;
  std::optional<double> events_per_second;
};

std::vector<ProjectionReport> Summarize(const operations::StatusReport& report) {
  std::map<std::pair<Projection, Generation>, ProjectionReport> all;
  // One that nobody has ever taken up has no lanes, and lacks all of them.
  for (const Projection projection : Projection::All()) {
    const Generation read = report.read[projection];
    ProjectionReport& none = all[{projection, read}];
    none.projection = projection;
    none.generation = read;
    none.read = true;
  }
  std::map<LaneId, const operations::LaneReport*> worst;
  for (const operations::LaneReport& lane : report.lanes) {
    const LaneId& id = lane.status.lane;
    ProjectionReport& sum = all[{id.projection, id.generation}];
    sum.projection = id.projection;
    sum.generation = id.generation;
    sum.read = lane.read;
    ++sum.lanes;
    if (lane.status.state == LaneState::kRunning) ++sum.running;
    if (lane.status.state == LaneState::kHalted) ++sum.halted;
    sum.lag_ms = std::max(sum.lag_ms, lane.lag_ms);
    const operations::LaneReport*& slowest = worst[id];
    if (slowest == nullptr || lane.lag_events > slowest->lag_events) slowest = &lane;
  }
  for (const auto& [id, lane] : worst) {
    ProjectionReport& sum = all[{id.projection, id.generation}];
    sum.lag_events += lane->lag_events;
    if (lane->events_per_second) {
      sum.events_per_second = sum.events_per_second.value_or(0) + *lane->events_per_second;
    }
  }
  std::vector<ProjectionReport> sums;
  sums.reserve(all.size());
  for (auto& [key, sum] : all) sums.push_back(sum);
  return sums;
}

std::optional<std::int64_t> EtaMs(std::int64_t lag_events, std::optional<double> rate) {
  if (lag_events == 0) return 0;
  if (!rate || *rate <= 0) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(lag_events) * 1000.0 / *rate);
}

std::string RateText(std::optional<double> rate) {
  return rate ? operations::ShortCount(static_cast<std::int64_t>(*rate)) : "-";
}

std::string EtaText(std::int64_t lag_events, std::optional<double> rate) {
  const std::optional<std::int64_t> eta_ms = EtaMs(lag_events, rate);
  return eta_ms ? operations::ShortDuration(*eta_ms) : "-";
}

std::string StateText(const LaneStatus& status) {
  if (status.state_reason.empty()) return std::string(ToString(status.state));
  return fmt::format("{} ({})", ToString(status.state), status.state_reason);
}

std::int32_t ExpectedLanes(const operations::StatusReport& report, Projection projection) {
  return projection.LaneCount({report.partitions, report.shards});
}

std::string ProjectionTable(const operations::StatusReport& report) {
  if (report.lanes.empty()) return "no lane has started yet: is a projector running?\n";
  TextTable table({"PROJECTION", "GEN", "READ", "LANES", "RUNNING", "HALTED", "LAG EVENTS",
                   "LAG MS", "RATE/S", "ETA"});
  for (const ProjectionReport& sum : Summarize(report)) {
    table.Add({std::string(ToString(sum.projection)), std::to_string(sum.generation.value),
               sum.read ? "yes" : "no",
               fmt::format("{}/{}", sum.lanes, ExpectedLanes(report, sum.projection)),
               std::to_string(sum.running), std::to_string(sum.halted),
               std::to_string(sum.lag_events), std::to_string(sum.lag_ms),
               RateText(sum.events_per_second), EtaText(sum.lag_events, sum.events_per_second)});
  }
  return table.Text();
}

std::string LaneTable(const operations::StatusReport& report, bool all_lanes) {
  TextTable table({"LANE", "SHARD", "GEN", "ROLE", "STATE", "POSITION", "END", "LAG EVENTS",
                   "LAG MS", "RATE/S", "ETA", "EPOCH", "OWNER"});
  for (const operations::LaneReport& lane : report.lanes) {
    const LaneStatus& status = lane.status;
    const bool fine = status.state == LaneState::kRunning && lane.lag_events == 0;
    if (fine && !all_lanes) continue;
    table.Add({operations::NameOf(status.lane), std::to_string(lane.shard.value),
               std::to_string(status.lane.generation.value), std::string(RoleText(status.deciding)),
               StateText(status), std::to_string(status.progress.next_offset.value),
               std::to_string(lane.end.value), std::to_string(lane.lag_events),
               std::to_string(lane.lag_ms), RateText(lane.events_per_second),
               EtaText(lane.lag_events, lane.events_per_second), std::to_string(status.owner_epoch),
               status.owner.empty() ? "-" : status.owner});
  }
  return table.empty() ? std::string() : "\n" + table.Text();
}

std::string OpenText(const operations::StatusReport& report) {
  std::string text;
  for (const Projection projection : Projection::All()) {
    const OpenWork& open = report.open[projection];
    if (open.count == 0) continue;
    text += fmt::format("\n{}: {} {}, the oldest asked for at {}\n", ToString(projection),
                        open.count, open.what, operations::IsoTime(open.oldest_ms));
  }
  return text;
}

void SetRate(Json& json, std::int64_t lag_events, std::optional<double> rate) {
  if (!rate) return;
  json["events_per_second"] = *rate;
  const std::optional<std::int64_t> eta_ms = EtaMs(lag_events, rate);
  json["eta_ms"] = eta_ms ? Json(*eta_ms) : Json();
}

Json ToJson(const ProjectionReport& sum, const operations::StatusReport& report) {
  Json json = {{"projection", ToString(sum.projection)},
               {"generation", sum.generation.value},
               {"read", sum.read},
               {"lanes", sum.lanes},
               {"lanes_expected", ExpectedLanes(report, sum.projection)},
               {"running", sum.running},
               {"halted", sum.halted},
               {"lag_events", sum.lag_events},
               {"lag_ms", sum.lag_ms}};
  const OpenWork& open = report.open[sum.projection];
  if (sum.read && open.count > 0) {
    json["open"] = {{"what", open.what}, {"count", open.count}, {"oldest_ms", open.oldest_ms}};
  }
  SetRate(json, sum.lag_events, sum.events_per_second);
  return json;
}

Json ToJson(const operations::LaneReport& lane) {
  const LaneStatus& status = lane.status;
  Json json = {{"projection", ToString(status.lane.projection)},
               {"generation", status.lane.generation.value},
               {"partition", status.lane.partition.value},
               {"shard", lane.shard.value},
               {"read", lane.read},
               {"role", RoleText(status.deciding)},
               {"state", ToString(status.state)},
               {"reason", status.state_reason},
               {"position", status.progress.next_offset.value},
               {"event_position", status.progress.event_offset.value},
               {"end", lane.end.value},
               {"lag_events", lane.lag_events},
               {"lag_ms", lane.lag_ms},
               {"owner", status.owner},
               {"owner_epoch", status.owner_epoch},
               {"updated_ms", status.updated_ms}};
  SetRate(json, lane.lag_events, lane.events_per_second);
  return json;
}

}  // namespace

std::string StatusText(const operations::StatusReport& report, bool all_lanes) {
  return ProjectionTable(report) + OpenText(report) + LaneTable(report, all_lanes);
}

std::string StatusJson(const operations::StatusReport& report) {
  Json projections = Json::array();
  for (const ProjectionReport& sum : Summarize(report)) projections.push_back(ToJson(sum, report));
  Json lanes = Json::array();
  for (const operations::LaneReport& lane : report.lanes) lanes.push_back(ToJson(lane));
  Json failures = Json::array();
  for (const Error& failure : report.failures) failures.push_back(failure.message);
  Json read;
  for (const Projection one : Projection::All()) read[one.name()] = report.read[one].value;
  const Json json = {{"read", std::move(read)},   {"partitions", report.partitions},
                     {"shards", report.shards},   {"projections", std::move(projections)},
                     {"lanes", std::move(lanes)}, {"failures", std::move(failures)}};
  return OneLine(json);
}

}  // namespace fanfold
