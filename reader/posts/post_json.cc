#include "reader/posts/post_json.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

#include "common/base/json_text.h"

namespace fanfold::reader {
namespace {

void AppendJson(std::string& out, const PostItem& told, std::string_view members) {
  const ToldPostHead& post = told.head;
  fmt::format_to(std::back_inserter(out),
                 R"({{"author":"{}","post_id":"{}","score":{},"type":{},"content":)",
                 post.author.value, post.place.post.value, post.place.score, post.type);
  out += JsonQuoted(told.content);
  if (!members.empty()) (out += ',') += members;
  out += '}';
}

}  // namespace

Result<std::string> ItemsJson(std::span<const PostItem> posts, const Expand& expand) {
  Result<std::vector<std::string>> members = std::vector<std::string>(posts.size());
  if (expand) {
    std::vector<UserId> authors;
    for (const PostItem& post : posts) authors.push_back(post.head.author);
    members = expand(authors);
    if (!members) return std::unexpected(members.error());
  }
  std::string json;
  for (std::size_t i = 0; i < posts.size(); ++i) {
    if (i > 0) json += ',';
    AppendJson(json, posts[i], (*members)[i]);
  }
  return json;
}

}  // namespace fanfold::reader
