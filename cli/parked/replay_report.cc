#include "cli/parked/replay_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::string_view NameOf(operations::ReplayEnd end) noexcept {
  switch (end) {
    case operations::ReplayEnd::kReplayed:
      return "replayed";
    case operations::ReplayEnd::kWouldReplay:
      return "would_replay";
    case operations::ReplayEnd::kRefused:
      return "refused";
    case operations::ReplayEnd::kUnreadable:
      return "unreadable";
    case operations::ReplayEnd::kFailed:
      return "failed";
  }
  return "failed";
}

std::string EventText(const operations::ReplayResult& result) {
  if (!result.event) return "";
  return fmt::format("{} {} → {}", ToString(result.event->type), result.event->subject.value,
                     result.event->object.value);
}

std::string BodyText(const operations::ReplayResult& result) {
  switch (result.end) {
    case operations::ReplayEnd::kReplayed:
      return fmt::format("replayed as {}: {}; `fanfold explain {} {}` tells what became of it",
                         ToString(result.appended.value_or(Position())), EventText(result),
                         result.event->subject.value, result.event->object.value);
    case operations::ReplayEnd::kWouldReplay:
      return "would be replayed: " + EventText(result);
    case operations::ReplayEnd::kRefused:
      return "refused: " + result.why;
    case operations::ReplayEnd::kUnreadable:
      return "not replayed: " + result.why;
    case operations::ReplayEnd::kFailed:
      break;
  }
  return "failed: " + result.why;
}

std::int64_t CountOf(const std::vector<operations::ReplayResult>& results,
                     operations::ReplayEnd end) {
  return std::ranges::count(results, end, &operations::ReplayResult::end);
}

Json ItemJson(const operations::ReplayResult& result) {
  Json json = {{"position", ToString(result.parked)},
               {"result", NameOf(result.end)},
               {"detail", result.why},
               {"new_position", nullptr}};
  if (result.event) {
    json["type"] = ToString(result.event->type);
    json["subject"] = ToString(result.event->subject);
    json["object"] = ToString(result.event->object);
  }
  if (result.appended) json["new_position"] = ToString(*result.appended);
  return json;
}

}  // namespace

std::string ReplayText(const std::vector<operations::ReplayResult>& results) {
  if (results.empty()) return "nothing is parked that could be replayed\n";
  std::string text;
  for (const operations::ReplayResult& result : results) {
    text += fmt::format("{:<10}  {}\n", ToString(result.parked), BodyText(result));
  }
  return text;
}

std::string ReplayJson(const std::vector<operations::ReplayResult>& results) {
  Json items = Json::array();
  for (const operations::ReplayResult& result : results) items.push_back(ItemJson(result));
  const Json json = {{"items", std::move(items)},
                     {"replayed", CountOf(results, operations::ReplayEnd::kReplayed)},
                     {"refused", CountOf(results, operations::ReplayEnd::kRefused)},
                     {"unreadable", CountOf(results, operations::ReplayEnd::kUnreadable)},
                     {"failed", CountOf(results, operations::ReplayEnd::kFailed)}};
  return OneLine(json);
}

ExitCode ExitCodeOf(const std::vector<operations::ReplayResult>& results) noexcept {
  const auto any = [&](operations::ReplayEnd end) {
    return std::ranges::find(results, end, &operations::ReplayResult::end) != results.end();
  };
  if (any(operations::ReplayEnd::kUnreadable) || any(operations::ReplayEnd::kFailed))
    return ExitCode::kError;
  return any(operations::ReplayEnd::kRefused) ? ExitCode::kRefused : ExitCode::kFine;
}

}  // namespace fanfold
