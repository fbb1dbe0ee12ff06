// Questions about posts, answered by the tables.
#pragma once

#include <cstddef>
#include <optional>

#include "common/post/listed_post.h"
#include "reader/table_question.h"

namespace fanfold::reader {

// An author's posts behind `after`, newest first: {"items":[…],"next_cursor"}.
[[nodiscard]] QuestionPtr NewPostPage(UserId author, const std::optional<PostPlace>& after,
                                      std::size_t limit);
// One post.
[[nodiscard]] QuestionPtr NewOnePost(UserId author, PostId post);

}  // namespace fanfold::reader
