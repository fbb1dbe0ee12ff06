#include "writer/batch_parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "common/base/json_text.h"
#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

using Json = nlohmann::json;

std::unexpected<Refusal> Invalid(std::string detail) {
  return Refuse(RefusalCode::kInvalidArgument, std::move(detail));
}

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

// A decimal string or a JSON integer.
std::optional<UserId> UserOf(const Json& value) {
  if (value.is_string()) return ParseUserId(value.get_ref<const std::string&>());
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number == 0 || number > kUserIdMax) return std::nullopt;
  return UserId(number);
}

// A JSON integer 0 … 2^63−1.
std::optional<std::int64_t> NonNegativeOf(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > kUserIdMax) return std::nullopt;
  return static_cast<std::int64_t>(number);
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
    if (!user) return fmt::format("{} must be a decimal id 1 … {}", name, kUserIdMax);
    (name == "subject" ? command.subject : command.object) = *user;
    return {};
  }
  if (name == "at") {
    command.at_ms = NonNegativeOf(value);
    if (command.at_ms) return {};
    return fmt::format("at must be an integer 0 … {}", kUserIdMax);
  }
  if (const std::optional<bool> set = SetReplayField(name, value, command)) {
    if (*set) return {};
    return name == "if_version" ? fmt::format("if_version must be an integer 0 … {}", kUserIdMax)
                                : "replay_of must be a position like 3:1042";
  }
  constexpr std::size_t kNameShownMax = 40;
  return fmt::format("unknown field \"{}\"", name.substr(0, kNameShownMax));
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

// The object, its list, an event; one deeper, so that a wrong field spoils its event alone.
constexpr std::size_t kDepthMax = 4;
// Ten of an event: it has seven fields.
constexpr std::size_t kValuesMax = 10 * kBatchEventsMax;

std::expected<Json, Refusal> ParseJson(std::string_view body) {
  const Status checked = CheckJson(body, {.depth_max = kDepthMax, .values_max = kValuesMax});
  if (!checked) {
    const bool too_many = checked.error().code == ErrorCode::kOutOfRange;
    return Refuse(too_many ? RefusalCode::kBatchTooLarge : RefusalCode::kInvalidArgument,
                  "the body " + checked.error().message);
  }
  try {
    return Json::parse(body);
  } catch (const Json::parse_error& error) {
    return Invalid(fmt::format("the body is not JSON: byte {} of {}", error.byte, body.size()));
  } catch (const Json::out_of_range&) {
    return Invalid("the body has a number that is larger than any double");
  }
}

// The list of events, if the document has the shape of a batch of an allowed size.
std::expected<const Json*, Refusal> EventsOf(const Json& document) {
  if (!document.is_object()) return Invalid("the body must be an object with the list events");
  const auto events = document.find("events");
  if (events == document.end()) return Invalid("events is missing");
  if (document.size() != 1) return Invalid("the body has a field beside events");
  if (!events->is_array()) return Invalid("events must be a list");
  if (auto refused = RefuseBatchSize(events->size())) return std::unexpected(std::move(*refused));
  return &*events;
}

}  // namespace

std::expected<std::vector<ParsedCommand>, Refusal> ParseBatch(std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJson(body);
  if (!document) return std::unexpected(document.error());
  const std::expected<const Json*, Refusal> events = EventsOf(*document);
  if (!events) return std::unexpected(events.error());
  std::vector<ParsedCommand> commands;
  commands.reserve((*events)->size());
  for (const Json& event : **events) commands.push_back(CommandOf(event));
  return commands;
}

}  // namespace fanfold::writer
