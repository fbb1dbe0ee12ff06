#include "reader/posts/post_json.h"

#include <fmt/format.h>
#include <iterator>

#include "common/base/json_text.h"

namespace fanfold::reader {

void AppendJson(std::string& out, const ToldPostHead& post, std::string_view content,
                std::string_view members) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"author":"{}","post_id":"{}","score":{},"type":{},"content":)",
                 post.author.value, post.place.post.value, post.place.score, post.type);
  out += JsonQuoted(content);
  if (!members.empty()) (out += ',') += members;
  out += '}';
}

}  // namespace fanfold::reader
