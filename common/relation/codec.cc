#include "common/relation/codec.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/relation/canonical_form.h"
#include "common/relation/json_form.h"
#include "common/stream/outcome_head.h"

namespace fanfold {

void AppendEvent(std::string& out, const Event& event) {
  auto to = std::back_inserter(out);
  out += R"({"v":1,)";
  if (!event.event_id.empty()) {
    fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event.event_id);
  }
  fmt::format_to(to, FMT_COMPILE(R"("type":"{}","subject":"{}","object":"{}","at":{},"by":"{}")"),
                 ToString(event.type), event.subject.value, event.object.value, event.at_ms,
                 ToString(event.by));
  if (event.if_version) fmt::format_to(to, R"(,"if_version":{})", event.if_version->value);
  if (event.replay_of) fmt::format_to(to, R"(,"replay_of":"{}")", ToString(*event.replay_of));
  out.append(event.trace.fields()) += '}';
}

void AppendOutcome(std::string& out, const Outcome& outcome) {
  auto to = std::back_inserter(out);
  AppendOutcomeHead(out, outcome.position, outcome.event_id, ToString(outcome.kind));
  if (outcome.parked) {
    fmt::format_to(to, R"(,"reason":"{}"}})", ToString(*outcome.parked));
    return;
  }
  fmt::format_to(to, FMT_COMPILE(R"(,"subject":"{}","object":"{}","at":{})"), outcome.subject.value,
                 outcome.object.value, outcome.at_ms);
  if (outcome.rejected) {
    fmt::format_to(to, R"(,"reason":"{}")", ToString(*outcome.rejected));
    if (outcome.limit > 0) fmt::format_to(to, R"(,"limit":{})", outcome.limit);
  } else {
    fmt::format_to(to, FMT_COMPILE(R"(,"since":{})"), outcome.since_ms);
  }
  out.append(outcome.trace.fields()) += '}';
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
  if (std::optional<Event> event = EventFromCanonical(value)) return *std::move(event);
  return EventFromJson(value);
}

std::expected<Outcome, Unreadable> DecodeOutcome(std::string_view value) {
  if (std::optional<Outcome> outcome = OutcomeFromCanonical(value)) return *std::move(outcome);
  return OutcomeFromJson(value);
}

std::expected<Event, Unreadable> ReadEventRecord(std::optional<std::string_view> key,
                                                 std::optional<std::string_view> value,
                                                 Partition partition, std::int32_t partitions) {
  const auto there = ValueToDecode(key, value);
  if (!there) return std::unexpected(there.error());
  std::expected<Event, Unreadable> event = DecodeEvent(*there);
  if (!event) return event;
  auto placed = CheckPlace("subject", event->subject, key, partition, partitions);
  if (placed) return event;
  placed.error().event_id = std::move(event->event_id);
  return std::unexpected(std::move(placed.error()));
}

std::expected<Outcome, Unreadable> ReadOutcomeRecord(std::optional<std::string_view> value,
                                                     Partition partition) {
  if (!value) return CannotRead(ParkReason::kMalformed, "no value");
  std::expected<Outcome, Unreadable> outcome = DecodeOutcome(*value);
  if (outcome && outcome->position.partition != partition) {
    return CannotRead(
        ParkReason::kWrongPartition,
        fmt::format("position {} is of another partition", ToString(outcome->position)),
        outcome->event_id);
  }
  return outcome;
}

}  // namespace fanfold
