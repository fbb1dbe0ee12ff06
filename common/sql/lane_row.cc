#include "common/sql/lane_row.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "common/sql/failure.h"
#include "common/sql/sql_text.h"

namespace fanfold {
namespace {

Failure UnknownName(std::string_view name) {
  return {ErrorCode::kRefused,
          fmt::format("the tables hold '{}', which this build does not know", name)};
}

template <class Kind, std::size_t kNumber>
Kind Named(std::string_view name, const std::array<Kind, kNumber>& kinds) {
  for (const Kind kind : kinds) {
    if (ToString(kind) == name) return kind;
  }
  throw UnknownName(name);
}

template <class Registered>
std::string IsOneOf(std::string_view column) {
  std::string names;
  for (const Registered one : Registered::All()) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", one.name());
  }
  return fmt::format("{} IN ({})", column, names);
}

const LaneRow* Find(std::span<const LaneRow> rows, const LaneId& lane) {
  const auto found = std::ranges::find(rows, lane, &LaneRow::lane);
  return found == rows.end() ? nullptr : &*found;
}

// Empty when the row matches.
std::string WhyFenced(const LaneMove& move, const LaneRow* row) {
  if (row == nullptr) return "has no progress row";
  if (row->fence != move.fence) {
    return fmt::format("is owned by '{}' at epoch {}, not {}", row->owner, row->fence.epoch,
                       move.fence.epoch);
  }
  if (row->state != LaneState::kRunning) {
    return fmt::format("is {}: {}", ToString(row->state), row->state_reason);
  }
  if (row->deciding != move.deciding) return fmt::format("{} now", RoleText(row->deciding));
  if (row->progress.next_offset != move.from_next_offset) {
    return fmt::format("is at offset {}, not {}", row->progress.next_offset.value,
                       move.from_next_offset.value);
  }
  return "";
}

}  // namespace

std::string OfKnownProjections() { return IsOneOf<Projection>("projection"); }
std::string OfKnownLanes() { return OfKnownProjections() + " AND " + IsOneOf<Stream>("stream"); }

Projection ProjectionNamed(std::string_view name) { return Named(name, Projection::All()); }

Projection ProjectionRepaired(std::string_view name) {
  return Projection::Find(name).value_or(projections::kFollowing);
}

Stream StreamNamed(std::string_view name) {
  if (const auto stream = Stream::Find(name)) return *stream;
  throw UnknownName(name);
}

bool DecidingNamed(std::string_view name) {
  if (name == RoleText(kDeciding)) return kDeciding;
  if (name == RoleText(kApplying)) return kApplying;
  throw UnknownName(name);
}

LaneState StateNamed(std::string_view name) {
  return Named(name, std::array{LaneState::kRunning, LaneState::kPaused, LaneState::kHalted});
}

std::uint64_t LastDigest(const LaneProgress& progress, bool deciding) noexcept {
  const RecordMark& mark = deciding ? progress.event_mark : progress.applied_mark;
  return Next(mark.offset) == progress.next_offset ? mark.digest : 0;
}

std::string WhyFenced(std::span<const LaneMove> moves, std::span<const LaneRow> now) {
  std::string why;
  for (const LaneMove& move : moves) {
    const std::string reason = WhyFenced(move, Find(now, move.lane));
    if (reason.empty()) continue;
    why += fmt::format("{}lane {} {}", why.empty() ? "" : "; ", Describe(move.lane), reason);
  }
  return why.empty() ? "a lane moved meanwhile" : why;
}

std::string NoLane(const LaneId& lane) {
  return fmt::format("there is no lane {} here: nobody has taken it yet", Describe(lane));
}

std::vector<FenceState> FenceStatesIn(std::span<const LaneRow> now, std::span<const LaneFence> held,
                                      std::string_view owner) {
  const std::string name = PrintableAscii(owner, kOwnerBytesMax);
  std::vector<FenceState> states;
  for (const LaneFence& one : held) {
    const LaneRow* row = Find(now, one.lane);
    const bool stands = row != nullptr && row->progress.next_offset ==
                                              one.next_offset.value_or(row->progress.next_offset);
    if (stands && row->fence == one.fence) {
      states.push_back(FenceState::kHeld);
    } else {
      const bool bumped = row != nullptr && row->owner == name;
      states.push_back(bumped ? FenceState::kBumped : FenceState::kTakenOver);
    }
  }
  return states;
}

}  // namespace fanfold
