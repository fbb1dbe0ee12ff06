// The body that tells what was shown. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"
#include "writer/command.h"

namespace fanfold::writer {

// Items of one request.
inline constexpr std::size_t kShownItemsMax = 200;

// A post, which need not exist.
struct ShownItem {
  UserId author;
  PostId post;
  friend bool operator==(const ShownItem&, const ShownItem&) = default;
};

// {"items":[{"author","post_id"},…]}, at most kShownItemsMax of them, maybe none. Unknown fields
// are refused. Errors: kInvalidArgument, in words for whoever wrote it; kBatchTooLarge.
[[nodiscard]] std::expected<std::vector<ShownItem>, Refusal> ParseShown(std::string_view body);

}  // namespace fanfold::writer
