#include "operations/log/post_line.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/stream/no_id.h"
#include "operations/log/json_line.h"

namespace fanfold::operations {
namespace {

using Json = nlohmann::json;

std::unexpected<BadLine> Bad(std::string why) { return std::unexpected(std::move(why)); }

std::optional<std::int64_t> NumberOf(const Json& value) {
  return value.is_number_integer() ? ParseNonNegative(value.dump()) : std::nullopt;
}

// Sets one member; what is wrong with it, or "".
std::string Set(const std::string& name, const Json& value, TimeUnit unit, PostLine& line) {
  PostEvent& event = line.event;
  if (name == "author" || name == "post_id") {
    const std::optional<UserId> id = IdIn(value);
    if (!id) return NoId(name);
    if (name == "author") event.author = *id;
    if (name == "post_id") event.post_id = PostId(id->value);
    return "";
  }
  if (name == "content") {
    if (!value.is_string()) return "content is not a string";
    event.content = value.get<std::string>();
    if (event.content.size() <= kContentBytesMax) return "";
    return fmt::format("content has {} bytes, at most {}", event.content.size(), kContentBytesMax);
  }
  if (name == "post_type") {
    event.post_type = NumberOf(value).value_or(kPostTypeMax + 1);
    return event.post_type <= kPostTypeMax
               ? ""
               : fmt::format("post_type is not an integer 0 … {}", kPostTypeMax);
  }
  if (name == "at") {
    line.at_ms = TimeOf(value, unit);
    return line.at_ms ? "" : NotATime(name, unit, TextOf(value));
  }
  if (name == "delete") {
    if (value.is_boolean() && value.get<bool>()) event.type = PostEventType::kDeletePost;
    return value.is_boolean() ? "" : "delete is not true or false";
  }
  constexpr std::size_t kShownBytesMax = 40;
  return "unknown member " + Json(name.substr(0, kShownBytesMax)).dump(-1, ' ', true);
}

}  // namespace

std::expected<PostLine, BadLine> ParsePostLine(std::string_view text, TimeUnit unit) {
  const std::expected<Json, BadLine> parsed = ParseJsonObject<Json>(text);
  if (!parsed) return Bad(parsed.error());
  const Json& object = *parsed;
  PostLine line;
  for (const auto& member : object.items()) {
    if (std::string wrong = Set(member.key(), member.value(), unit, line); !wrong.empty()) {
      return Bad(std::move(wrong));
    }
  }
  for (const char* name : {"author", "post_id"}) {
    if (!object.contains(name)) return Bad(fmt::format("{} is missing", name));
  }
  const bool says_a_post = object.contains("content") || object.contains("post_type");
  if (line.event.type == PostEventType::kDeletePost && says_a_post) {
    return Bad("the end of a post has neither content nor post_type");
  }
  return line;
}

}  // namespace fanfold::operations
