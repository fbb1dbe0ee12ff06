#include "common/post/post_event.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/base/enum_names.h"
#include "common/base/json_text.h"
#include "common/post/post_fields.h"
#include "common/stream/canonical_scanner.h"
#include "common/stream/event_id.h"

namespace fanfold {
namespace {

constexpr Names<PostEventType, 2> kPostEventTypes = {
    {{PostEventType::kPost, "post"}, {PostEventType::kDeletePost, "delete_post"}}};

using EventRead = std::expected<PostEvent, Unreadable>;

EventRead ReadEvent(RecordFields& fields) {
  PostEvent event;
  event.event_id = fields.EventId();
  const std::string type = fields.Text("type");
  if (!fields.ok()) return fields.Wrong();
  const std::optional<PostEventType> known = ParsePostEventType(type);
  if (!known) fields.Refuse(ParkReason::kUnknownType, "type is not post or delete_post");
  event.type = known.value_or(PostEventType::kPost);
  event.author = fields.User("author");
  event.post_id = ReadPostId(fields);
  event.at_ms = fields.Number("at");
  if (event.type == PostEventType::kPost) {
    if (fields.Has("post_type")) event.post_type = ReadPostType(fields, "post_type");
    if (fields.Has("content")) event.content = ReadContent(fields);
  }
  if (!fields.ok()) return fields.Wrong();
  return event;
}

// What nearly every record of the topic is, where its text is ASCII: as this project writes it.
// Anything else goes the general way, which says what is wrong.
std::optional<PostEvent> FromCanonical(std::string_view value) {
  PostEvent event;
  CanonicalScanner scan(value);
  std::string_view id;
  std::string_view author;
  std::string_view post_id;
  std::string_view content;
  const bool canonical = scan.Literal(R"({"v":1,"event_id":")") && scan.StringBody(id) &&
                         scan.Literal(R"(,"type":"post","author":")") && scan.StringBody(author) &&
                         scan.Literal(R"(,"post_id":")") && scan.StringBody(post_id) &&
                         scan.Literal(R"(,"at":)") && scan.NonNegative(event.at_ms) &&
                         scan.Literal(R"(,"post_type":)") && scan.NonNegative(event.post_type) &&
                         scan.Literal(R"(,"content":")") && scan.StringBody(content) &&
                         scan.Literal("}") && scan.AtEnd();
  const bool fits = canonical && IsEventId(id) && event.post_type <= kPostTypeMax &&
                    content.size() <= kContentBytesMax;
  if (!fits) return std::nullopt;
  const std::optional<UserId> user = ParseUserId(author);
  const std::optional<PostId> post = ParsePostId(post_id);
  if (!user || !post) return std::nullopt;
  event.event_id = id;
  event.type = PostEventType::kPost;
  event.author = *user;
  event.post_id = *post;
  event.content = content;
  return event;
}

}  // namespace

std::optional<PostId> ParsePostId(std::string_view text) noexcept {
  const std::optional<UserId> id = ParseUserId(text);
  return id ? std::optional(PostId(id->value)) : std::nullopt;
}

std::string_view ToString(PostEventType type) noexcept { return NameOf(kPostEventTypes, type); }
std::optional<PostEventType> ParsePostEventType(std::string_view text) noexcept {
  return ValueOf(kPostEventTypes, text);
}

void AppendPostEvent(std::string& out, const PostEvent& event) {
  auto to = std::back_inserter(out);
  out += R"({"v":1,)";
  if (!event.event_id.empty()) {
    fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event.event_id);
  }
  fmt::format_to(to, FMT_COMPILE(R"("type":"{}","author":"{}","post_id":"{}","at":{})"),
                 ToString(event.type), event.author.value, event.post_id.value, event.at_ms);
  if (event.type == PostEventType::kPost) {
    fmt::format_to(to, FMT_COMPILE(R"(,"post_type":{},"content":)"), event.post_type);
    out += JsonQuoted(event.content);
  }
  out += '}';
}

std::string EncodePostEvent(const PostEvent& event) {
  std::string out;
  AppendPostEvent(out, event);
  return out;
}

EventRead DecodePostEvent(std::string_view value) {
  if (std::optional<PostEvent> canonical = FromCanonical(value)) return *std::move(canonical);
  auto fields = RecordFields::Parse(value, kPostCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadEvent(*fields);
}

EventRead ReadPostRecord(std::optional<std::string_view> key, std::optional<std::string_view> value,
                         Partition partition, std::int32_t partitions) {
  const auto there = ValueToDecode(key, value);
  if (!there) return std::unexpected(there.error());
  EventRead event = DecodePostEvent(*there);
  if (!event) return event;
  auto placed = CheckPlace("author", event->author, key, partition, partitions);
  if (placed) return event;
  placed.error().event_id = std::move(event->event_id);
  return std::unexpected(std::move(placed.error()));
}

}  // namespace fanfold
