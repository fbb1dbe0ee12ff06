#include "operations/erase/naming.h"

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"

namespace fanfold::operations {
namespace {

using Reading = bool (*)(std::string_view value, UserId user);

template <class Record>
bool IsOneOf(const Record& record, UserId user) {
  return record && (record->subject == user || record->object == user);
}

constexpr auto kReadings = [] {
  PerTopic<Reading> readings;
  readings[topics::kRelationEvents] = [](std::string_view value, UserId user) {
    return IsOneOf(DecodeEvent(value), user);
  };
  readings[topics::kRelationOutcomes] = [](std::string_view value, UserId user) {
    return IsOneOf(DecodeOutcome(value), user);
  };
  readings[topics::kUserEvents] = [](std::string_view value, UserId user) {
    const auto event = DecodeProfileEvent(value);
    return event && event->user == user;
  };
  return readings;
}();
static_assert(kReadings.IsComplete());

}  // namespace

bool Names(Topic topic, const LogRecord& record, UserId user) {
  if (record.key && *record.key == ToString(user)) return true;
  return record.value && kReadings[topic](*record.value, user);
}

std::string ValueInItsPlace(Topic topic, const LogRecord& record) {
  if (!topic.of_outcomes() || !record.value) return {};
  const auto outcome = DecodeOutcome(*record.value);
  if (!outcome) return {};
  Outcome parked;
  parked.kind = OutcomeKind::kParked;
  parked.position = outcome->position;
  parked.parked = ParkReason::kMalformed;
  return EncodeOutcome(parked);
}

}  // namespace fanfold::operations
