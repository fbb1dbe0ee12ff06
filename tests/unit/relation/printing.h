// How the domain's values read in a test's output.
#pragma once

#include <ostream>

#include "common/relation/codec.h"
#include "common/relation/cursor.h"
#include "common/relation/edge.h"
#include "common/relation/event.h"
#include "common/relation/relation.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "tests/unit/stream/unreadable_printing.h"

namespace fanfold {

template <class Tag, class Integer>
std::ostream& operator<<(std::ostream& out, const StrongInteger<Tag, Integer>& number) {
  return out << number.value;
}
inline std::ostream& operator<<(std::ostream& out, const Position& position) {
  return out << ToString(position);
}
inline std::ostream& operator<<(std::ostream& out, EventType type) { return out << ToString(type); }
inline std::ostream& operator<<(std::ostream& out, OutcomeKind kind) {
  return out << ToString(kind);
}
inline std::ostream& operator<<(std::ostream& out, RejectReason reason) {
  return out << ToString(reason);
}
inline std::ostream& operator<<(std::ostream& out, ParkReason reason) {
  return out << ToString(reason);
}
inline std::ostream& operator<<(std::ostream& out, Relation relation) {
  return out << ToString(relation);
}
inline std::ostream& operator<<(std::ostream& out, const Event& event) {
  return out << EncodeEvent(event);
}
inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << EncodeOutcome(outcome);
}
inline std::ostream& operator<<(std::ostream& out, const Edge& edge) {
  return out << (edge.active ? "active" : "inactive") << " since " << edge.since_ms << " version "
             << edge.version;
}
inline std::ostream& operator<<(std::ostream& out, const ListedUser& listed) {
  return out << listed.user << " since " << listed.since_ms;
}

}  // namespace fanfold
