// Whether topic, outbox and progress of a deciding lane fit together. Pure.
#pragma once

#include <optional>

#include "projector/runtime/lane.h"

namespace fanfold::projector {

// Asked when the outcome topic has been read to its end; it has no outcome of lane.scan_offset and
// later events. The outbox rows must hold the outcome of each event from there to the furthest that
// the rows have ever come. Returns kOutcomesTruncated when one is missing, else nothing.
[[nodiscard]] std::optional<HaltReason> CheckOutbox(const Lane& lane) noexcept;

}  // namespace fanfold::projector
