// The writer's requests and their answers, without HTTP.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "common/relation/event.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "common/stream/stream.h"
#include "common/stream/trace.h"

namespace fanfold::writer {

// An event that is not yet in the log.
struct Command {
  EventType type = EventType::kFollow;
  AskedBy by = AskedBy::kSubject;
  UserId subject;
  UserId object;
  std::optional<std::int64_t> at_ms;                 // absent: the time of the append
  std::optional<Version> if_version = std::nullopt;  // superseded if below the edge's version
  std::optional<Position> replay_of = std::nullopt;  // the parked record that is appended again
  std::string event_id = {};                         // empty: the writer draws one
  Trace trace = {};                                  // of its request
  friend bool operator==(const Command&, const Command&) = default;
};

// Why a command was not done; answers.h maps each to one problem code.
enum class RefusalCode : std::uint8_t {
  kInvalidArgument,
  kUnknownParameter,
  kForbidden,  // the principal may not ask for it
  kSelfFollow,
  kFollowLimit,
  kSuperseded,
  kUserDeleted,
  kBatchTooLarge,
  kLogUnavailable,  // not known to be in the log: the same request again is safe
  kOverloaded,      // a named limit is full, nothing was taken
  kParked,          // in the log, but the projector could not decide it: a bug between the two
};

// An event that the log has.
struct Logged {
  std::string event_id;
  Position position;
  Stream stream = streams::kRelations;
  friend bool operator==(const Logged&, const Logged&) = default;
};

struct Refusal {
  RefusalCode code = RefusalCode::kInvalidArgument;
  std::string detail;
  std::optional<Logged> logged;  // of an event that was logged and then rejected
};

struct Accepted {
  Logged logged;
  std::optional<OutcomeKind> outcome;  // absent: nobody waited for it, or the time ran out
};

using Answer = std::expected<Accepted, Refusal>;
using ParsedCommand = std::expected<Command, Refusal>;

[[nodiscard]] inline std::unexpected<Refusal> Refuse(RefusalCode code, std::string detail) {
  return std::unexpected<Refusal>(Refusal{code, std::move(detail), std::nullopt});
}

}  // namespace fanfold::writer
