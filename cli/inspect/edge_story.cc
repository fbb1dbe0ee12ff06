#include "cli/inspect/edge_story.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::optional<std::string_view> ReasonOf(const Outcome& outcome) {
  if (outcome.rejected) return ToString(*outcome.rejected);
  if (outcome.parked) return ToString(*outcome.parked);
  return std::nullopt;
}

std::string OutcomeText(const std::optional<Outcome>& outcome) {
  if (!outcome) return "not decided yet";
  const auto reason = ReasonOf(*outcome);
  const std::string_view kind = ToString(outcome->kind);
  return reason ? fmt::format("{} ({})", kind, *reason) : std::string(kind);
}

std::string NoteText(const Event& event) {
  std::string note;
  if (event.replay_of) note += "replay of " + ToString(*event.replay_of);
  if (event.if_version) {
    note += fmt::format("{}if version <= {}", note.empty() ? "" : ", ", event.if_version->value);
  }
  const auto name = [&note](std::string_view what, std::string_view value) {
    if (!value.empty()) note += fmt::format("{}{} {}", note.empty() ? "" : ", ", what, value);
  };
  name("request", event.trace.request_id());
  name("traceparent", event.trace.traceparent());
  return note.empty() ? "-" : note;
}

template <class Events>
std::string EventsText(const Events& events) {
  TextTable table({"POSITION", "APPENDED", "EVENT", "AT", "BY", "OUTCOME", "EVENT ID", "NOTE"});
  for (const operations::EdgeEvent& told : events) {
    const Event& event = told.event;
    table.Add({ToString(told.position), operations::IsoTime(told.appended_ms),
               std::string(ToString(event.type)), operations::IsoTime(event.at_ms),
               std::string(ToString(event.by)), OutcomeText(told.outcome),
               event.event_id.empty() ? "-" : event.event_id, NoteText(event)});
  }
  return table.Text();
}

std::string StraysText(const operations::StrayEvents& strays) {
  std::string text;
  if (!strays.events.empty()) {
    text += "\nparked in partitions where they do not belong:\n" + EventsText(strays.events) +
            "  do: `fanfold parked replay` appends one again where it belongs\n";
  }
  if (!strays.all) {
    text +=
        "\nnot all that is parked was looked at, some may be of this edge: `fanfold parked list`\n";
  }
  return text;
}

std::string LaneText(const operations::EdgeTable& table, const operations::EdgeStory& story) {
  if (!table.view.position) return "no lane yet";
  std::string text = fmt::format("{} of {}, {}", table.view.position->value, story.events_end.value,
                                 ToString(table.state));
  if (!table.state_reason.empty())
    text += fmt::format(" ({})", operations::Escaped(table.state_reason));
  return text;
}

std::string TablesText(const operations::EdgeStory& story) {
  TextTable table({"TABLE", "GEN", "USER", "SHARD", "ACTIVE", "SINCE", "VERSION", "COUNT", "LANE"});
  for (const operations::EdgeTable& of : story.tables) {
    const std::optional<Edge>& edge = of.view.edge;
    table.Add({std::string(ToString(of.projection)), std::to_string(of.generation.value),
               ToString(of.user), std::to_string(of.shard.value),
               edge ? (edge->active ? "yes" : "no") : "no row",
               edge ? operations::IsoTime(edge->since_ms) : "-",
               edge ? std::to_string(edge->version.value) : "-",
               std::to_string(of.view.count.value), LaneText(of, story)});
  }
  return table.Text();
}

std::string ToldText(const Edge& told) {
  if (told.version == Version(0)) return "no row";
  return fmt::format("{}, since {}, version {}", told.active ? "active" : "inactive",
                     operations::IsoTime(told.since_ms), told.version.value);
}

