// The events of post-events: what authors publish, and take back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/ids.h"
#include "common/stream/parking.h"

namespace fanfold {

// The grammar of user ids.
[[nodiscard]] std::optional<PostId> ParsePostId(std::string_view text) noexcept;

// Bytes of a post's content, UTF-8.
inline constexpr std::size_t kContentBytesMax = 4'096;
// The author's app chooses the post's type: 0 … kPostTypeMax.
inline constexpr std::int64_t kPostTypeMax = 2'147'483'647;

inline constexpr std::int64_t kPostCodecVersion = 1;

enum class PostEventType : std::uint8_t { kPost = 1, kDeletePost = 2 };

[[nodiscard]] std::string_view ToString(PostEventType type) noexcept;
[[nodiscard]] std::optional<PostEventType> ParsePostEventType(std::string_view text) noexcept;

struct PostEvent {
  std::string event_id;  // empty where a foreign producer gave none
  PostEventType type = PostEventType::kPost;
  UserId author;
  PostId post_id;
  std::int64_t at_ms = 0;  // upstream's time; of a post the score it is listed by
  // Only an event that publishes a post has these:
  std::int64_t post_type = 0;
  std::string content = {};
  friend bool operator==(const PostEvent&, const PostEvent&) = default;
};

// JSON as schemas/events describes it, in a fixed order of fields, no spaces. The longest content
// with each byte written as an escape fits into a record (kRecordBytesMax).
void AppendPostEvent(std::string& out, const PostEvent& event);
[[nodiscard]] std::string EncodePostEvent(const PostEvent& event);

// The value of a record of post-events, in any JSON that any producer writes; unknown fields are
// ignored.
[[nodiscard]] std::expected<PostEvent, Unreadable> DecodePostEvent(std::string_view value);

// Reads a record of post-events: decodes it, compares its key with its author, and its partition
// with the author's slot.
[[nodiscard]] std::expected<PostEvent, Unreadable> ReadPostRecord(
    std::optional<std::string_view> key, std::optional<std::string_view> value, Partition partition,
    std::int32_t partitions);

}  // namespace fanfold
