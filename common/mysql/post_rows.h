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
// A SELECT in brackets of a stretch's posts, in no promised order. Its columns are kPostColumns and
// 0; only id and score say something, and the author's column holds `number`.
void AppendSelectStretch(std::string& sql, const std::string& table, std::size_t number,
                         const PostStretch& stretch, std::size_t limit);
// Starts a statement: the same of each author's newest post alone, in one SELECT, since MariaDB
// plans a thousand of them one by one. The content's column says where the post stands, null for an
// author without posts. Requires: there are some stretches.
void AppendSelectNewest(std::string& sql, const std::string& table,
                        std::span<const PostStretch> stretches);
// Throws Failure.
[[nodiscard]] PostPlace ReadNewest(std::string_view text);
[[nodiscard]] std::string SelectPost(const std::string& table, UserId author, PostId post);

}  // namespace fanfold::mysql
