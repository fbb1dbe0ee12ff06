// The two rules everything stands on: Decide says what becomes of an event, Apply moves an edge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/relation/event.h"
#include "common/stream/ids.h"

namespace fanfold {

// One row of the following or the fan table. Unfollow keeps the row: a lost version would let an
// old event resurrect the edge.
struct Edge {
  bool active = false;
  std::int64_t since_ms = 0;
  Version version;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// A row that no event has changed says the same as no row.
[[nodiscard]] constexpr bool SaysNothing(const Edge& edge) noexcept {
  return edge.version == Version(0) && !edge.active;
}

// "active since 20 version 3", "no row"
[[nodiscard]] std::string Describe(const Edge& edge);

// How many a user may follow.
// 0: none.
using FollowLimit = StrongInteger<struct FollowLimitTag, std::int64_t>;

// Says what is wrong with an event in any case: the writer refuses it, Decide rejects it.
[[nodiscard]] std::optional<RejectReason> RefuseAtOnce(UserId subject, UserId object) noexcept;

// The users whose account has ended, as far as the decider knows.
struct EndedOf {
  bool subject = false;
  bool object = false;
};

// Decides what becomes of the event at `position`. Pure and total; the only place a relation rule
// stands. Used by the deciding lane alone. Rejects everything that an ended account asks for, but
// an unfollow with if_version: so the account's end unfollows. Nobody follows an ended account.
[[nodiscard]] Outcome Decide(const Edge& edge, EdgeCount following, const Event& event,
                             Position position, FollowLimit limit, EndedOf ended = {});

// The outcome of a record that could not be decided.
[[nodiscard]] Outcome Park(Position position, ParkReason reason, std::string event_id);

struct EdgeChange {
  Edge edge;      // as it stands afterwards
  int delta = 0;  // what the count of active edges moves by: −1, 0, +1
  bool changed = false;
};

// Moves an edge by what was decided: every table, every generation. An outcome at or below the
// edge's version changes nothing, so any part of the topic may be replayed.
[[nodiscard]] EdgeChange Apply(const Edge& edge, const Outcome& outcome) noexcept;

}  // namespace fanfold
