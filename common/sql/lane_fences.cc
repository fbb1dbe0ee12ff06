#include "common/sql/lane_fences.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/logging.h"
#include "common/base/random.h"
#include "common/sql/failure.h"

namespace fanfold {

std::vector<LaneId> SortedUnique(std::span<const LaneId> lanes) {
  std::vector<LaneId> sorted(lanes.begin(), lanes.end());
  std::ranges::sort(sorted);
  const auto repeats = std::ranges::unique(sorted);
  sorted.erase(repeats.begin(), repeats.end());
  return sorted;
}

std::vector<std::span<const LaneId>> OfEachProjection(std::span<const LaneId> sorted) {
  std::vector<std::span<const LaneId>> each;
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::find_if(from, sorted.end(), [&](const LaneId& lane) {
      return lane.projection != from->projection;
    });
    each.emplace_back(from, to);
    from = to;
  }
  return each;
}

std::vector<LaneId> WithoutRow(std::span<const LaneId> asked, std::span<const LaneRow> rows) {
  std::vector<LaneId> missing;
  for (const LaneId& lane : asked) {
    if (std::ranges::find(rows, lane, &LaneRow::lane) == rows.end()) missing.push_back(lane);
  }
  return missing;
}

std::vector<TakenLane> TakenOver(std::span<const LaneId> asked, std::span<LaneRow> rows) {
  if (rows.size() != asked.size()) {
    throw Failure(ErrorCode::kConflict, "a lane went away while it was taken");
  }
  std::vector<TakenLane> taken;
  for (LaneRow& row : rows) {
    taken.push_back({row.lane,
                     {row.fence.epoch + 1, RandomBits()},
                     row.deciding,
                     row.state,
                     std::move(row.state_reason),
                     row.progress,
                     {},
                     row.folded_offset});
  }
  return taken;
}

std::map<Projection, std::vector<LaneId>> DecidingLanes(std::span<const LaneId> lanes) {
  std::map<Projection, std::vector<LaneId>> deciding;
  for (const LaneId& lane : lanes) {
    if (lane.projection.decides()) deciding[lane.projection].push_back(lane);
  }
  return deciding;
}

std::vector<LaneId> DecidedByAnother(std::span<const LaneId> made,
                                     std::span<const LaneRow> deciders) {
  std::vector<LaneId> decided;
  std::ranges::copy_if(made, std::back_inserter(decided), [deciders](const LaneId& lane) {
    return std::ranges::any_of(deciders, [&lane](const LaneRow& other) {
      return other.lane.projection == lane.projection && other.lane.partition == lane.partition;
    });
  });
  return decided;
}

std::vector<LaneId> SharingDeciders(std::span<const LaneRow> deciders) {
  std::vector<LaneId> sharing;
  for (const LaneRow& row : deciders) {
    const auto of_partition = std::ranges::count_if(deciders, [&row](const LaneRow& other) {
      return other.lane.partition == row.lane.partition;
    });
    if (of_partition > 1 && row.state != LaneState::kHalted) sharing.push_back(row.lane);
  }
  return sharing;
}

void SayTwoDeciders(std::span<const LaneId> halted, std::span<TakenLane> taken) {
  for (const LaneId& lane : halted) {
    LogError("lane halted",
             {{"lane", Describe(lane)}, {"reason", halt_reasons::kTwoDeciders.name()}});
    const auto ours = std::ranges::find(taken, lane, &TakenLane::lane);
    if (ours == taken.end()) continue;
    ours->state = LaneState::kHalted;
    ours->state_reason = halt_reasons::kTwoDeciders.name();
  }
}

void GiveOutboxRow(std::span<TakenLane> lanes, const LaneId& lane, OutboxRow row) {
  const auto owner = std::ranges::find(lanes, lane, &TakenLane::lane);
  if (owner != lanes.end()) owner->outbox.push_back(std::move(row));
}

}  // namespace fanfold
