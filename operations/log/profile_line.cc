#include "operations/log/profile_line.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "operations/log/json_line.h"

namespace fanfold::operations {

std::expected<ProfileLine, BadLine> ParseProfileLine(std::string_view text, TimeUnit unit) {
  std::expected<nlohmann::json, BadLine> object = ParseJsonObject<nlohmann::json>(text);
  if (!object) return std::unexpected(std::move(object.error()));
  const std::expected<UserId, BadLine> user = IdOf(*object, "user");
  if (!user) return std::unexpected(user.error());
  ProfileLine line{*user, {}, std::nullopt};
  if (const auto at = object->find("at"); at != object->end()) {
    line.at_ms = TimeOf(*at, unit);
    if (!line.at_ms) return std::unexpected(NotATime("at", unit, TextOf(*at)));
  }
  for (const char* known : {"user", "at"}) object->erase(known);
  Result<Profile> profile = ParseProfile(object->dump());
  if (!profile) return std::unexpected(std::move(profile.error().message));
  line.profile = *std::move(profile);
  return line;
}

}  // namespace fanfold::operations
