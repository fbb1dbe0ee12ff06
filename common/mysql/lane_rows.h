// The progress table: names, columns and statements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/mysql/connection.h"
#include "common/ports/projection_store.h"

namespace fanfold::mysql {

inline constexpr std::size_t kOwnerBytesMax = 255;
inline constexpr std::size_t kStateReasonBytesMax = 512;

// The columns' enums hold the names that common/ports/lane.h gives, numbered as there.
void AppendName(std::string& sql, std::string_view name);
[[nodiscard]] ProjectionKind ProjectionNamed(std::string_view name);
[[nodiscard]] LaneRole RoleNamed(std::string_view name);
[[nodiscard]] LaneState StateNamed(std::string_view name);

struct LaneRow {
  LaneId lane;
  LaneToken token;
  LaneRole role = LaneRole::kApplies;
  LaneState state = LaneState::kRunning;
  std::string state_reason;
  std::string owner;
  LaneProgress progress;
  std::int64_t updated_ms = 0;
};

// What ReadLaneRow expects, in its order, from the table progress.
inline constexpr std::string_view kLaneColumns =
    "projection, generation, `partition`, owner_epoch, owner_nonce, role, state, state_reason, "
    "owner, next_offset, event_offset, outcome_offset, published_offset, last_digest, updated_ms";
[[nodiscard]] LaneRow ReadLaneRow(const Rows& rows);

// projection = … AND generation = … AND `partition` = …
void AppendLaneIs(std::string& sql, const LaneId& lane);
// The same of any of these lanes, in parentheses: points of the primary key.
void AppendLaneIsAnyOf(std::string& sql, std::span<const LaneId> lanes);

// SELECT of these lanes by key; `locking` is "" or " FOR UPDATE".
[[nodiscard]] std::string SelectLanes(std::span<const LaneId> lanes, std::string_view locking);
// Adds rows for lanes that have none.
[[nodiscard]] std::string InsertLanes(std::span<const LaneId> lanes, LaneRole role);
// Writes the tokens of `claimed` and the owner's name.
[[nodiscard]] std::string TakeLanes(std::span<const ClaimedLane> claimed, const std::string& owner);
// The compare-and-set of a batch. Matches as many rows as there are moves, or the batch is fenced.
// Requires: moves of one projection and generation, each partition once.
[[nodiscard]] std::string MoveLanes(std::span<const LaneMove> moves);
[[nodiscard]] std::string SetLaneState(const LaneId& lane, const LaneToken& token, LaneState state,
                                       std::string_view reason);
// Halts lanes whoever owns them.
[[nodiscard]] std::string HaltLanes(std::span<const LaneId> lanes, std::string_view reason);
[[nodiscard]] std::string ForgetOwner(std::span<const LaneClaim> lanes);

// Why the compare-and-set of this move does not match, in words; empty when it does.
[[nodiscard]] std::string WhyFenced(const LaneMove& move, const LaneRow* row);
[[nodiscard]] std::string Describe(const LaneId& lane);

}  // namespace fanfold::mysql
