// Streams whose outcomes are published without a part that stands in the event already: the
// decider's outbox has them whole, the topic cut, and whoever applies reads them joined with the
// events (applied_reader.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/stream/position.h"
#include "common/stream/stream.h"

namespace fanfold {

// Functions of one stream's outcomes, as its decider writes them; all pure. Cut and joined with its
// event, a value is what it was, byte for byte.
struct OutcomeCut {
  // As it is published.
  std::string (*cut)(std::string_view whole);
  // The event that a published one has to be joined with; nothing where it is whole.
  std::optional<Position> (*lacks)(std::string_view published);
  // Whole again, by that event; as it is where the event is not the one it is of: it cannot be
  // read then by whoever applies.
  std::string (*join)(std::string_view published, std::string_view event);
};

// Null where outcomes are published whole, or nothing is decided.
[[nodiscard]] const OutcomeCut* CutOf(Stream stream) noexcept;

}  // namespace fanfold
