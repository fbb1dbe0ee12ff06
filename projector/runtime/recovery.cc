#include "projector/runtime/recovery.h"

namespace fanfold {

std::optional<HaltReason> CheckOutbox(const Lane& lane) noexcept {
  Offset covered = lane.scan_offset;
  for (const OutboxRow& row : lane.outbox) {
    if (row.next <= covered) continue;
    if (row.first > covered) return HaltReason::kOutcomesTruncated;
    covered = row.next;
  }
  if (covered < lane.progress.event_offset) return HaltReason::kOutcomesTruncated;
  return std::nullopt;
}

}  // namespace fanfold
