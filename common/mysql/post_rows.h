// The table of posts of a generation: statements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/ports/post_reader.h"

namespace fanfold::mysql {

// SELECT an author's active posts, newest first.
[[nodiscard]] std::string SelectPostsOf(const std::string& table, UserId author,
                                        const std::optional<PostPlace>& after, std::size_t limit);
// A SELECT in brackets of a stretch's posts, in no promised order: kPostColumns and 0, of which the
// author's is `number`, and id and score alone say something.
void AppendSelectStretch(std::string& sql, const std::string& table, std::size_t number,
                         const PostStretch& stretch, std::size_t limit);
// The same of each author's newest post alone, in one SELECT, since a thousand of them are planned
// one by one; it begins a statement. What is in the column of the content says where the post
// stands, null of an author who has none. Requires: there are some.
void AppendSelectNewest(std::string& sql, const std::string& table,
                        std::span<const PostStretch> stretches);
// Throws Failure.
[[nodiscard]] PostPlace ReadNewest(std::string_view text);
[[nodiscard]] std::string SelectPost(const std::string& table, UserId author, PostId post);

}  // namespace fanfold::mysql
