#include "cli/parked/parked.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/base/text.h"
#include "operations/log/record_reader.h"
#include "operations/parked/parked_list.h"
#include "operations/parked/parked_rows.h"
#include "operations/parked/replay.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Json ToJson(const operations::ShardParked& parked) {
  const ParkedRow& row = parked.row;
  return {{"projection", ToString(row.lane.projection)},
          {"generation", row.lane.generation.value},
          {"shard", parked.shard.value},
          {"topic", operations::TopicOf(row).name()},
          {"position", ToString(operations::PositionOf(row))},
          {"reason", ToString(row.reason)},
          {"replayable", operations::MayBeReplayed(operations::TopicOf(row), row.reason)},
          {"detail", row.detail},
          {"event_id", row.event_id},
          {"key", operations::Escaped(row.key)},
          {"appended_ms", row.appended_ms}};
}

std::string ListText(const std::vector<operations::ShardParked>& all) {
  if (all.empty()) return "nothing is parked\n";
  TextTable table(
      {"PROJECTION", "SHARD", "TOPIC", "POSITION", "REASON", "WHEN", "EVENT ID", "DETAIL"});
  for (const operations::ShardParked& parked : all) {
    const ParkedRow& row = parked.row;
    table.Add({std::string(ToString(row.lane.projection)), std::to_string(parked.shard.value),
               std::string(operations::TopicOf(row).name()), ToString(operations::PositionOf(row)),
               std::string(ToString(row.reason)), operations::IsoTime(row.appended_ms),
               row.event_id.empty() ? "-" : row.event_id, operations::Escaped(row.detail)});
  }
  return table.Text();
}

std::string OrNull(const std::optional<std::string>& bytes) {
  return bytes ? fmt::format("\"{}\"", operations::Escaped(*bytes)) : "null";
}

std::string ShowText(const operations::ShardParked& parked,
                     const std::optional<operations::StoredRecord>& record) {
  const ParkedRow& row = parked.row;
  std::string text = fmt::format(
      "position    {} of {}\nprojection  {}, generation {}, shard {}\nreason      {}\n"
      "detail      {}\nevent id    {}\nappended    {}\n",
      ToString(operations::PositionOf(row)), operations::TopicOf(row).name(),
      ToString(row.lane.projection), row.lane.generation.value, parked.shard.value,
      ToString(row.reason), operations::Escaped(row.detail),
      row.event_id.empty() ? "-" : row.event_id, operations::IsoTime(row.appended_ms));
  if (!record) return text + "the record is not in the log any more\n";
  return text + fmt::format("key         {}\nvalue       {}\n", OrNull(record->key),
                            OrNull(record->value));
}

Json ShowJson(const operations::ShardParked& parked,
              const std::optional<operations::StoredRecord>& record) {
  Json json = ToJson(parked);
  if (!record) {
    json["record"] = nullptr;
    return json;
  }
  const auto bytes = [](const std::optional<std::string>& text) {
    return text ? Json(operations::Escaped(*text)) : Json();
  };
  json["record"] = {{"key", bytes(record->key)},
                    {"value", bytes(record->value)},
                    {"appended_ms", record->appended_ms}};
  return json;
}

}  // namespace

ExitCode RunParkedList(Session& session, const ParkedListOptions& options) {
  const Result<operations::ParkedPage> page =
      operations::FirstParked(session, options.projection, options.reason, options.limit);
  if (!page) return session.console.SayError(page.error());
  if (session.json) {
    Json items = Json::array();
    for (const operations::ShardParked& parked : page->rows) items.push_back(ToJson(parked));
    session.console.PrintLine(OneLine(Json{{"items", std::move(items)}, {"more", page->more}}));
  } else {
    session.console.Print(ListText(page->rows));
    if (page->more)
      session.console.Say(fmt::format("the first {} are shown; see --limit", options.limit));
  }
  session.console.Flush();
  return ExitCode::kFine;
}

ExitCode RunParkedShow(Session& session, const ParkedShowOptions& options) {
  const auto found = operations::ParkedWithRecords(session, options.projection, options.position);
  if (!found) return session.console.SayError(found.error());
  Json items = Json::array();
  for (const auto& [parked, record] : *found) {
    if (session.json) {
      items.push_back(ShowJson(parked, record));
    } else {
      session.console.Print(ShowText(parked, record));
    }
  }
  if (session.json) session.console.PrintLine(OneLine(Json{{"items", std::move(items)}}));
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
