#include "reader/feed/feed_key.h"

#include <array>

#include "common/stream/cursor_text.h"

namespace fanfold::reader {

std::string EncodeFeedCursor(const FeedKey& cursor) {
  return EncodeCursorText(
      std::array{static_cast<std::uint64_t>(cursor.score), cursor.author.value, cursor.post.value});
}

std::optional<FeedKey> DecodeFeedCursor(std::string_view text) noexcept {
  std::array<std::uint64_t, 3> numbers{};
  if (!DecodeCursorText(text, numbers)) return std::nullopt;
  const auto [score, author, post] = numbers;
  if (author == 0 || post == 0) return std::nullopt;
  return FeedKey(UserId(author), PostPlace{static_cast<std::int64_t>(score), PostId(post)});
}

}  // namespace fanfold::reader
