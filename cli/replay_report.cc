#include "cli/replay_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::string_view NameOf(ReplayEnd end) noexcept {
  switch (end) {
    case ReplayEnd::kReplayed:
      return "replayed";
    case ReplayEnd::kWouldReplay:
      return "would_replay";
    case ReplayEnd::kRefused:
      return "refused";
    case ReplayEnd::kUnreadable:
      return "unreadable";
    case ReplayEnd::kFailed:
      return "failed";
  }
  return "failed";
}

std::string EventText(const ReplayResult& result) {
  if (!result.event) return "";
  return fmt::format("{} {} → {}", ToString(result.event->type), result.event->subject.value,
                     result.event->object.value);
}

std::string BodyText(const ReplayResult& result) {
  switch (result.end) {
    case ReplayEnd::kReplayed:
      return fmt::format("replayed as {}: {}; `fanfold explain {} {}` tells what became of it",
                         ToString(result.appended.value_or(Position())), EventText(result),
                         result.event->subject.value, result.event->object.value);
    case ReplayEnd::kWouldReplay:
      return "would be replayed: " + EventText(result);
    case ReplayEnd::kRefused:
      return "refused: " + result.why;
    case ReplayEnd::kUnreadable:
      return "not replayed: " + result.why;
    case ReplayEnd::kFailed:
      break;
  }
  return "failed: " + result.why;
}

std::int64_t CountOf(const std::vector<ReplayResult>& results, ReplayEnd end) {
  return std::ranges::count(results, end, &ReplayResult::end);
}

Json ItemJson(const ReplayResult& result) {
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

std::string ReplayText(const std::vector<ReplayResult>& results) {
  if (results.empty()) return "nothing is parked that could be replayed\n";
  std::string text;
  for (const ReplayResult& result : results) {
    text += fmt::format("{:<10}  {}\n", ToString(result.parked), BodyText(result));
  }
  return text;
}

std::string ReplayJson(const std::vector<ReplayResult>& results) {
  Json items = Json::array();
  for (const ReplayResult& result : results) items.push_back(ItemJson(result));
  const Json json = {{"items", std::move(items)},
                     {"replayed", CountOf(results, ReplayEnd::kReplayed)},
                     {"refused", CountOf(results, ReplayEnd::kRefused)},
                     {"unreadable", CountOf(results, ReplayEnd::kUnreadable)},
                     {"failed", CountOf(results, ReplayEnd::kFailed)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ExitCode ExitCodeOf(const std::vector<ReplayResult>& results) noexcept {
  const auto any = [&](ReplayEnd end) {
    return std::ranges::find(results, end, &ReplayResult::end) != results.end();
  };
  if (any(ReplayEnd::kUnreadable) || any(ReplayEnd::kFailed)) return ExitCode::kError;
  return any(ReplayEnd::kRefused) ? ExitCode::kRefused : ExitCode::kFine;
}

}  // namespace fanfold
