#include "common/relation/canonical_form.h"

#include "common/stream/canonical_scanner.h"
#include "common/stream/event_id.h"

namespace fanfold {

std::optional<Event> EventFromCanonical(std::string_view value) {
  Event event;
  CanonicalScanner scan(value);
  std::string_view id;
  std::string_view type;
  std::string_view subject;
  std::string_view object;
  std::string_view by;
  const bool canonical =
      scan.Literal(R"({"v":1,"event_id":")") && scan.StringBody(id) &&
      scan.Literal(R"(,"type":")") && scan.StringBody(type) && scan.Literal(R"(,"subject":")") &&
      scan.StringBody(subject) && scan.Literal(R"(,"object":")") && scan.StringBody(object) &&
      scan.Literal(R"(,"at":)") && scan.NonNegative(event.at_ms) && scan.Literal(R"(,"by":")") &&
      scan.StringBody(by) && event.trace.Scan(scan) && scan.Literal("}") && scan.AtEnd();
  if (!canonical || !IsEventId(id)) return std::nullopt;
  const std::optional<AskedBy> asked_by = ParseAskedBy(by);
  const std::optional<EventType> event_type = ParseEventType(type);
  const std::optional<UserId> subject_id = ParseUserId(subject);
  const std::optional<UserId> object_id = ParseUserId(object);
  if (!asked_by || !event_type || !subject_id || !object_id) return std::nullopt;
  event.event_id = id;
  event.type = *event_type;
  event.subject = *subject_id;
  event.object = *object_id;
  event.by = *asked_by;
  return event;
}

std::optional<Outcome> OutcomeFromCanonical(std::string_view value) {
  Outcome outcome;
  CanonicalScanner scan(value);
  std::string_view position;
  std::string_view id;
  std::string_view kind;
  std::string_view subject;
  std::string_view object;
  const bool canonical = scan.Literal(R"({"v":1,"position":")") && scan.StringBody(position) &&
                         scan.Literal(R"(,"event_id":")") && scan.StringBody(id) &&
                         scan.Literal(R"(,"outcome":")") && scan.StringBody(kind) &&
                         scan.Literal(R"(,"subject":")") && scan.StringBody(subject) &&
                         scan.Literal(R"(,"object":")") && scan.StringBody(object) &&
                         scan.Literal(R"(,"at":)") && scan.NonNegative(outcome.at_ms) &&
                         scan.Literal(R"(,"since":)") && scan.NonNegative(outcome.since_ms) &&
                         outcome.trace.Scan(scan) && scan.Literal("}") && scan.AtEnd();
  if (!canonical || !IsEventId(id)) return std::nullopt;
  const std::optional<Position> at = ParsePosition(position);
  const std::optional<OutcomeKind> outcome_kind = ParseOutcomeKind(kind);
  const std::optional<UserId> subject_id = ParseUserId(subject);
  const std::optional<UserId> object_id = ParseUserId(object);
  if (!at || !outcome_kind || !subject_id || !object_id) return std::nullopt;
  const bool has_reason =
      *outcome_kind == OutcomeKind::kRejected || *outcome_kind == OutcomeKind::kParked;
  if (has_reason) return std::nullopt;
  outcome.position = *at;
  outcome.event_id = id;
  outcome.kind = *outcome_kind;
  outcome.subject = *subject_id;
  outcome.object = *object_id;
  return outcome;
}

}  // namespace fanfold
