#include "common/relation/codec.h"

#include <algorithm>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/relation/canonical_scanner.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBySubject = "subject";
constexpr std::string_view kByObject = "object";

std::string_view NameOf(AskedBy by) noexcept {
  return by == AskedBy::kObject ? kByObject : kBySubject;
}

bool IsEventId(std::string_view text) noexcept {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\'; });
  return plain && !text.empty() && text.size() <= kEventIdBytesMax;
}

std::unexpected<Unreadable> Because(ParkReason reason, std::string detail) {
  return std::unexpected<Unreadable>(Unreadable{reason, std::move(detail), {}});
}

// The short path: the text AppendEvent writes for an event with an id and no conditions.
bool ScanEvent(std::string_view value, Event& event) {
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
      scan.StringBody(by) && scan.Literal("}") && scan.AtEnd();
  if (!canonical || !IsEventId(id) || (by != kBySubject && by != kByObject)) return false;
  const std::optional<EventType> event_type = ParseEventType(type);
  const std::optional<UserId> subject_id = ParseUserId(subject);
  const std::optional<UserId> object_id = ParseUserId(object);
  if (!event_type || !subject_id || !object_id) return false;
  event.event_id = id;
  event.type = *event_type;
  event.subject = *subject_id;
  event.object = *object_id;
  event.by = by == kByObject ? AskedBy::kObject : AskedBy::kSubject;
  return true;
}

// The short path of outcomes: those that name an edge and its since.
bool ScanOutcome(std::string_view value, Outcome& outcome) {
  CanonicalScanner scan(value);
  std::string_view position;
  std::string_view id;
  std::string_view kind;
  std::string_view subject;
  std::string_view object;
  const bool canonical =
      scan.Literal(R"({"v":1,"position":")") && scan.StringBody(position) &&
      scan.Literal(R"(,"event_id":")") && scan.StringBody(id) && scan.Literal(R"(,"outcome":")") &&
      scan.StringBody(kind) && scan.Literal(R"(,"subject":")") && scan.StringBody(subject) &&
      scan.Literal(R"(,"object":")") && scan.StringBody(object) && scan.Literal(R"(,"at":)") &&
      scan.NonNegative(outcome.at_ms) && scan.Literal(R"(,"since":)") &&
      scan.NonNegative(outcome.since_ms) && scan.Literal("}") && scan.AtEnd();
  if (!canonical || !IsEventId(id)) return false;
  const std::optional<Position> at = ParsePosition(position);
  const std::optional<OutcomeKind> outcome_kind = ParseOutcomeKind(kind);
  const std::optional<UserId> subject_id = ParseUserId(subject);
  const std::optional<UserId> object_id = ParseUserId(object);
  if (!at || !outcome_kind || !subject_id || !object_id) return false;
  const bool has_reason =
      *outcome_kind == OutcomeKind::kRejected || *outcome_kind == OutcomeKind::kParked;
  if (has_reason) return false;
  outcome.position = *at;
  outcome.event_id = id;
  outcome.kind = *outcome_kind;
  outcome.subject = *subject_id;
  outcome.object = *object_id;
  return true;
}

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
    return Because(ParkReason::kTooLarge,
                   fmt::format("{} bytes, at most {}", value.size(), kRecordBytesMax));
  }
  // The parser takes a NUL for the end of the text and would not look at what stands behind it.
  if (value.contains('\0')) return Because(ParkReason::kMalformed, "a NUL byte");
  Json document = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Because(ParkReason::kMalformed, "not a JSON object");
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
  const std::string by = fields.Text("by");
  if (by == kByObject) return AskedBy::kObject;
  if (by != kBySubject) fields.Refuse(ParkReason::kInvalidField, "by is not subject or object");
  return AskedBy::kSubject;
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

