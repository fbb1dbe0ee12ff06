#include "writer/batch_parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "common/stream/no_id.h"
#include "writer/json_bodies.h"

namespace fanfold::writer {
namespace {

using Json = nlohmann::json;

bool SetType(std::string_view name, Command& command) {
  if (name == "follow") {
    command.type = EventType::kFollow;
  } else if (name == "unfollow") {
    command.type = EventType::kUnfollow;
  } else if (name == "remove_fan") {
    command.type = EventType::kUnfollow;
    command.by = AskedBy::kObject;
  } else {
    return false;
  }
  return true;
}

// What only a replay of a parked record sets; nothing when `name` is none of these.
std::optional<bool> SetReplayField(const std::string& name, const Json& value, Command& command) {
  if (name == "if_version") {
    if (const auto version = NonNegativeOf(value)) command.if_version = Version(*version);
    return command.if_version.has_value();
  }
  if (name == "replay_of") {
    if (value.is_string()) {
      command.replay_of = ParsePosition(value.get_ref<const std::string&>());
    }
    return command.replay_of.has_value();
  }
  return std::nullopt;
}

// Sets one field; what is wrong with it, or nothing.
std::optional<std::string> SetField(const std::string& name, const Json& value, Command& command) {
  if (name == "type") {
    if (value.is_string() && SetType(value.get_ref<const std::string&>(), command)) return {};
    return "type must be follow, unfollow or remove_fan";
  }
  if (name == "subject" || name == "object") {
    const std::optional<UserId> user = UserOf(value);
    if (!user) return NoId(name);
    (name == "subject" ? command.subject : command.object) = *user;
    return {};
  }
  if (name == "at") {
    command.at_ms = NonNegativeOf(value);
    if (command.at_ms) return {};
    return fmt::format("at must be an integer 0 … {}", kUserIdMax);
  }
  if (name == "event_id") {
    command.event_id = EventIdOf(value);
    if (!command.event_id.empty()) return {};
    return std::string(kEventIdWanted);
  }
  if (const std::optional<bool> set = SetReplayField(name, value, command)) {
    if (*set) return {};
    return name == "if_version" ? fmt::format("if_version must be an integer 0 … {}", kUserIdMax)
                                : "replay_of must be a position like 3:1042";
  }
  return UnknownMember(name);
}

ParsedCommand CommandOf(const Json& event) {
  if (!event.is_object()) return Invalid("not an object");
  Command command;
  for (const auto& field : event.items()) {
    if (auto wrong = SetField(field.key(), field.value(), command)) {
      return Invalid(std::move(*wrong));
    }
  }
  for (const char* name : {"type", "subject", "object"}) {
    if (!event.contains(name)) return Invalid(fmt::format("{} is missing", name));
  }
  return command;
}

}  // namespace

std::expected<std::vector<ParsedCommand>, Refusal> ParseBatch(std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJsonBody<Json>(body, kBatchBounds);
  if (!document) return std::unexpected(document.error());
  const std::expected<const Json*, Refusal> events = EventsOfBatch(*document);
  if (!events) return std::unexpected(events.error());
  std::vector<ParsedCommand> commands;
  commands.reserve((*events)->size());
  for (const Json& event : **events) commands.push_back(CommandOf(event));
  return commands;
}

}  // namespace fanfold::writer
