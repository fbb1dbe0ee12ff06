#include "operations/erase/naming.h"

#include "common/feed/feed_event.h"
#include "common/post/post_row.h"
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
  readings[topics::kPostEvents] = [](std::string_view value, UserId user) {
    const auto event = DecodePostEvent(value);
    return event && event->author == user;
  };
  readings[topics::kPostOutcomes] = [](std::string_view value, UserId user) {
    const auto outcome = DecodePostOutcome(value);
    return outcome && outcome->author == user;
  };
  readings[topics::kFeedEvents] = [](std::string_view value, UserId user) {
    const auto event = DecodeFeedEvent(value);
    return event && (event->owner == user || event->author == user);
  };
  return readings;
}();
static_assert(kReadings.IsComplete());

using Placeholder = std::string (*)(std::string_view value);

// Of an event: it is parked as what was erased.
std::string Nothing(std::string_view /*value*/) { return {}; }

// Outcomes stay dense: that event was parked.
std::string ParkedOutcome(std::string_view value) {
  const auto outcome = DecodeOutcome(value);
  if (!outcome) return {};
  Outcome parked;
  parked.kind = OutcomeKind::kParked;
  parked.position = outcome->position;
  parked.parked = ParkReason::kErased;
  return EncodeOutcome(parked);
}

std::string ParkedPostOutcome(std::string_view value) {
  const auto outcome = DecodePostOutcome(value);
  return outcome ? EncodePostOutcome(ParkPost(outcome->position, ParkReason::kErased, {}))
                 : std::string();
}

constexpr auto kPlaceholders = [] {
  PerTopic<Placeholder> placeholders;
  placeholders[topics::kRelationEvents] = Nothing;
  placeholders[topics::kRelationOutcomes] = ParkedOutcome;
  placeholders[topics::kUserEvents] = Nothing;
  placeholders[topics::kPostEvents] = Nothing;
  placeholders[topics::kPostOutcomes] = ParkedPostOutcome;
  placeholders[topics::kFeedEvents] = Nothing;
  return placeholders;
}();
static_assert(kPlaceholders.IsComplete());

}  // namespace

bool Names(Topic topic, const LogRecord& record, UserId user) {
  if (record.key && *record.key == ToString(user)) return true;
  return record.value && kReadings[topic](*record.value, user);
}

std::string ValueInItsPlace(Topic topic, const LogRecord& record) {
  return record.value ? kPlaceholders[topic](*record.value) : std::string();
}

}  // namespace fanfold::operations
