// An outcome's text, whatever its stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/ports/event_log.h"
#include "common/stream/stream.h"

namespace fanfold::operations {

struct ToldOutcome {
  struct Id {
    std::string_view name;  // "subject"
    std::uint64_t value = 0;
  };

  std::string event_id;     // empty where there is none
  std::string_view kind;    // "followed"
  std::string_view reason;  // of a rejected or a parked one; else empty
  std::array<Id, 2> of;     // the user who asked, then the other id; of a parked one nothing
};

// The kinds of outcomes that refuse nothing: neither rejected nor parked. Requires: the stream has
// outcomes.
[[nodiscard]] std::span<const std::string_view> TakenKinds(Stream stream);

// Requires: the stream has outcomes. Returns nothing for a record that cannot be read.
[[nodiscard]] std::optional<ToldOutcome> ReadTold(Stream stream, const LogRecord& record);

}  // namespace fanfold::operations
