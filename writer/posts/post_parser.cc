#include "writer/posts/post_parser.h"

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

// A post, and a list or object in it, so that it is told by its field's name.
constexpr JsonBounds kPostBounds{.depth_max = 2, .values_max = 64};

// Sets a field that a post has whoever says it; what is wrong with it, "" where nothing is, or
// nothing when `name` is none of these. `type_field` is what the post's own type is called.
std::optional<std::string> SetPostField(const std::string& name, const Json& value,
                                        std::string_view type_field, PostCommand& command) {
  if (name == "content") {
    if (!value.is_string()) return "content must be a string";
    command.content = value.get<std::string>();
    if (command.content.size() <= kContentBytesMax) return "";
    return fmt::format("content has {} bytes, at most {}", command.content.size(),
                       kContentBytesMax);
  }
  if (name == "post_id") {
    const std::optional<UserId> id = UserOf(value);
    if (!id) return NoId(name);
    command.post_id = PostId(id->value);
    return "";
  }
  if (name == type_field) {
    const std::optional<std::int64_t> type = NonNegativeOf(value);
    if (!type || *type > kPostTypeMax) {
      return fmt::format("{} must be an integer 0 … {}", name, kPostTypeMax);
    }
    command.post_type = *type;
    return "";
  }
  if (name == "at") {
    command.at_ms = NonNegativeOf(value);
    return command.at_ms ? "" : fmt::format("at must be an integer 0 … {}", kUserIdMax);
  }
  return std::nullopt;
}

// Of a batch, but for its type.
std::string SetEventField(const std::string& name, const Json& value, PostCommand& command) {
  if (name == "author") {
    const std::optional<UserId> author = UserOf(value);
    command.author = author.value_or(UserId());
    return author ? "" : NoId(name);
  }
  if (name == "event_id") {
    command.event_id = EventIdOf(value);
    return command.event_id.empty() ? std::string(kEventIdWanted) : "";
  }
  const bool is_of_posts = name == "content" || name == "post_type";
  if (is_of_posts && command.type == PostEventType::kDeletePost) {
    return fmt::format("a delete_post has no {}", name);
  }
  return SetPostField(name, value, "post_type", command).value_or(UnknownMember(name));
}

ParsedPost PostOf(const Json& event) {
  if (!event.is_object()) return Invalid("not an object");
  const auto type = event.find("type");
  if (type == event.end()) return Invalid("type is missing");
  PostCommand command;
  const std::optional<PostEventType> known =
      type->is_string() ? ParsePostEventType(type->get_ref<const std::string&>()) : std::nullopt;
  if (!known) return Invalid("type must be post or delete_post");
  command.type = *known;
  for (const auto& field : event.items()) {
    if (field.key() == "type") continue;
    std::string wrong = SetEventField(field.key(), field.value(), command);
    if (!wrong.empty()) return Invalid(std::move(wrong));
  }
  if (!event.contains("author")) return Invalid("author is missing");
  const char* needed = command.type == PostEventType::kPost ? "content" : "post_id";
  if (!event.contains(needed)) return Invalid(fmt::format("{} is missing", needed));
  return command;
}

}  // namespace

std::expected<PostId, Refusal> ParsePostSegment(std::string_view segment) {
  const std::optional<PostId> post = ParsePostId(segment);
  if (post) return *post;
  return Invalid(NoId("post_id"));
}

ParsedPost ParsePost(UserId author, std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJsonBody<Json>(body, kPostBounds);
  if (!document) return Invalid(document.error().detail);
  if (!document->is_object()) return Invalid("the body must be an object");
  PostCommand command;
  command.author = author;
  for (const auto& field : document->items()) {
    std::string wrong = SetPostField(field.key(), field.value(), "type", command)
                            .value_or(UnknownMember(field.key()));
    if (!wrong.empty()) return Invalid(std::move(wrong));
  }
  if (!document->contains("content")) return Invalid("content is missing");
  return command;
}

std::expected<std::vector<ParsedPost>, Refusal> ParsePostBatch(std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJsonBody<Json>(body, kBatchBounds);
  if (!document) return std::unexpected(document.error());
  const std::expected<const Json*, Refusal> events = EventsOfBatch(*document);
  if (!events) return std::unexpected(events.error());
  std::vector<ParsedPost> commands;
  commands.reserve((*events)->size());
  for (const Json& event : **events) commands.push_back(PostOf(event));
  return commands;
}

std::expected<bool, Refusal> ParseImported(std::optional<std::string_view> imported) {
  if (!imported || *imported == "false") return false;
  if (*imported == "true") return true;
  return Invalid("imported must be true or false");
}

std::optional<Refusal> RefuseAhead(const PostCommand& command, std::int64_t now_ms) {
  if (!command.at_ms || *command.at_ms <= now_ms || *command.at_ms - now_ms <= kAheadMsMax) {
    return std::nullopt;
  }
  return Refusal{RefusalCode::kInvalidArgument,
                 fmt::format("at is more than {} ms ahead of the writer's clock", kAheadMsMax),
                 std::nullopt};
}

std::optional<Refusal> RefuseToUser(const PostCommand& command, UserId user) {
  if (command.author != user) {
    return Refusal{RefusalCode::kForbidden, "the token is another user's", std::nullopt};
  }
  if (!command.at_ms && command.event_id.empty()) return std::nullopt;
  return Refusal{RefusalCode::kForbidden, "at and event_id are not for tokens of users",
                 std::nullopt};
}

}  // namespace fanfold::writer
