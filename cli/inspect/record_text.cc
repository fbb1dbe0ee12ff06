#include "cli/inspect/record_text.h"

#include <algorithm>
#include <expected>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/inspect/feed_text.h"
#include "cli/inspect/post_text.h"
#include "cli/inspect/profile_text.h"
#include "common/relation/codec.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

constexpr std::size_t kBytesShownMax = 200;

std::string Shown(std::optional<std::string_view> bytes) {
  if (!bytes) return "null";
  const bool whole = bytes->size() <= kBytesShownMax;
  return fmt::format("\"{}\"{}", operations::Escaped(bytes->substr(0, kBytesShownMax)),
                     whole ? "" : fmt::format("… ({} bytes)", bytes->size()));
}

std::string EventText(const Event& event) {
  std::string text = fmt::format("{:<10} {} → {}  at {}", ToString(event.type), event.subject.value,
                                 event.object.value, operations::IsoTime(event.at_ms));
  if (event.by == AskedBy::kObject) text += "  by the object";
  if (event.if_version) text += fmt::format("  if version ≤ {}", event.if_version->value);
  if (event.replay_of) text += "  replay of " + ToString(*event.replay_of);
  return text;
}

std::string OutcomeText(const Outcome& outcome) {
  std::string text = fmt::format("{:<10}", ToString(outcome.kind));
  if (outcome.parked) {
    text += fmt::format(" ({})", ToString(*outcome.parked));
  } else {
    text += fmt::format(" {} → {}", outcome.subject.value, outcome.object.value);
  }
  if (outcome.rejected) text += fmt::format("  ({})", ToString(*outcome.rejected));
  return text + "  event " + ToString(outcome.position);
}

std::string UnreadableText(const Unreadable& why, const LogRecord& record) {
  return fmt::format("unreadable ({}: {})  key {}  value {}", ToString(why.reason),
                     operations::Escaped(why.detail), Shown(record.key), Shown(record.value));
}

// Readers skip a byte order mark at the start; within a line it would be none.
std::string_view WithoutMark(std::string_view json) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return json.starts_with(kMark) ? json.substr(kMark.size()) : json;
}

using Said = std::expected<std::string, Unreadable>;

Said RelationEventText(const LogRecord& record, std::int32_t partitions) {
  const auto event = ReadEventRecord(record.key, record.value, record.partition, partitions);
  return event ? Said(EventText(*event)) : std::unexpected(event.error());
}

Said RelationOutcomeText(const LogRecord& record, std::int32_t /*partitions*/) {
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  return outcome ? Said(OutcomeText(*outcome)) : std::unexpected(outcome.error());
}

// What a record of the topic says.
using Reading = Said (*)(const LogRecord&, std::int32_t partitions);
constexpr auto kReadings = [] {
  PerTopic<Reading> readings;
  readings[topics::kRelationEvents] = RelationEventText;
  readings[topics::kRelationOutcomes] = RelationOutcomeText;
  readings[topics::kUserEvents] = ProfileRecordText;
  readings[topics::kPostEvents] = PostEventText;
  readings[topics::kPostOutcomes] = PostOutcomeText;
  readings[topics::kFeedEvents] = FeedRecordText;
  return readings;
}();
static_assert(kReadings.IsComplete());

}  // namespace

std::string RecordText(Topic topic, const LogRecord& record, std::int32_t partitions) {
  const Said said = kReadings[topic](record, partitions);
  return fmt::format("{}  {:<10}  {}", operations::IsoTime(record.appended_ms),
                     ToString(Position{record.partition, record.offset}),
                     said ? *said : UnreadableText(said.error(), record));
}

std::string RecordJson(Topic topic, const LogRecord& record, std::int32_t partitions) {
  using Json = nlohmann::json;
  const auto text = [](std::optional<std::string_view> bytes) {
    return bytes ? Json(operations::Escaped(*bytes)) : Json();
  };
  const Said said = kReadings[topic](record, partitions);
  const bool is_json = record.value && said;
  const std::string_view json = is_json ? WithoutMark(*record.value) : std::string_view();
  std::string line = fmt::format(
      R"({{"topic":"{}","position":"{}","appended_ms":{},"key":{},"value":{})", topic.name(),
      ToString(Position{record.partition, record.offset}), record.appended_ms,
      text(record.key).dump(), is_json ? std::string(json) : text(record.value).dump());
  if (!said) {
    const Json why = {{"reason", ToString(said.error().reason)},
                      {"detail", operations::Escaped(said.error().detail)}};
    line += R"(,"unreadable":)" + why.dump();
  }
  std::ranges::replace(line, '\n', ' ');  // a foreign producer's JSON may hold line ends
  return line + "}";
}

}  // namespace fanfold