void AppendEvent(std::string& out, const Event& event) {
  auto to = std::back_inserter(out);
  out += R"({"v":1,)";
  if (!event.event_id.empty()) {
    fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event.event_id);
  }
  fmt::format_to(to, FMT_COMPILE(R"("type":"{}","subject":"{}","object":"{}","at":{},"by":"{}")"),
                 ToString(event.type), event.subject.value, event.object.value, event.at_ms,
                 NameOf(event.by));
  if (event.if_version) fmt::format_to(to, R"(,"if_version":{})", event.if_version->value);
  if (event.replay_of) fmt::format_to(to, R"(,"replay_of":"{}")", ToString(*event.replay_of));
  out += '}';
}

void AppendOutcome(std::string& out, const Outcome& outcome) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, FMT_COMPILE(R"({{"v":1,"position":"{}:{}",)"),
                 outcome.position.partition.value, outcome.position.offset.value);
  if (!outcome.event_id.empty()) {
    fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), outcome.event_id);
  }
  fmt::format_to(to, FMT_COMPILE(R"("outcome":"{}")"), ToString(outcome.kind));
  if (outcome.parked) {
    fmt::format_to(to, R"(,"reason":"{}"}})", ToString(*outcome.parked));
    return;
  }
  fmt::format_to(to, FMT_COMPILE(R"(,"subject":"{}","object":"{}","at":{})"), outcome.subject.value,
                 outcome.object.value, outcome.at_ms);
  if (outcome.rejected) {
    fmt::format_to(to, R"(,"reason":"{}"}})", ToString(*outcome.rejected));
  } else {
    fmt::format_to(to, FMT_COMPILE(R"(,"since":{}}})"), outcome.since_ms);
  }
}

std::string EncodeEvent(const Event& event) {
  std::string out;
  AppendEvent(out, event);
  return out;
}

std::string EncodeOutcome(const Outcome& outcome) {
  std::string out;
  AppendOutcome(out, outcome);
  return out;
}

std::expected<Event, Unreadable> DecodeEvent(std::string_view value) {
  Event event;
  if (ScanEvent(value, event)) return event;
  std::expected<Json, Unreadable> document = ParseRecord(value);
  if (!document) return std::unexpected(std::move(document.error()));
  FieldReader fields(*document);
  return ReadEvent(fields);
}

std::expected<Outcome, Unreadable> DecodeOutcome(std::string_view value) {
  Outcome outcome;
  if (ScanOutcome(value, outcome)) return outcome;
  std::expected<Json, Unreadable> document = ParseRecord(value);
  if (!document) return std::unexpected(std::move(document.error()));
  FieldReader fields(*document);
  return ReadOutcome(fields);
}

std::expected<Event, Unreadable> ReadEventRecord(std::optional<std::string_view> key,
                                                 std::optional<std::string_view> value,
                                                 Partition partition, const Placement& placement) {
  if (!value) return Because(ParkReason::kMalformed, "no value");
  std::expected<Event, Unreadable> event = DecodeEvent(*value);
  if (!event) return event;
  if (!key || ParseUserId(*key) != event->subject) {
    Unreadable wrong{ParkReason::kKeyMismatch, "the key is not the subject", event->event_id};
    return std::unexpected(std::move(wrong));
  }
  const Partition home = placement.PartitionOf(event->subject);
  if (home != partition) {
    return std::unexpected(Unreadable{
        ParkReason::kWrongPartition,
        fmt::format("subject {} belongs in partition {}", event->subject.value, home.value),
        event->event_id});
  }
  return event;
}

std::expected<Outcome, Unreadable> ReadOutcomeRecord(std::optional<std::string_view> value,
                                                     Partition partition) {
  if (!value) return Because(ParkReason::kMalformed, "no value");
  std::expected<Outcome, Unreadable> outcome = DecodeOutcome(*value);
  if (outcome && outcome->position.partition != partition) {
    return std::unexpected(
        Unreadable{ParkReason::kWrongPartition,
                   fmt::format("position {} is of another partition", ToString(outcome->position)),
                   outcome->event_id});
  }
  return outcome;
}

}  // namespace fanfold
