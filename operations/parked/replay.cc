#include "operations/parked/replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/relation/codec.h"
#include "common/relation/edge.h"
#include "operations/base/text.h"

namespace fanfold::operations {
namespace {

std::string AdviceFor(ParkReason reason) {
  switch (reason) {
    case ParkReason::kFutureVersion:
    case ParkReason::kUnknownType:
      return "replay it with a build that knows it";
    case ParkReason::kMalformed:
    case ParkReason::kMissingField:
    case ParkReason::kInvalidField:
    case ParkReason::kInvalidId:
    case ParkReason::kTooLarge:
    case ParkReason::kKeyMismatch:
    case ParkReason::kWrongPartition:
    case ParkReason::kUnreadableOutcome:
    case ParkReason::kErased:
      break;
  }
  return "have it sent again by whoever sent it; `fanfold parked show` has its bytes";
}

EdgeKey EdgeOf(const Event& event) { return {event.subject, event.object}; }

// By the log: within a partition by offset, else by the times of append, equal ones included since
// nobody can tell which came first.
bool IsLater(Position position, std::int64_t appended_ms, const ReplayCandidate& than) {
  if (position.partition == than.parked.partition) return position.offset > than.parked.offset;
  return appended_ms >= than.appended_ms;
}

}  // namespace

std::expected<ReplayCandidate, CannotReplay> CandidateOf(const StoredRecord& record,
                                                         std::int32_t partitions) {
  std::expected<Event, Unreadable> event =
      record.value
          ? DecodeEvent(*record.value)
          : std::expected<Event, Unreadable>(CannotRead(ParkReason::kMalformed, "no value"));
  if (!event) {
    const Unreadable& why = event.error();
    return std::unexpected(
        CannotReplay{false, fmt::format("it cannot be read ({}: {}): {}", ToString(why.reason),
                                        Escaped(why.detail), AdviceFor(why.reason))});
  }
  if (RefuseAtOnce(event->subject, event->object)) {
    return std::unexpected(CannotReplay{
        true,
        fmt::format("{} cannot follow themselves: it would be rejected", event->subject.value)});
  }
  ReplayCandidate candidate;
  candidate.parked = record.position;
  candidate.appended_ms = record.appended_ms;
  candidate.home = PartitionOf(event->subject, partitions);
  candidate.event = std::move(*event);
  return candidate;
}

bool MayBeReplayed(Topic topic, ParkReason reason) {
  if (topic != topics::kRelationEvents) return false;
  switch (reason) {
    case ParkReason::kKeyMismatch:
    case ParkReason::kWrongPartition:
    case ParkReason::kFutureVersion:  // a build that knows it says so
    case ParkReason::kUnknownType:
      return true;
    case ParkReason::kMalformed:
    case ParkReason::kMissingField:
    case ParkReason::kInvalidField:
    case ParkReason::kInvalidId:
    case ParkReason::kTooLarge:
    case ParkReason::kUnreadableOutcome:
    case ParkReason::kErased:
      return false;
  }
  return false;
}

void CompareCandidates(std::span<ReplayCandidate> candidates) {
  // The newest comes last, so that of several with one edge all others are older than it.
  std::vector<ReplayCandidate*> by_age;
  for (ReplayCandidate& candidate : candidates) by_age.push_back(&candidate);
  std::ranges::stable_sort(by_age, [](const ReplayCandidate* a, const ReplayCandidate* b) {
    return std::pair(a->appended_ms, a->parked) < std::pair(b->appended_ms, b->parked);
  });
  std::map<EdgeKey, const ReplayCandidate*> newest;
  for (const ReplayCandidate* candidate : by_age) newest[EdgeOf(candidate->event)] = candidate;
  for (ReplayCandidate* candidate : by_age) {
    const ReplayCandidate* last = newest[EdgeOf(candidate->event)];
    if (last != candidate) candidate->later = last->parked;
  }
}

ReplayWatch::ReplayWatch(std::span<ReplayCandidate> candidates, Partition home) : home_(home) {
  for (ReplayCandidate& candidate : candidates) {
    if (candidate.home != home || !candidate.asked) continue;
    candidates_.push_back(&candidate);
    by_edge_[EdgeOf(candidate.event)].push_back(&candidate);
    by_position_[candidate.parked] = &candidate;
  }
}

Offset ReplayWatch::FirstOf(Offset begin) const {
  std::optional<Offset> first;
  for (const ReplayCandidate* candidate : candidates_) {
    const bool at_home = candidate->parked.partition == home_;
    const Offset from = at_home ? Next(candidate->parked.offset) : begin;
    first = std::min(first.value_or(from), from);
  }
  return std::max(first.value_or(begin), begin);
}

void ReplayWatch::See(const LogRecord& record) {
  if (!record.value) return;
  const auto event = DecodeEvent(*record.value);
  if (!event) return;
  const Position position{record.partition, record.offset};
  if (event->replay_of) {
    const auto replayed = by_position_.find(*event->replay_of);
    if (replayed != by_position_.end()) replayed->second->replayed_as = position;
  }
  const auto same_edge = by_edge_.find(EdgeOf(*event));
  if (same_edge == by_edge_.end()) return;
  for (ReplayCandidate* candidate : same_edge->second) {
    if (IsLater(position, record.appended_ms, *candidate)) candidate->later = position;
  }
}

std::optional<std::string> RefusalOf(const ReplayCandidate& candidate) {
  if (candidate.replayed_as) {
    return fmt::format("it was replayed already, as {}: `fanfold parked drop {}` forgets it",
                       ToString(*candidate.replayed_as), ToString(candidate.parked));
  }
  if (candidate.later) {
    return fmt::format(
        "{} → {} has a later event, {}, which it would undo: send the wanted one anew instead",
        candidate.event.subject.value, candidate.event.object.value, ToString(*candidate.later));
  }
  return std::nullopt;
}

Event ReplayOf(const ReplayCandidate& candidate, Offset end, std::string event_id) {
  Event event = candidate.event;
  event.event_id = std::move(event_id);
  const Version seen(end.value);
  event.if_version = event.if_version ? std::min(*event.if_version, seen) : seen;
  event.replay_of = candidate.parked;
  return event;
}

}  // namespace fanfold::operations
