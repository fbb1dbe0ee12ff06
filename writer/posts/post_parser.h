// The bodies of posts. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "writer/posts/post_command.h"

namespace fanfold::writer {

// A segment of the path that has to be a post. Errors: kInvalidArgument.
[[nodiscard]] std::expected<PostId, Refusal> ParsePostSegment(std::string_view segment);

// {"content"[,"post_id","type","at"]} of an author's post. Unknown fields are refused. Errors:
// kInvalidArgument, in words for whoever wrote it.
[[nodiscard]] ParsedPost ParsePost(UserId author, std::string_view body);

// A thousand of the longest contents, each byte of them escaped as \uXXXX.
inline constexpr std::size_t kPostBatchBytesMax = std::size_t{24} << 20;

// {"events":[{"type":"post","author","content"[,"post_id","post_type","at","event_id"]} or
// {"type":"delete_post","author","post_id"[,"at","event_id"]},…]}: one command or refusal per
// event, in order. Errors: as ParseBatch's.
[[nodiscard]] std::expected<std::vector<ParsedPost>, Refusal> ParsePostBatch(std::string_view body);

// `imported` of a batch, whose posts' times may lie ahead; null: they are not. Errors:
// kInvalidArgument.
[[nodiscard]] std::expected<bool, Refusal> ParseImported(std::optional<std::string_view> imported);

// How far ahead of the writer's clock a post's time may be.
inline constexpr std::int64_t kAheadMsMax = 60'000;
// Nothing when the command's time may be logged now.
[[nodiscard]] std::optional<Refusal> RefuseAhead(const PostCommand& command, std::int64_t now_ms);

// Nothing when somebody who acts for `user` alone may ask for it: a post of the user, as of now.
[[nodiscard]] std::optional<Refusal> RefuseToUser(const PostCommand& command, UserId user);

}  // namespace fanfold::writer
