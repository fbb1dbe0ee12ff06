#include "operations/explain/edge_history.h"

#include <algorithm>
#include <utility>

#include "common/relation/codec.h"

namespace fanfold::operations {

EdgeHistory::EdgeHistory(UserId subject, UserId object, std::span<const Offset> stands)
    : subject_(subject),
      object_(object),
      stands_(stands.begin(), stands.end()),
      states_(stands.size()) {}

void EdgeHistory::AddEvent(const LogRecord& record) {
  auto event =
      record.value ? DecodeEvent(*record.value) : CannotRead(ParkReason::kMalformed, "no value");
  if (!event) {
    if (record.key && ParseUserId(*record.key) == subject_) ++unreadable_;
    return;
  }
  // One whose key is another's is parked, but it is the edge's all the same.
  if (!IsOurs(event->subject, event->object)) return;
  if (events_.size() == kEventsKeptMax) {
    events_.pop_front();
    ++left_out_;
  }
  events_.push_back(
      {{record.partition, record.offset}, record.appended_ms, std::move(*event), std::nullopt});
}

void EdgeHistory::AddOutcome(const LogRecord& record) {
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome) return;
  outcomes_end_ = std::max(outcomes_end_, Next(outcome->position.offset));
  Tell(*outcome);
  if (!IsOurs(outcome->subject, outcome->object)) return;
  for (std::size_t i = 0; i < stands_.size(); ++i) {
    if (outcome->position.offset < stands_[i]) states_[i] = Apply(states_[i], *outcome).edge;
  }
}

// A parked one names no users: its position says which event it is of.
void EdgeHistory::Tell(const Outcome& outcome) {
  const auto event = std::ranges::lower_bound(events_, outcome.position, {}, &EdgeEvent::position);
  if (event != events_.end() && event->position == outcome.position) event->outcome = outcome;
}

}  // namespace fanfold::operations
