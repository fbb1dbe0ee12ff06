#include "cli/parked.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/display.h"
#include "cli/parked_rows.h"
#include "cli/record_reader.h"
#include "cli/record_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

auto OrderOf(const ShardParked& parked) {
  return std::tuple(parked.row.lane.projection, parked.row.lane.partition, parked.row.offset,
                    parked.row.lane.generation, parked.shard);
}

Result<std::vector<ShardParked>> ReadParked(const ShardReaders& readers,
                                            const ParkedListOptions& options) {
  std::vector<ShardParked> all;
  for (const Projection projection : ProjectionsOf(options.projection)) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      auto rows = readers[i]->Parked(projection, std::nullopt, options.limit);
      if (!rows) return Forward(rows);
      for (ParkedRow& row : *rows) {
        all.push_back({Shard(static_cast<std::int32_t>(i)), std::move(row)});
      }
    }
  }
  std::ranges::sort(all, {}, OrderOf);
  return all;
}

Json ToJson(const ShardParked& parked) {
  const ParkedRow& row = parked.row;
  return {{"projection", ToString(row.lane.projection)},
          {"generation", row.lane.generation.value},
          {"shard", parked.shard.value},
          {"topic", NameOf(TopicOf(row))},
          {"position", ToString(PositionOf(row))},
          {"reason", ToString(row.reason)},
          {"detail", row.detail},
          {"event_id", row.event_id},
          {"key", Escaped(row.key)},
          {"appended_ms", row.appended_ms}};
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ListText(const std::vector<ShardParked>& all) {
  if (all.empty()) return "nothing is parked\n";
  TextTable table(
      {"PROJECTION", "SHARD", "TOPIC", "POSITION", "REASON", "WHEN", "EVENT ID", "DETAIL"});
  for (const ShardParked& parked : all) {
    const ParkedRow& row = parked.row;
    table.Add({std::string(ToString(row.lane.projection)), std::to_string(parked.shard.value),
               std::string(NameOf(TopicOf(row))), ToString(PositionOf(row)),
               std::string(ToString(row.reason)), IsoTime(row.appended_ms),
               row.event_id.empty() ? "-" : row.event_id, Escaped(row.detail)});
  }
  return table.Text();
}

std::string OrNull(const std::optional<std::string>& bytes) {
  return bytes ? fmt::format("\"{}\"", Escaped(*bytes)) : "null";
}

std::string ShowText(const ShardParked& parked, const std::optional<StoredRecord>& record) {
  const ParkedRow& row = parked.row;
  std::string text = fmt::format(
      "position    {} of {}\nprojection  {}, generation {}, shard {}\nreason      {}\n"
      "detail      {}\nevent id    {}\nappended    {}\n",
      ToString(PositionOf(row)), NameOf(TopicOf(row)), ToString(row.lane.projection),
      row.lane.generation.value, parked.shard.value, ToString(row.reason), Escaped(row.detail),
      row.event_id.empty() ? "-" : row.event_id, IsoTime(row.appended_ms));
  if (!record) return text + "the record is not in the log any more\n";
  return text + fmt::format("key         {}\nvalue       {}\n", OrNull(record->key),
                            OrNull(record->value));
}

Json ShowJson(const ShardParked& parked, const std::optional<StoredRecord>& record) {
  Json json = ToJson(parked);
  if (!record) {
    json["record"] = nullptr;
    return json;
  }
  const auto bytes = [](const std::optional<std::string>& text) {
    return text ? Json(Escaped(*text)) : Json();
  };
  json["record"] = {{"key", bytes(record->key)},
                    {"value", bytes(record->value)},
                    {"appended_ms", record->appended_ms}};
  return json;
}

}  // namespace

ExitCode RunParkedList(Session& session, const ParkedListOptions& options) {
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  auto all = ReadParked(*readers, options);
  if (!all) return session.console.SayError(all.error());
  const bool more = all->size() > options.limit;
  if (more) all->resize(options.limit);
  if (session.json) {
    Json items = Json::array();
    for (const ShardParked& parked : *all) items.push_back(ToJson(parked));
    session.console.PrintLine(Dump({{"items", std::move(items)}, {"more", more}}));
  } else {
    session.console.Print(ListText(*all));
    if (more)
      session.console.Say(fmt::format("the first {} are shown; see --limit", options.limit));
  }
  session.console.Flush();
  return ExitCode::kFine;
}

ExitCode RunParkedShow(Session& session, const ParkedShowOptions& options) {
  Result<ShardReaders> readers = OpenReaders(session.backend);
  if (!readers) return session.console.SayError(readers.error());
  const auto found = FindParked(*readers, options.projection, options.position);
  if (!found) return session.console.SayError(found.error());
  if (found->empty()) {
    return session.console.SayError(
        {ErrorCode::kNotFound, "nothing is parked at " + ToString(options.position)});
  }
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return session.console.SayError(log.error());
  Json items = Json::array();
  for (const ShardParked& parked : *found) {
    const auto records = ReadRecords(**log, TopicOf(parked.row), {options.position});
    if (!records) return session.console.SayError(records.error());
    if (session.json) {
      items.push_back(ShowJson(parked, records->front()));
    } else {
      session.console.Print(ShowText(parked, records->front()));
    }
  }
  if (session.json) session.console.PrintLine(Dump({{"items", std::move(items)}}));
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
