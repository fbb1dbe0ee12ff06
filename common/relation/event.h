// The events that upstream asks with, and the decision about each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"
#include "common/stream/trace.h"

namespace fanfold {

enum class EventType : std::uint8_t { kFollow = 1, kUnfollow = 2 };

// Asked by the subject of the edge, or by its object, who removes a fan.
enum class AskedBy : std::uint8_t { kSubject = 1, kObject = 2 };

struct Event {
  std::string event_id;  // empty where a foreign producer gave none
  EventType type = EventType::kFollow;
  UserId subject;
  UserId object;
  std::int64_t at_ms = 0;  // upstream's time; becomes the edge's since
  AskedBy by = AskedBy::kSubject;
  std::optional<Version> if_version;  // rejected when the edge's version is above it
  std::optional<Position> replay_of;  // the parked record this one appends again
  Trace trace;
  friend bool operator==(const Event&, const Event&) = default;
};

enum class OutcomeKind : std::uint8_t {
  kFollowed = 1,
  kUnfollowed = 2,
  kUnchanged = 3,
  kRejected = 4,
  kParked = 5,
};

enum class RejectReason : std::uint8_t {
  kSelfFollow = 1,
  kFollowLimit = 2,
  kSuperseded = 3,
  kUserDeleted = 4,
};

[[nodiscard]] std::string_view ToString(EventType type) noexcept;
[[nodiscard]] std::string_view ToString(AskedBy by) noexcept;
[[nodiscard]] std::string_view ToString(OutcomeKind kind) noexcept;
[[nodiscard]] std::string_view ToString(RejectReason reason) noexcept;
[[nodiscard]] std::optional<EventType> ParseEventType(std::string_view text) noexcept;
[[nodiscard]] std::optional<AskedBy> ParseAskedBy(std::string_view text) noexcept;
[[nodiscard]] std::optional<OutcomeKind> ParseOutcomeKind(std::string_view text) noexcept;
[[nodiscard]] std::optional<RejectReason> ParseRejectReason(std::string_view text) noexcept;

// Exactly one per record of the event topic. A parked record's has only position, reason and, where
// it could be read, the id.
struct Outcome {
  OutcomeKind kind = OutcomeKind::kUnchanged;
  Position position;     // of the event
  std::string event_id;  // empty where there is none
  UserId subject;
  UserId object;
  std::int64_t at_ms = 0;     // of the event
  std::int64_t since_ms = 0;  // of the edge; of an unfollowed one, the since that ended
  std::optional<RejectReason> rejected;
  std::optional<ParkReason> parked;
  Trace trace;             // of the event
  std::int64_t limit = 0;  // that a follow_limit is of; 0: not told
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Does it say that an edge was made or ended? Any other leaves every row as it is.
[[nodiscard]] constexpr bool MovesEdge(const Outcome& outcome) noexcept {
  return outcome.kind == OutcomeKind::kFollowed || outcome.kind == OutcomeKind::kUnfollowed;
}

}  // namespace fanfold
