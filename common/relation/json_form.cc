#include "common/relation/json_form.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace fanfold {
namespace {

using Json = nlohmann::json;

// Reads the fields of one JSON object and keeps the first thing that is wrong with them.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {}

  [[nodiscard]] bool ok() const noexcept { return !wrong_; }
  // What is wrong, with the record's id: whoever waits for a parked record is told by it.
  [[nodiscard]] std::unexpected<Unreadable> Wrong() {
    wrong_->event_id = ReadableEventId();
    return std::unexpected(std::move(*wrong_));
  }

  void Refuse(ParkReason reason, std::string detail) {
    if (!wrong_) wrong_ = Unreadable{reason, std::move(detail), {}};
  }

  [[nodiscard]] const Json* Find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string Text(const char* name) {
    const Json* field = Need(name);
    if (field == nullptr) return {};
    if (!field->is_string()) {
      Refuse(ParkReason::kInvalidField, fmt::format("{} is not a string", name));
      return {};
    }
    return field->get<std::string>();
  }

  [[nodiscard]] std::int64_t Number(const char* name) {
    const Json* field = Need(name);
    if (field == nullptr) return 0;
    const bool fits = field->is_number_unsigned() && field->get<std::uint64_t>() <= kUserIdMax;
    if (!fits) {
      Refuse(ParkReason::kInvalidField, fmt::format("{} is not an integer 0 … 2^63-1", name));
      return 0;
    }
    return field->get<std::int64_t>();
  }

  [[nodiscard]] UserId User(const char* name) {
    const std::string text = Text(name);
    if (!ok()) return {};
    const std::optional<UserId> user = ParseUserId(text);
    if (!user) Refuse(ParkReason::kInvalidId, fmt::format("{} is not a user id", name));
    return user.value_or(UserId());
  }

  // Empty when the field is absent.
  [[nodiscard]] std::string EventId() {
    if (Find("event_id") == nullptr) return {};
    std::string id = Text("event_id");
    if (ok() && !IsEventId(id)) {
      Refuse(ParkReason::kInvalidField, "event_id is not 1 … 64 printable characters");
    }
    return ok() ? id : std::string();
  }

  [[nodiscard]] std::optional<Position> PositionOf(const char* name) {
    const std::string text = Text(name);
    if (!ok()) return std::nullopt;
    const std::optional<Position> position = ParsePosition(text);
    if (!position) Refuse(ParkReason::kInvalidField, fmt::format("{} is not a position", name));
    return position;
  }

 private:
  const Json* Need(const char* name) {
    const Json* field = Find(name);
    if (field == nullptr) Refuse(ParkReason::kMissingField, fmt::format("{} is missing", name));
    return field;
  }

  [[nodiscard]] std::string ReadableEventId() const {
    const Json* field = Find("event_id");
    if (field == nullptr || !field->is_string()) return {};
    std::string id = field->get<std::string>();
    return IsEventId(id) ? id : std::string();
  }

  const Json& object_;
  std::optional<Unreadable> wrong_;
};

// The document, if it is an object of a version this build reads.
std::expected<Json, Unreadable> ParseRecord(std::string_view value) {
  if (value.size() > kRecordBytesMax) {
    return CannotRead(ParkReason::kTooLarge,
                      fmt::format("{} bytes, at most {}", value.size(), kRecordBytesMax));
  }
  // The parser takes a NUL for the end of the text and would not look at what stands behind it.
  if (value.contains('\0')) return CannotRead(ParkReason::kMalformed, "a NUL byte");
  Json document = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return CannotRead(ParkReason::kMalformed, "not a JSON object");
  FieldReader fields(document);
  const std::int64_t version = fields.Number("v");
  if (version > kCodecVersion) {
    fields.Refuse(ParkReason::kFutureVersion,
                  fmt::format("v is {}, this build reads up to {}", version, kCodecVersion));
  }
  if (version < 1) fields.Refuse(ParkReason::kInvalidField, "v is not 1 or above");
  if (!fields.ok()) return fields.Wrong();
  return document;
}

AskedBy ReadBy(FieldReader& fields) {
  if (fields.Find("by") == nullptr) return AskedBy::kSubject;
  const std::optional<AskedBy> by = ParseAskedBy(fields.Text("by"));
  if (!by) fields.Refuse(ParkReason::kInvalidField, "by is not subject or object");
  return by.value_or(AskedBy::kSubject);
}

std::expected<Event, Unreadable> ReadEvent(FieldReader& fields) {
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
  if (fields.Find("if_version") != nullptr) event.if_version = Version(fields.Number("if_version"));
  if (fields.Find("replay_of") != nullptr) event.replay_of = fields.PositionOf("replay_of");
  if (!fields.ok()) return fields.Wrong();
  return event;
}

template <class Reason>
std::optional<Reason> ReadReason(FieldReader& fields,
                                 std::optional<Reason> (*parse)(std::string_view)) {
  const std::string text = fields.Text("reason");
  const std::optional<Reason> reason = parse(text);
  if (!reason) fields.Refuse(ParkReason::kInvalidField, "reason is not one of this outcome");
  return reason;
}

std::expected<Outcome, Unreadable> ReadOutcome(FieldReader& fields) {
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
  } else {
    outcome.since_ms = fields.Number("since");
  }
  if (!fields.ok()) return fields.Wrong();
  return outcome;
}

}  // namespace

std::expected<Event, Unreadable> EventFromJson(std::string_view value) {
  std::expected<Json, Unreadable> document = ParseRecord(value);
  if (!document) return std::unexpected(std::move(document.error()));
  FieldReader fields(*document);
  return ReadEvent(fields);
}

std::expected<Outcome, Unreadable> OutcomeFromJson(std::string_view value) {
  std::expected<Json, Unreadable> document = ParseRecord(value);
  if (!document) return std::unexpected(std::move(document.error()));
  FieldReader fields(*document);
  return ReadOutcome(fields);
}

}  // namespace fanfold
