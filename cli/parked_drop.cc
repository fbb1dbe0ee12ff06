#include "cli/parked_drop.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/parked_rows.h"
#include "cli/record_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

// Several generations of one projection may have parked the same record.
bool OfOneProjection(const std::vector<ShardParked>& found) {
  return std::ranges::all_of(found, [&](const ShardParked& parked) {
    return parked.row.lane.projection == found.front().row.lane.projection;
  });
}

// The one row to be dropped; where to find it.
Result<ShardParked> Meant(const ShardReaders& readers, std::optional<ProjectionKind> projection,
                          Position position) {
  Result<std::vector<ShardParked>> found = FindParked(readers, projection, position);
  if (!found) return Forward(found);
  if (found->empty()) {
    return Fail(ErrorCode::kNotFound, "nothing is parked at " + ToString(position));
  }
  if (!OfOneProjection(*found)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("an event and an outcome are parked at {}: say which with --projection",
                            ToString(position)));
  }
  return std::move(found->front());
}

Status Drop(Backend& backend, const ShardParked& parked) {
  Result<std::unique_ptr<TableOperations>> tables = backend.OpenOperations(parked.shard);
  if (!tables) return Forward(tables);
  const LaneId& lane = parked.row.lane;
  return (*tables)->DropParked(lane.projection, lane.partition, parked.row.offset);
}

}  // namespace

ExitCode RunParkedDrop(Session& session, const ParkedDropOptions& options) {
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  ExitCode worst = ExitCode::kFine;
  Json items = Json::array();
  for (const Position position : options.positions) {
    const Result<ShardParked> parked = Meant(*readers, options.projection, position);
    const Status dropped =
        parked ? Drop(session.backend, *parked) : Status(std::unexpected(parked.error()));
    if (!dropped) {
      worst = std::max(worst, session.console.SayError(dropped.error()));
      continue;
    }
    const std::string_view reason = ToString(parked->row.reason);
    const std::string_view topic = NameOf(TopicOf(parked->row));
    items.push_back({{"position", ToString(position)}, {"reason", reason}, {"topic", topic}});
    if (session.json) continue;
    session.console.PrintLine(fmt::format("{:<10}  dropped ({}); its record stays in {}",
                                          ToString(position), reason, topic));
  }
  if (session.json) session.console.PrintLine(Json{{"dropped", std::move(items)}}.dump());
  session.console.Flush();
  return worst;
}

}  // namespace fanfold
