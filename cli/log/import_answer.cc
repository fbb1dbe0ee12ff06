#include "cli/log/import_answer.h"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/base/json_text.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
using operations::ImportDecided;
using operations::ImportResult;
using operations::RefusedEvents;

constexpr std::array<std::string_view, 2> kRefusedKinds = {"rejected", "parked"};

double SecondsOf(const ImportResult& result) {
  return static_cast<double>(result.elapsed_ms) / 1000.0;
}

double RateOf(const ImportResult& result) {
  const double seconds = SecondsOf(result);
  return seconds > 0 ? static_cast<double>(result.appended) / seconds : 0.0;
}

Json RefusedJson(const RefusedEvents& refused, const RefusedEvents::Event& event) {
  Json told = {{"line", event.line}, {"outcome", refused.kind}, {"reason", refused.reason}};
  for (const auto& [name, value] : event.of) {
    if (value != 0) told[name] = std::to_string(value);
  }
  return told;
}

void AddDecided(const ImportDecided& decided, Json& answer) {
  answer["decided"] = decided.events;
  for (const auto& [kind, events] : decided.taken) answer[kind] = events;
  for (const std::string_view kind : kRefusedKinds) answer[kind] = decided.refused_as(kind);
  Json& reasons = answer["reasons"] = Json::object();
  Json& first = answer["refused"] = Json::array();
  for (const RefusedEvents& refused : decided.refused) {
    reasons[refused.reason] = refused.count;
    for (const auto& event : refused.first) first.push_back(RefusedJson(refused, event));
  }
}

std::string DecidedText(const ImportDecided& decided) {
  std::string text;
  for (const auto& [kind, events] : decided.taken) text += fmt::format("{} {}, ", kind, events);
  text += fmt::format("rejected {}", decided.refused_as("rejected"));
  if (const std::int64_t parked = decided.refused_as("parked"); parked > 0) {
    text += fmt::format(", parked {}", parked);
  }
  for (const RefusedEvents& refused : decided.refused) {
    text += fmt::format("{} {} {}", &refused == decided.refused.data() ? ":" : ",", refused.reason,
                        refused.count);
  }
  return text;
}

void SayRefused(Console& console, const RefusedEvents& refused) {
  for (const RefusedEvents::Event& event : refused.first) {
    std::string text = fmt::format("line {}: {}, {}", event.line, refused.kind, refused.reason);
    for (const auto& [name, value] : event.of) {
      if (value != 0) text += fmt::format(", {} {}", name, value);
    }
    console.Say(text);
  }
  const auto shown = static_cast<std::int64_t>(refused.first.size());
  if (refused.count > shown) {
    console.Say(
        fmt::format("{} {} in all, the first {} are shown", refused.count, refused.reason, shown));
  }
}

}  // namespace

void PrintImported(Session& session, const ImportResult& result) {
  Console& console = session.console;
  if (session.json) {
    Json answer = {{"appended", result.appended},
                   {"bad", result.bad},
                   {"seconds", SecondsOf(result)},
                   {"events_per_second", static_cast<std::int64_t>(RateOf(result))},
                   {"complete", result.whole()}};
    if (result.times) {
      answer["since"] = {{"earliest", result.times->earliest_ms},
                         {"latest", result.times->latest_ms}};
    }
    if (result.decided) AddDecided(*result.decided, answer);
    console.PrintLine(OneLine(answer));
  } else {
    console.PrintLine(fmt::format("appended {}, bad {}, {:.1f} s, {:.0f} events/s", result.appended,
                                  result.bad, SecondsOf(result), RateOf(result)));
    if (result.times) {
      console.PrintLine(fmt::format("since {} to {}",
                                    operations::IsoTime(result.times->earliest_ms),
                                    operations::IsoTime(result.times->latest_ms)));
    }
    if (result.decided) {
      for (const RefusedEvents& refused : result.decided->refused) SayRefused(console, refused);
      console.PrintLine(DecidedText(*result.decided));
    }
  }
  console.Flush();
}

}  // namespace fanfold
