#include "cli/parked_drop.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
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

// What is to be dropped; where to find it.
Result<std::vector<ShardParked>> Meant(const ShardReaders& readers,
                                       std::optional<Projection> projection, Position position) {
  Result<std::vector<ShardParked>> found = FindParked(readers, projection, position);
  if (!found) return found;
  if (found->empty()) {
    return Fail(ErrorCode::kNotFound, "nothing is parked at " + ToString(position));
  }
  if (!OfOneProjection(*found)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("an event and an outcome are parked at {}: say which with --projection",
                            ToString(position)));
  }
  return found;
}

class Dropping {
 public:
  Dropping(Session& session, const ParkedDropOptions& options, const ShardReaders& readers)
      : session_(session), options_(options), readers_(readers) {}

  ExitCode Run() {
    for (const Position position : options_.positions) DropAt(position);
    if (options_.positions.empty()) DropAll();
    if (session_.json) session_.console.PrintLine(Json{{"dropped", std::move(items_)}}.dump());
    session_.console.Flush();
    return worst_;
  }

 private:
  void DropAt(Position position) {
    const auto rows = Meant(readers_, options_.projection, position);
    if (!rows) return SayError(rows.error());
    DropEach(*rows);
  }

  void DropAll() {
    for (const Projection projection : ProjectionsOf(options_.projection)) {
      const auto rows = AllParked(readers_, projection, kDropsAtOnceMax, options_.reason);
      if (!rows) return SayError(rows.error());
      DropEach(*rows);
      if (rows->size() < kDropsAtOnceMax) continue;
      session_.console.Say(
          fmt::format("the first {} of {} are dropped: run it again for the others",
                      kDropsAtOnceMax, ToString(projection)));
    }
    if (items_.empty() && !session_.json) session_.console.PrintLine("nothing is parked");
  }

  // Rows of one projection. Those of several generations of a shard go at once.
  void DropEach(const std::vector<ShardParked>& rows) {
    std::set<std::pair<Shard, Position>> dropped;
    for (const ShardParked& parked : rows) {
      if (dropped.insert({parked.shard, PositionOf(parked.row)}).second) Drop(parked);
    }
  }

  void Drop(const ShardParked& parked) {
    std::unique_ptr<TableOperations>& tables = tables_[parked.shard];
    if (tables == nullptr) {
      auto opened = session_.backend.OpenOperations(parked.shard);
      if (!opened) return SayError(opened.error());
      tables = *std::move(opened);
    }
    const LaneId& lane = parked.row.lane;
    const Status dropped = tables->DropParked(lane.projection, lane.partition, parked.row.offset);
    if (!dropped) return SayError(dropped.error());
    const std::string position = ToString(PositionOf(parked.row));
    const std::string_view reason = ToString(parked.row.reason);
    const std::string_view topic = NameOf(TopicOf(parked.row));
    items_.push_back({{"position", position}, {"reason", reason}, {"topic", topic}});
    if (session_.json) return;
    session_.console.PrintLine(
        fmt::format("{:<10}  dropped ({}); its record stays in {}", position, reason, topic));
  }

  void SayError(const Error& error) { worst_ = std::max(worst_, session_.console.SayError(error)); }

  Session& session_;
  const ParkedDropOptions& options_;
  const ShardReaders& readers_;
  std::map<Shard, std::unique_ptr<TableOperations>> tables_;  // of those something is dropped on
  Json items_ = Json::array();
  ExitCode worst_ = ExitCode::kFine;
};

}  // namespace

ExitCode RunParkedDrop(Session& session, const ParkedDropOptions& options) {
  const Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  return Dropping(session, options, *readers).Run();
}

}  // namespace fanfold
