#include "reader/response_json.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

#include "common/http/problem.h"
#include "common/relation/position.h"

namespace fanfold {
namespace {

// A rough size of one entry, so that a body is allocated once.
constexpr std::size_t kItemBytes = 80;

// Calls add(i) for each of n, with commas between.
template <class Add>
void Joined(std::string& json, std::size_t n, Add add) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i != 0) json += ',';
    add(i);
  }
}

void AddCounts(const UserCounts& counts, std::string& json) {
  fmt::format_to(std::back_inserter(json),
                 FMT_COMPILE(R"({{"user_id":"{}","following":{},"fans":{},"friends":{}}})"),
                 counts.user.value, counts.following, counts.fans, counts.friends);
}

void AddSuggestion(const Suggestion& suggestion, std::string& json) {
  const auto out = std::back_inserter(json);
  fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}","score":{},"via":[)"), suggestion.user.value,
                 suggestion.score);
  Joined(json, suggestion.via.size(), [&](std::size_t i) {
    fmt::format_to(out, FMT_COMPILE(R"("{}")"), suggestion.via[i].value);
  });
  json += "]}";
}

void AddLane(const LaneView& view, std::string& json) {
  const LaneStatus& status = view.status;
  const Offset applied = status.progress.event_offset;
  const Position last{status.lane.partition, Offset(applied.value - 1)};
  const std::string position = applied > Offset(0) ? '"' + ToString(last) + '"' : "null";
  fmt::format_to(
      std::back_inserter(json),
      R"({{"partition":{},"shard":{},"position":{},"end":{},"lag_events":{},"lag_ms":{},)"
      R"("state":"{}","reason":{},"owner":{},"role":"{}"}})",
      status.lane.partition.value, view.shard.value, position, view.end.value, view.lag.events,
      view.lag.ms, ToString(status.state), http::JsonQuoted(status.state_reason),
      http::JsonQuoted(status.owner), ToString(status.role));
}

void AddProjection(const ProjectionView& view, std::string& json) {
  fmt::format_to(std::back_inserter(json),
                 R"({{"projection":"{}","generation":{},"read":{},"state":"{}","lag_events":{},)"
                 R"("lag_ms":{},"positions":"{}","lanes":[)",
                 ToString(view.projection), view.generation.value, view.read, view.state,
                 view.lag.events, view.lag.ms, view.positions);
  Joined(json, view.lanes.size(), [&](std::size_t i) { AddLane(view.lanes[i], json); });
  json += "]}";
}

}  // namespace

std::string ToJson(const ListAnswer& answer) {
  std::string json;
  json.reserve((answer.items.size() + 1) * kItemBytes);
  json += R"({"items":[)";
  const auto out = std::back_inserter(json);
  Joined(json, answer.items.size(), [&](std::size_t i) {
    const ListedUser& item = answer.items[i];
    fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}","since":{})"), item.user.value,
                   item.since_ms);
    if (!answer.relations.empty()) {
      fmt::format_to(out, FMT_COMPILE(R"(,"relation":"{}")"), ToString(answer.relations[i]));
    }
    json += '}';
  });
  json += R"(],"next_cursor":)";
  json += answer.next ? '"' + EncodeCursor(*answer.next) + '"' : "null";
  json += '}';
  return json;
}

std::string ToJson(const UserCounts& counts) {
  std::string json;
  AddCounts(counts, json);
  return json;
}

std::string ToJson(std::span<const UserCounts> counts) {
  std::string json = R"({"items":[)";
  json.reserve((counts.size() + 1) * kItemBytes);
  Joined(json, counts.size(), [&](std::size_t i) { AddCounts(counts[i], json); });
  json += "]}";
  return json;
}

std::string ToJson(const RelationsAnswer& answer) {
  std::string json;
  json.reserve((answer.targets.size() + 1) * kItemBytes);
  const auto out = std::back_inserter(json);
  fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}","items":[)"), answer.user.value);
  Joined(json, answer.targets.size(), [&](std::size_t i) {
    fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}","relation":"{}"}})"),
                   answer.targets[i].value, ToString(answer.relations[i]));
  });
  json += "]}";
  return json;
}

std::string ToJson(std::span<const Suggestion> suggestions) {
  std::string json = R"({"items":[)";
  json.reserve((suggestions.size() + 1) * kItemBytes);
  Joined(json, suggestions.size(), [&](std::size_t i) { AddSuggestion(suggestions[i], json); });
  json += "]}";
  return json;
}

std::string ToNdjson(std::span<const ListedUser> listed) {
  std::string lines;
  lines.reserve(listed.size() * kItemBytes);
  const auto out = std::back_inserter(lines);
  for (const ListedUser& entry : listed) {
    fmt::format_to(out, FMT_COMPILE("{{\"user_id\":\"{}\",\"since\":{}}}\n"), entry.user.value,
                   entry.since_ms);
  }
  return lines;
}

std::string ToJson(std::span<const ProjectionView> projections) {
  std::string json = R"({"projections":[)";
  Joined(json, projections.size(), [&](std::size_t i) { AddProjection(projections[i], json); });
  json += "]}";
  return json;
}

}  // namespace fanfold
