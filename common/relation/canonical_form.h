// The short path of decoding: text that is exactly as AppendEvent and AppendOutcome write it.
// Inside common/relation only: codec.h is what others use.
#pragma once

#include <optional>
#include <string_view>

#include "common/relation/event.h"

namespace fanfold {

// Reads an event with an id and no conditions. Nothing: it may still be an event, as any JSON.
[[nodiscard]] std::optional<Event> EventFromCanonical(std::string_view value);

// Reads an outcome that names an edge and its since. Nothing: it may still be one, as any JSON.
[[nodiscard]] std::optional<Outcome> OutcomeFromCanonical(std::string_view value);

}  // namespace fanfold
