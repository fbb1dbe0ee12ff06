#include "projector/audit/settled_snapshot.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/base/pause.h"

namespace fanfold::projector {
namespace {

constexpr std::int64_t kLookAgainMs = 100;

}  // namespace

std::string RewoundLane(const LaneStatus& lane) {
  const bool unowned = lane.state == LaneState::kRunning && lane.owner.empty();
  return fmt::format("{}/{} was rewound: it is {} at {}, its rows are of {}",
                     ToString(lane.lane.projection), lane.lane.partition.value,
                     unowned ? "without a projector" : ToString(lane.state),
                     lane.progress.event_offset.value, lane.folded_offset.value);
}

std::int64_t WaitForRewoundMs(const LaneStatus& lane) noexcept {
  if (lane.state != LaneState::kRunning) return 0;
  return lane.owner.empty() ? kUnownedWaitMs : kRewoundWaitMs;
}

Result<std::unique_ptr<TableSnapshot>> OpenSettled(const AuditPorts& ports, Shard shard,
                                                   std::span<const Projection> projections,
                                                   const ReadGenerations& generations) {
  std::int64_t looks = 0;
  std::int64_t looks_unowned = 0;  // in a row
  while (true) {
    Result<std::unique_ptr<TableSnapshot>> snapshot = ports.open_snapshot(shard);
    if (!snapshot) return snapshot;
    const Result<std::vector<LaneStatus>> lanes = (*snapshot)->Lanes();
    if (!lanes) return std::unexpected(lanes.error());
    const auto rewound = std::ranges::find_if(*lanes, [&](const LaneStatus& status) {
      const LaneId& lane = status.lane;
      const bool asked = std::ranges::find(projections, lane.projection) != projections.end();
      return asked && IsRewound(status) && lane.generation == generations[lane.projection];
    });
    if (rewound == lanes->end()) return snapshot;
    const bool unowned = rewound->owner.empty();
    looks_unowned = unowned ? looks_unowned + 1 : 0;
    ++looks;
    if ((unowned ? looks_unowned : looks) * kLookAgainMs > WaitForRewoundMs(*rewound)) {
      return Fail(ErrorCode::kRefused, RewoundLane(*rewound));
    }
    snapshot->reset();
    if (!ports.pace.Read(0)) return Fail(ErrorCode::kTimeout, "stopped");
    PauseUnlessStopped(kLookAgainMs, {});
  }
}

}  // namespace fanfold::projector
