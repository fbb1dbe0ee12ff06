#include "operations/parked/parked_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fanfold::operations {

Topic TopicOf(const ParkedRow& row) noexcept {
  const Projection projection = row.lane.projection;
  return projection.ReadBy(projection.decides() && row.reason != ParkReason::kUnreadableOutcome);
}

Position PositionOf(const ParkedRow& row) noexcept { return {row.lane.partition, row.offset}; }

std::vector<Projection> ProjectionsOf(std::optional<Projection> projection) {
  if (projection) return {*projection};
  return AllProjections();
}

Result<std::vector<ShardParked>> FindParked(const ShardReaders& readers,
                                            std::optional<Projection> wanted, Position position) {
  std::vector<ShardParked> found;
  for (const Projection projection : ProjectionsOf(wanted)) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      auto row = readers[i]->ParkedAt(projection, position.partition, position.offset);
      if (!row) return Forward(row);
      std::optional<ParkedRow>& at_position = *row;
      if (!at_position) continue;
      found.push_back({Shard(static_cast<std::int32_t>(i)), std::move(*at_position)});
    }
  }
  return found;
}

Result<std::vector<ShardParked>> ParkedOn(const ShardReaders& readers, Shard shard,
                                          Projection projection, std::size_t rows_max,
                                          std::optional<ParkReason> reason) {
  ProjectionReader& reader = *readers[static_cast<std::size_t>(shard.value)];
  std::vector<ShardParked> all;
  std::optional<std::pair<Partition, Offset>> after;
  std::size_t page = ProjectionReader::kPageMax;
  while (page == ProjectionReader::kPageMax && all.size() < rows_max) {
    auto rows = reader.Parked(projection, after, ProjectionReader::kPageMax);
    if (!rows) return Forward(rows);
    page = rows->size();
    for (ParkedRow& row : *rows) {
      after = {row.lane.partition, row.offset};
      const bool asked = reason ? row.reason == *reason : row.reason != ParkReason::kErased;
      if (asked && all.size() < rows_max) all.push_back({shard, std::move(row)});
    }
  }
  return all;
}

Result<std::vector<ShardParked>> AllParked(const ShardReaders& readers, Projection projection,
                                           std::size_t rows_max, std::optional<ParkReason> reason) {
  std::vector<ShardParked> all;
  for (std::size_t i = 0; i < readers.size() && all.size() < rows_max; ++i) {
    auto rows = ParkedOn(readers, Shard(static_cast<std::int32_t>(i)), projection,
                         rows_max - all.size(), reason);
    if (!rows) return Forward(rows);
    std::ranges::move(*rows, std::back_inserter(all));
  }
  return all;
}

}  // namespace fanfold::operations
