// A post as it is told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/post/listed_post.h"
#include "reader/expansion.h"

namespace fanfold::reader {

struct ToldPostHead {
  UserId author;
  PostPlace place;
  std::int64_t type = 0;
};

// The texts that it points to outlive it.
struct PostItem {
  ToldPostHead head;
  std::string_view content;
};

// {"author","post_id","score","type","content"} of each, with what its author carries besides, such
// as `"profile":null`, joined with commas; `expand` may be null and is asked once. Errors: those of
// `expand`.
[[nodiscard]] Result<std::string> ItemsJson(std::span<const PostItem> posts, const Expand& expand);

}  // namespace fanfold::reader
