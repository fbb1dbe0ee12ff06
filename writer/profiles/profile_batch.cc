#include "writer/profiles/profile_batch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/stream/no_id.h"
#include "writer/json_bodies.h"

namespace fanfold::writer {
namespace {

using Json = nlohmann::json;

ParsedProfile ProfileOf(Json event) {
  if (!event.is_object()) return Invalid("not an object");
  if (event.value("type", Json()) != "profile_set") return Invalid("type must be profile_set");
  const auto user = event.find("user");
  if (user == event.end()) return Invalid("user is missing");
  ProfileCommand command;
  const std::optional<UserId> id = UserOf(*user);
  if (!id) return Invalid(NoId("user"));
  command.user = *id;
  if (const auto at = event.find("at"); at != event.end()) {
    command.at_ms = NonNegativeOf(*at);
    if (!command.at_ms) return Invalid(fmt::format("at must be an integer 0 … {}", kUserIdMax));
  }
  for (const char* own : {"type", "user", "at"}) event.erase(own);
  Result<Profile> profile = ParseProfile(event.dump());
  if (!profile) return Invalid(std::move(profile.error().message));
  command.profile = *std::move(profile);
  return command;
}

std::optional<Refusal> NotForUsers(std::string_view what) {
  return Refusal{RefusalCode::kForbidden, std::string(what), std::nullopt};
}

}  // namespace

std::expected<std::vector<ParsedProfile>, Refusal> ParseProfileBatch(std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJsonBody<Json>(body, kBatchBounds);
  if (!document) return std::unexpected(document.error());
  const std::expected<const Json*, Refusal> events = EventsOfBatch(*document);
  if (!events) return std::unexpected(events.error());
  std::vector<ParsedProfile> commands;
  commands.reserve((*events)->size());
  for (const Json& event : **events) commands.push_back(ProfileOf(event));
  return commands;
}

std::optional<Refusal> RefuseToUser(const ProfileCommand& command, UserId user) {
  if (command.user != user) return NotForUsers("the token is another user's");
  if (command.at_ms) return NotForUsers("at is not for tokens of users");
  if (command.profile.verified) return NotForUsers("verified is not for tokens of users to give");
  return std::nullopt;
}

}  // namespace fanfold::writer
