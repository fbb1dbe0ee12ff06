#include "common/relation/json_form.h"

#include <utility>

#include "common/stream/record_fields.h"

namespace fanfold {
namespace {

AskedBy ReadBy(RecordFields& fields) {
  if (!fields.Has("by")) return AskedBy::kSubject;
  const std::optional<AskedBy> by = ParseAskedBy(fields.Text("by"));
  if (!by) fields.Refuse(ParkReason::kInvalidField, "by is not subject or object");
  return by.value_or(AskedBy::kSubject);
}

std::expected<Event, Unreadable> ReadEvent(RecordFields& fields) {
  Event event;
  event.event_id = fields.EventId();
  const std::string type = fields.Text("type");
  if (!fields.ok()) return fields.Wrong();
  const std::optional<EventType> known = ParseEventType(type);
  if (!known) fields.Refuse(ParkReason::kUnknownType, "type is not follow or unfollow");
  event.type = known.value_or(EventType::kFollow);
  event.subject = fields.User("subject");
  event.object = fields.User("object");
  event.at_ms = fields.Number("at");
  event.by = ReadBy(fields);
  if (fields.Has("if_version")) event.if_version = Version(fields.Number("if_version"));
  if (fields.Has("replay_of")) event.replay_of = fields.PositionOf("replay_of");
  event.trace = TraceOf(fields);
  if (!fields.ok()) return fields.Wrong();
  return event;
}

template <class Reason>
std::optional<Reason> ReadReason(RecordFields& fields,
                                 std::optional<Reason> (*parse)(std::string_view)) {
  const std::string text = fields.Text("reason");
  const std::optional<Reason> reason = parse(text);
  if (!reason) fields.Refuse(ParkReason::kInvalidField, "reason is not one of this outcome");
  return reason;
}

std::expected<Outcome, Unreadable> ReadOutcome(RecordFields& fields) {
  Outcome outcome;
  outcome.position = fields.PositionOf("position").value_or(Position());
  outcome.event_id = fields.EventId();
  const std::string kind = fields.Text("outcome");
  if (!fields.ok()) return fields.Wrong();
  const std::optional<OutcomeKind> known = ParseOutcomeKind(kind);
  if (!known) {
    fields.Refuse(ParkReason::kUnknownType, "outcome is not one of the known");
    return fields.Wrong();
  }
  outcome.kind = *known;
  if (outcome.kind == OutcomeKind::kParked) {
    outcome.parked =
        ReadReason<ParkReason>(fields, [](std::string_view text) { return ParseParkReason(text); });
    return fields.ok() ? std::expected<Outcome, Unreadable>(std::move(outcome)) : fields.Wrong();
  }
  outcome.subject = fields.User("subject");
  outcome.object = fields.User("object");
  outcome.at_ms = fields.Number("at");
  if (outcome.kind == OutcomeKind::kRejected) {
    outcome.rejected = ReadReason<RejectReason>(
        fields, [](std::string_view text) { return ParseRejectReason(text); });
    if (fields.Has("limit")) outcome.limit = fields.Number("limit");
  } else {
    outcome.since_ms = fields.Number("since");
  }
  outcome.trace = TraceOf(fields);
  if (!fields.ok()) return fields.Wrong();
  return outcome;
}

}  // namespace

std::expected<Event, Unreadable> EventFromJson(std::string_view value) {
  std::expected<RecordFields, Unreadable> fields = RecordFields::Parse(value, kCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadEvent(*fields);
}

std::expected<Outcome, Unreadable> OutcomeFromJson(std::string_view value) {
  std::expected<RecordFields, Unreadable> fields = RecordFields::Parse(value, kCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadOutcome(*fields);
}

}  // namespace fanfold
