// The projections there are, in one registry: what is known of each without knowing its fold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "common/base/registry.h"
#include "common/relation/direction.h"
#include "common/stream/slot.h"
#include "common/stream/stream.h"

namespace fanfold {

// The user whose rows a record moves, and so where the lanes of its partition are.
enum class RowsLive : std::uint8_t {
  kWithKey,   // those of its key's user, on that user's shard: one lane a partition
  kAnywhere,  // those of the other user it names, who may be anywhere: a lane a partition and shard
};

struct ProjectionEntry {
  std::string_view name;  // in tables, flags, metrics and groups: kept for ever
  Stream stream;
  RowsLive rows = RowsLive::kWithKey;
  bool decides = false;  // one of its generations decides what becomes of events
  // Names of a generation's tables without their `_gN`; "" where there are fewer.
  std::array<std::string_view, 2> tables = {};
};

// In the order in which lanes are locked and everything is listed.
inline constexpr std::array kProjections = {
    ProjectionEntry{.name = "following",
                    .stream = streams::kRelations,
                    .rows = RowsLive::kWithKey,
                    .decides = true,
                    .tables = {"following", "following_count"}},
    ProjectionEntry{.name = "fans",
                    .stream = streams::kRelations,
                    .rows = RowsLive::kAnywhere,
                    .decides = false,
                    .tables = {"fans", "fan_count"}},
    ProjectionEntry{.name = "profiles", .stream = streams::kUsers, .tables = {"profiles"}},
    ProjectionEntry{.name = "posts",
                    .stream = streams::kPosts,
                    .rows = RowsLive::kWithKey,
                    .decides = true,
                    .tables = {"posts"}},
    ProjectionEntry{.name = "feed", .stream = streams::kFeeds, .tables = {"shown"}},
};

class Projection : public Registered<Projection, kProjections> {
 public:
  [[nodiscard]] constexpr Stream stream() const noexcept { return entry().stream; }
  [[nodiscard]] constexpr bool decides() const noexcept { return entry().decides; }
  [[nodiscard]] constexpr RowsLive rows() const noexcept { return entry().rows; }
  [[nodiscard]] constexpr std::span<const std::string_view> tables() const noexcept {
    const auto& all = entry().tables;
    return std::span(all).first(all.size() - (all.back().empty() ? 1 : 0));
  }
  // Does a second table count each user's rows?
  [[nodiscard]] constexpr bool has_counts() const noexcept { return tables().size() > 1; }
  // The topic that a lane of it reads.
  [[nodiscard]] constexpr Topic ReadBy(bool deciding) const noexcept {
    return deciding ? stream().events() : stream().applied();
  }
  // Does this partition have a lane on this shard?
  [[nodiscard]] bool HasLane(Partition partition, Shard shard,
                             const Placement& placement) const noexcept {
    return LaneShard(partition, shard, placement) == shard;
  }
  // The shard whose lane of the partition writes the rows that are on `rows_on`, or would be.
  [[nodiscard]] Shard LaneShard(Partition partition, Shard rows_on,
                                const Placement& placement) const noexcept {
    return rows() == RowsLive::kAnywhere ? rows_on : placement.ShardOf(partition);
  }
  // How many lanes one generation has.
  [[nodiscard]] constexpr std::int32_t LaneCount(Shape shape) const noexcept {
    return rows() == RowsLive::kAnywhere ? shape.partitions * shape.shards : shape.partitions;
  }
  // The partitions that have a lane on this shard.
  [[nodiscard]] std::vector<Partition> PartitionsOn(Shard shard, const Placement& placement) const {
    std::vector<Partition> partitions;
    for (std::int32_t p = 0; p < placement.partitions(); ++p) {
      if (HasLane(Partition(p), shard, placement)) partitions.emplace_back(p);
    }
    return partitions;
  }
};

template <class Value>
using PerProjection = PerEntry<Projection, Value>;

[[nodiscard]] constexpr std::string_view ToString(Projection projection) noexcept {
  return projection.name();
}

// Who decides what becomes of the stream's events; nobody where it has no outcomes.
[[nodiscard]] constexpr std::optional<Projection> DeciderOf(Stream stream) noexcept {
  for (const Projection projection : Projection::All()) {
    if (projection.decides() && projection.stream() == stream) return projection;
  }
  return std::nullopt;
}

// To keep and to choose of.
[[nodiscard]] inline std::vector<Projection> AllProjections() {
  const auto all = Projection::All();
  return {all.begin(), all.end()};
}

// The two tables of edges.
namespace projections {
inline constexpr Projection kFollowing = Projection::Find("following").value();
inline constexpr Projection kFans = Projection::Find("fans").value();
}  // namespace projections

// The projection whose tables hold the lists of this direction.
[[nodiscard]] constexpr Projection ProjectionOf(Direction list) noexcept {
  return list == Direction::kFollowing ? projections::kFollowing : projections::kFans;
}
[[nodiscard]] constexpr bool HoldsLists(Projection projection) noexcept {
  return projection.stream() == streams::kRelations;
}
// Requires: HoldsLists.
[[nodiscard]] constexpr Direction ListsOf(Projection projection) noexcept {
  FANFOLD_CHECK(HoldsLists(projection), "no lists of this projection");
  return projection == projections::kFollowing ? Direction::kFollowing : Direction::kFans;
}

}  // namespace fanfold
