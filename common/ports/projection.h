// The projections there are, in one registry: what is known of each without knowing its fold.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "common/relation/direction.h"
#include "common/relation/slot.h"

namespace fanfold {

// Where a record's rows are, which is where the lanes of its partition are.
enum class RowsLive : std::uint8_t {
  kWithKey,   // on the shard of the record's key: one lane a partition
  kAnywhere,  // a lane a partition on every shard
};

struct ProjectionTraits {
  std::string_view name;  // in tables, flags, metrics and groups: kept for ever
  RowsLive rows = RowsLive::kWithKey;
  bool decides = false;  // one of its generations decides what becomes of events
};

// In the order in which lanes are locked and everything is listed.
inline constexpr std::array kProjections = {
    ProjectionTraits{.name = "following", .rows = RowsLive::kWithKey, .decides = true},
    ProjectionTraits{.name = "fans", .rows = RowsLive::kAnywhere, .decides = false},
};

// A registered projection: its place in the registry. Text stands for it at the borders alone.
class Projection {
 public:
  // The registry's first.
  constexpr Projection() noexcept = default;

  // Nothing when no projection is called so.
  [[nodiscard]] static constexpr std::optional<Projection> Find(std::string_view name) noexcept {
    for (std::size_t i = 0; i < kProjections.size(); ++i) {
      if (kProjections[i].name == name) return Projection(i);
    }
    return std::nullopt;
  }
  [[nodiscard]] static constexpr std::array<Projection, kProjections.size()> All() noexcept {
    std::array<Projection, kProjections.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = Projection(i);
    return all;
  }

  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return traits().name; }
  [[nodiscard]] constexpr bool decides() const noexcept { return traits().decides; }
  [[nodiscard]] constexpr RowsLive rows() const noexcept { return traits().rows; }
  // Does this partition have a lane on this shard?
  [[nodiscard]] bool HasLane(Partition partition, Shard shard,
                             const Placement& placement) const noexcept {
    return rows() == RowsLive::kAnywhere || placement.ShardOf(partition) == shard;
  }

  friend constexpr auto operator<=>(const Projection&, const Projection&) noexcept = default;

 private:
  explicit constexpr Projection(std::size_t index) noexcept
      : index_(static_cast<std::uint8_t>(index)) {}
  [[nodiscard]] constexpr const ProjectionTraits& traits() const noexcept {
    return kProjections[index_];
  }

  std::uint8_t index_ = 0;
};

[[nodiscard]] constexpr std::string_view ToString(Projection projection) noexcept {
  return projection.name();
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

// Whose tables hold the lists of this direction.
[[nodiscard]] constexpr Projection ProjectionOf(Direction list) noexcept {
  return list == Direction::kFollowing ? projections::kFollowing : projections::kFans;
}
// Requires: a projection of edges.
[[nodiscard]] constexpr Direction ListsOf(Projection projection) noexcept {
  FANFOLD_CHECK(projection == projections::kFollowing || projection == projections::kFans,
                "no lists of this projection");
  return projection == projections::kFollowing ? Direction::kFollowing : Direction::kFans;
}

}  // namespace fanfold