std::string VerdictText(const operations::EdgeTable& of, const operations::EdgeStory& story) {
  switch (of.verdict) {
    case operations::RowVerdict::kAgrees:
      return "";
    case operations::RowVerdict::kDiffers:
      return fmt::format(
          "{}: the row is not what the outcomes below {} say, which is: {}.\n"
          "  do: `fanfold verify` finds every such row, `fanfold repair` mends them\n",
          ToString(of.projection),
          ToString(Position{story.partition, of.view.position.value_or(Offset(0))}),
          ToldText(of.told));
    case operations::RowVerdict::kNotJudged:
      break;
  }
  if (!of.view.position) return "";
  if (of.view.rewound) {
    return fmt::format("{}: the row is not judged: its lane was rewound and is not back yet\n",
                       ToString(of.projection));
  }
  return fmt::format("{}: the row is not judged: the log does not show every outcome below {}\n",
                     ToString(of.projection),
                     ToString(Position{story.partition, *of.view.position}));
}

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json EventJson(const operations::EdgeEvent& told) {
  const Event& event = told.event;
  Json json = {{"position", ToString(told.position)},
               {"appended_ms", told.appended_ms},
               {"type", ToString(event.type)},
               {"at", event.at_ms},
               {"by", ToString(event.by)},
               {"event_id", event.event_id},
               {"request_id", TextOrNull(event.trace.request_id())},
               {"traceparent", TextOrNull(event.trace.traceparent())},
               {"replay_of", event.replay_of ? Json(ToString(*event.replay_of)) : Json()},
               {"if_version", event.if_version ? Json(event.if_version->value) : Json()},
               {"outcome", nullptr},
               {"reason", nullptr}};
  if (!told.outcome) return json;
  json["outcome"] = ToString(told.outcome->kind);
  if (const auto reason = ReasonOf(*told.outcome)) json["reason"] = *reason;
  return json;
}

Json EdgeJson(const Edge& edge) {
  if (edge.version == Version(0)) return nullptr;
  return {{"active", edge.active}, {"since", edge.since_ms}, {"version", edge.version.value}};
}

Json TableJson(const operations::EdgeTable& of, const operations::EdgeStory& story) {
  Json lane;
  if (of.view.position) {
    lane = {{"position", of.view.position->value},
            {"end", story.events_end.value},
            {"state", ToString(of.state)},
            {"reason", operations::Escaped(of.state_reason)}};
  }
  return {{"projection", ToString(of.projection)},
          {"generation", of.generation.value},
          {"shard", of.shard.value},
          {"user_id", ToString(of.user)},
          {"row", EdgeJson(of.view.edge.value_or(Edge()))},
          {"count", of.view.count.value},
          {"lane", std::move(lane)},
          {"verdict", NameOf(of.verdict)},
          {"told", of.verdict == operations::RowVerdict::kNotJudged ? Json() : EdgeJson(of.told)}};
}

}  // namespace

std::string_view NameOf(operations::RowVerdict verdict) noexcept {
  switch (verdict) {
    case operations::RowVerdict::kAgrees:
      return "agrees";
    case operations::RowVerdict::kDiffers:
      return "differs";
    case operations::RowVerdict::kNotJudged:
      return "not_judged";
  }
  return "not_judged";
}

std::string StoryText(const operations::EdgeStory& story) {
  std::string text = fmt::format("{} → {}, events in partition {}\n\n", story.subject.value,
                                 story.object.value, story.partition.value);
  text += story.events.empty() ? "no event of it is in the partition\n" : EventsText(story.events);
  if (story.left_out > 0) {
    text += fmt::format("{} older ones are not shown\n", story.left_out);
  }
  if (story.events_begin > Offset(0)) {
    text += fmt::format("the log begins at {}: what was before is gone\n",
                        ToString(Position{story.partition, story.events_begin}));
  }
  if (story.unreadable > 0) {
    text += fmt::format(
        "{} records with the key {} cannot be read, of whatever edge: `fanfold parked list`\n",
        story.unreadable, story.subject.value);
  }
  text += StraysText(story.strays);
  text += '\n' + TablesText(story);
  for (const operations::EdgeTable& table : story.tables) text += VerdictText(table, story);
  return text;
}

std::string StoryJson(const operations::EdgeStory& story) {
  Json events = Json::array();
  for (const operations::EdgeEvent& event : story.events) events.push_back(EventJson(event));
  Json strays = Json::array();
  for (const operations::EdgeEvent& event : story.strays.events) strays.push_back(EventJson(event));
  Json tables = Json::array();
  for (const operations::EdgeTable& table : story.tables) tables.push_back(TableJson(table, story));
  const Json json = {
      {"subject", ToString(story.subject)}, {"object", ToString(story.object)},
      {"partition", story.partition.value}, {"events", std::move(events)},
      {"events_left_out", story.left_out},  {"events_begin", story.events_begin.value},
      {"unreadable", story.unreadable},     {"strays", std::move(strays)},
      {"strays_are_all", story.strays.all}, {"rows", std::move(tables)}};
  return OneLine(json);
}

}  // namespace fanfold
