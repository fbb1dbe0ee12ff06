#pragma once

#include <cstdint>
#include <optional>

#include "common/relation/direction.h"
#include "common/relation/event.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

// An edge that an outcome made or ended.
struct EdgeMove {
  UserId subject;
  UserId object;
  std::int64_t since_ms = 0;
  Position position;  // of the event
  bool joins = false;

  // Nothing for an outcome that left every row as it was.
  [[nodiscard]] static std::optional<EdgeMove> Of(const Outcome& outcome);
};

// The user whose list a move is part of, and the one who joins or leaves it.
[[nodiscard]] constexpr UserId OwnerIn(Direction list, const EdgeMove& move) noexcept {
  return OwnerIn(list, move.subject, move.object);
}
[[nodiscard]] constexpr UserId OtherIn(Direction list, const EdgeMove& move) noexcept {
  return OtherIn(list, move.subject, move.object);
}

}  // namespace fanfold::reader
