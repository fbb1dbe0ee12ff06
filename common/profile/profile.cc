#include "common/profile/profile.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kVerified = "verified";
// One list or object in the profile, so that it is told by its member's name.
constexpr std::size_t kDepthMax = 2;
constexpr std::size_t kValuesMax = 64;

std::unexpected<Error> Wrong(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

Result<Json> ParseObject(std::string_view text) {
  const Status checked = CheckJson(text, {.depth_max = kDepthMax, .values_max = kValuesMax});
  if (!checked) return Wrong("the profile " + checked.error().message);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return Wrong("the profile is not a JSON object in UTF-8");
}

bool IsKnown(std::string_view member) {
  return member == kVerified ||
         std::ranges::find(kProfileTexts, member, &ProfileText::name) != kProfileTexts.end();
}

Status SetText(const ProfileText& text, const Json& value, Profile& profile) {
  if (value.is_null()) return {};
  if (!value.is_string()) return Wrong(fmt::format("{} must be a string or null", text.name));
  std::string said = value.get<std::string>();
  if (said.size() > text.bytes_max) {
    return Wrong(
        fmt::format("{} has {} bytes, at most {}", text.name, said.size(), text.bytes_max));
  }
  profile.*text.text = std::move(said);
  return {};
}

}  // namespace

void AppendProfile(std::string& out, const Profile& profile) {
  out += '{';
  for (const ProfileText& text : kProfileTexts) {
    const std::optional<std::string>& said = profile.*text.text;
    out.append("\"").append(text.name).append("\":").append(said ? JsonQuoted(*said) : "null");
    out += ',';
  }
  out.append(R"("verified":)").append(profile.verified ? "true" : "false").append("}");
}

Result<Profile> ParseProfile(std::string_view json) {
  const Result<Json> object = ParseObject(json);
  if (!object) return std::unexpected(object.error());
  constexpr std::size_t kNameShownMax = 40;
  for (const auto& member : object->items()) {
    if (IsKnown(member.key())) continue;
    return Wrong(fmt::format("unknown member \"{}\"", member.key().substr(0, kNameShownMax)));
  }
  Profile profile;
  for (const ProfileText& text : kProfileTexts) {
    const auto found = object->find(text.name);
    if (found == object->end()) continue;
    if (Status set = SetText(text, *found, profile); !set) return Forward(set);
  }
  const auto verified = object->find(kVerified);
  if (verified == object->end()) return profile;
  if (!verified->is_boolean()) return Wrong("verified must be true or false");
  profile.verified = verified->get<bool>();
  return profile;
}

}  // namespace fanfold
