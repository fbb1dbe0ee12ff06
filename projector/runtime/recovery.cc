#include "projector/runtime/recovery.h"

#include <algorithm>

namespace fanfold::projector {

std::optional<HaltReason> CheckOutbox(const Lane& lane) noexcept {
  Offset covered = lane.scan_offset;
  for (const OutboxRow& row : lane.outbox) {
    if (row.next <= covered) continue;
    if (row.first > covered) return halt_reasons::kOutcomesTruncated;
    covered = row.next;
  }
  const Offset decided = std::max(lane.progress.event_offset, lane.folded_offset);
  if (covered < decided) return halt_reasons::kOutcomesTruncated;
  return std::nullopt;
}

}  // namespace fanfold::projector
