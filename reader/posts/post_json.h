// A post as it is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/post/listed_post.h"

namespace fanfold::reader {

struct ToldPostHead {
  UserId author;
  PostPlace place;
  std::int64_t type = 0;
};

// {"author","post_id","score","type","content"}, and `members`, such as `"profile":null`.
void AppendJson(std::string& out, const ToldPostHead& post, std::string_view content,
                std::string_view members = {});

}  // namespace fanfold::reader
