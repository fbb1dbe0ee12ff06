#include "operations/parked/parked_drop.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "operations/parked/parked_rows.h"

namespace fanfold::operations {
namespace {

// Several generations of one projection may have parked the same record.
std::set<Projection> ProjectionsIn(const std::vector<ShardParked>& found) {
  std::set<Projection> projections;
  for (const ShardParked& parked : found) projections.insert(parked.row.lane.projection);
  return projections;
}

// What is to be dropped; where to find it.
Result<std::vector<ShardParked>> Meant(const ShardReaders& readers,
                                       std::optional<Projection> projection, Position position) {
  Result<std::vector<ShardParked>> found = FindParked(readers, projection, position);
  if (!found) return found;
  if (found->empty()) {
    return Fail(ErrorCode::kNotFound, "nothing is parked at " + ToString(position));
  }
  const std::set<Projection> projections = ProjectionsIn(*found);
  if (projections.size() > 1) {
    std::string names;
    for (const Projection one : projections) {
      names += (names.empty() ? "" : ", ") + std::string(ToString(one));
    }
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("records of {} are parked at {}: say whose with --projection", names,
                            ToString(position)));
  }
  return found;
}

class Dropping {
 public:
  Dropping(Context& context, const ParkedDropOptions& options, const ShardReaders& readers)
      : context_(context), options_(options), readers_(readers) {}

  std::vector<ParkedDropped> Run() {
    for (const Position position : options_.positions) {
      dropped_.emplace_back();
      DropAt(position);
    }
    if (options_.positions.empty()) DropAll();
    return std::move(dropped_);
  }

 private:
  void DropAt(Position position) {
    const auto rows = Meant(readers_, options_.projection, position);
    if (!rows) return Miss(rows.error());
    DropEach(*rows);
  }

  void DropAll() {
    for (const Projection projection : ProjectionsOf(options_.projection)) {
      dropped_.emplace_back();
      const auto rows = AllParked(readers_, projection, kDropsAtOnceMax, options_.reason);
      if (!rows) {
        dropped_.back().is_read = false;
        return Miss(rows.error());
      }
      DropEach(*rows);
      if (rows->size() >= kDropsAtOnceMax) dropped_.back().has_more = projection;
    }
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
      auto opened = context_.backend.OpenOperations(parked.shard);
      if (!opened) return Miss(opened.error());
      tables = *std::move(opened);
    }
    const LaneId& lane = parked.row.lane;
    const Status dropped = tables->DropParked(lane.projection, lane.partition, parked.row.offset);
    if (!dropped) return Miss(dropped.error());
    dropped_.back().rows.push_back(parked);
  }

  void Miss(const Error& error) { dropped_.back().failures.push_back(error); }

  Context& context_;
  const ParkedDropOptions& options_;
  const ShardReaders& readers_;
  std::map<Shard, std::unique_ptr<TableOperations>> tables_;  // of those something is dropped on
  std::vector<ParkedDropped> dropped_;
};

}  // namespace

Result<std::vector<ParkedDropped>> DropParked(Context& context, const ParkedDropOptions& options) {
  const Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return std::unexpected(readers.error());
  return Dropping(context, options, *readers).Run();
}

}  // namespace fanfold::operations
