// Whether topic, outbox and progress of a deciding lane fit together. Pure.
#pragma once

#include <optional>

#include "projector/runtime/lane.h"

namespace fanfold::projector {

// After the outcome topic has been read to its end: every event from lane.scan_offset, the first
// without an outcome there, up to where the lane's rows have ever come must have its outcome in the
// outbox rows. Returns kOutcomesTruncated when one has none, else nothing.
[[nodiscard]] std::optional<HaltReason> CheckOutbox(const Lane& lane) noexcept;

}  // namespace fanfold::projector
