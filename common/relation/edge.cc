#include "common/relation/edge.h"

#include <fmt/format.h>
#include <utility>

namespace fanfold {
namespace {

bool IsOfEnded(const Event& event, EndedOf ended) noexcept {
  const bool follows = event.type == EventType::kFollow;
  if (follows) return ended.subject || ended.object;
  return ended.subject && event.by == AskedBy::kSubject && !event.if_version;
}

std::optional<RejectReason> RejectionOf(const Edge& edge, EdgeCount following, const Event& event,
                                        FollowLimit limit, EndedOf ended) noexcept {
  if (const auto refused = RefuseAtOnce(event.subject, event.object)) return refused;
  if (IsOfEnded(event, ended)) return RejectReason::kUserDeleted;
  if (event.if_version && edge.version > *event.if_version) return RejectReason::kSuperseded;
  const bool adds = event.type == EventType::kFollow && !edge.active;
  const bool is_limited = limit.value > 0;
  if (adds && is_limited && following.value >= limit.value) return RejectReason::kFollowLimit;
  return std::nullopt;
}

}  // namespace

std::string Describe(const Edge& edge) {
  if (SaysNothing(edge)) return "no row";
  return fmt::format("{} since {} version {}", edge.active ? "active" : "inactive", edge.since_ms,
                     edge.version.value);
}

std::optional<RejectReason> RefuseAtOnce(UserId subject, UserId object) noexcept {
  if (subject == object) return RejectReason::kSelfFollow;
  return std::nullopt;
}

Outcome Decide(const Edge& edge, EdgeCount following, const Event& event, Position position,
               FollowLimit limit, EndedOf ended) {
  Outcome outcome;
  outcome.position = position;
  outcome.event_id = event.event_id;
  outcome.trace = event.trace;
  outcome.subject = event.subject;
  outcome.object = event.object;
  outcome.at_ms = event.at_ms;
  outcome.rejected = RejectionOf(edge, following, event, limit, ended);
  if (outcome.rejected) {
    outcome.kind = OutcomeKind::kRejected;
    if (outcome.rejected == RejectReason::kFollowLimit) outcome.limit = limit.value;
    return outcome;
  }
  const bool follows = event.type == EventType::kFollow;
  outcome.since_ms = edge.since_ms;
  if (follows == edge.active) {
    outcome.kind = OutcomeKind::kUnchanged;
  } else if (follows) {
    outcome.kind = OutcomeKind::kFollowed;
    outcome.since_ms = event.at_ms;
  } else {
    outcome.kind = OutcomeKind::kUnfollowed;
  }
  return outcome;
}

Outcome Park(Position position, ParkReason reason, std::string event_id) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kParked;
  outcome.position = position;
  outcome.event_id = std::move(event_id);
  outcome.parked = reason;
  return outcome;
}

EdgeChange Apply(const Edge& edge, const Outcome& outcome) noexcept {
  const bool follows = outcome.kind == OutcomeKind::kFollowed;
  const Version version(outcome.position.offset.value + 1);
  if (!MovesEdge(outcome) || version <= edge.version) return {edge, 0, false};
  const int delta = static_cast<int>(follows) - static_cast<int>(edge.active);
  return {Edge{follows, outcome.since_ms, version}, delta, true};
}

}  // namespace fanfold
