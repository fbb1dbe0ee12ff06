// A row of the table progress, and what the adapters say and decide about it without a database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ports/lane.h"
#include "common/ports/lane_store.h"

namespace fanfold {

inline constexpr std::size_t kOwnerBytesMax = 255;
inline constexpr std::size_t kStateReasonBytesMax = 512;

struct LaneRow {
  LaneId lane;
  Fence fence;
  bool deciding = kApplying;
  LaneState state = LaneState::kRunning;
  std::string state_reason;
  std::string owner;
  LaneProgress progress;
  std::int64_t updated_ms = 0;
  Offset folded_offset;
};

// The names that the registries and common/ports/lane.h give. Throws Failure, kRefused, for any
// other.
[[nodiscard]] Projection ProjectionNamed(std::string_view name);
// The projection of a repair. A name that this build does not know counts as `following`: at worst
// a reader fetches a user anew without need.
[[nodiscard]] Projection ProjectionRepaired(std::string_view name);
[[nodiscard]] Stream StreamNamed(std::string_view name);
[[nodiscard]] bool DecidingNamed(std::string_view name);
[[nodiscard]] LaneState StateNamed(std::string_view name);

// Conditions on rows that a build may find beside its own: those of a projection or a stream that a
// later one has added are none of its business.
[[nodiscard]] std::string OfKnownProjections();
[[nodiscard]] std::string OfKnownLanes();

// The columns of ReadLaneRow, in its order.
inline constexpr std::string_view kLaneColumns =
    "projection, generation, `partition`, owner_epoch, owner_nonce, role, state, state_reason, "
    "owner, next_offset, event_offset, outcome_offset, published_offset, updated_ms, "
    "folded_offset, "
    "stream, event_mark, event_digest, applied_mark, applied_digest";
inline constexpr int kLaneColumnCount = 20;

// From the current row of an adapter's answer.
template <class Rows>
[[nodiscard]] LaneRow ReadLaneRow(const Rows& rows) {
  LaneRow row;
  row.lane = {ProjectionNamed(rows.Text(0)), Generation(rows.I32(1)), Partition(rows.I32(2)),
              StreamNamed(rows.Text(15))};
  row.fence = {rows.U64(3), rows.U64(4)};
  row.deciding = DecidingNamed(rows.Text(5));
  row.state = StateNamed(rows.Text(6));
  row.state_reason = rows.Text(7);
  row.owner = rows.Text(8);
  row.progress = {Offset(rows.I64(9)),
                  Offset(rows.I64(10)),
                  Offset(rows.I64(11)),
                  Offset(rows.I64(12)),
                  {Offset(rows.I64(16)), rows.U64(17)},
                  {Offset(rows.I64(18)), rows.U64(19)}};
  row.updated_ms = rows.I64(13);
  row.folded_offset = Offset(rows.I64(14));
  return row;
}

// The digest of the record before next_offset, or 0: what the column last_digest says to builds of
// before the marks.
[[nodiscard]] std::uint64_t LastDigest(const LaneProgress& progress, bool deciding) noexcept;

template <class Item>
[[nodiscard]] std::vector<LaneId> LanesOf(std::span<const Item> items) {
  std::vector<LaneId> lanes;
  for (const Item& item : items) lanes.push_back(item.lane);
  return lanes;
}

// The message to an operator who names a lane that has no row.
[[nodiscard]] std::string NoLane(const LaneId& lane);

// Why the compare-and-set of these moves did not match, in words, from the rows as they are now.
[[nodiscard]] std::string WhyFenced(std::span<const LaneMove> moves, std::span<const LaneRow> now);

// How each fence that `owner` held stands in the rows as they are now.
[[nodiscard]] std::vector<FenceState> FenceStatesIn(std::span<const LaneRow> now,
                                                    std::span<const LaneFence> held,
                                                    std::string_view owner);

}  // namespace fanfold
