#include "common/post/listed_post.h"

#include <array>

#include "common/stream/cursor_text.h"

namespace fanfold {

std::string EncodePostCursor(const PostPlace& place) {
  return EncodeCursorText(std::array{static_cast<std::uint64_t>(place.score), place.post.value});
}

std::optional<PostPlace> DecodePostCursor(std::string_view text) noexcept {
  std::array<std::uint64_t, 2> numbers{};
  if (!DecodeCursorText(text, numbers)) return std::nullopt;
  const auto [score, post] = numbers;
  if (post == 0) return std::nullopt;
  return PostPlace{static_cast<std::int64_t>(score), PostId(post)};
}

}  // namespace fanfold
