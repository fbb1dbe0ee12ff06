// Snapshots of tables whose lanes are not in the middle of folding again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/result.h"
#include "projector/audit/verifier.h"

namespace fanfold::projector {

inline constexpr std::int64_t kRewoundWaitMs = 60'000;
// For a lane without an owner: somebody may be about to take it.
inline constexpr std::int64_t kUnownedWaitMs = 5'000;

// How long a rewound lane is waited for: not at all when it stands still, for kUnownedWaitMs when
// no projector has it, else for kRewoundWaitMs.
[[nodiscard]] std::int64_t WaitForRewoundMs(const LaneStatus& lane) noexcept;

// In words: where a rewound lane stands. For an operator.
[[nodiscard]] std::string RewoundLane(const LaneStatus& lane);

// Opens a snapshot of the shard, waiting while lanes of these tables fold again what they were
// rewound by: until then the rows are those of no one position. Errors: the snapshot's; kTimeout,
// the pace said stop; kRefused, naming a lane that is not back after WaitForRewoundMs.
[[nodiscard]] Result<std::unique_ptr<TableSnapshot>> OpenSettled(
    const AuditPorts& ports, Shard shard, std::span<const Projection> projections,
    const ReadGenerations& generations);

}  // namespace fanfold::projector
