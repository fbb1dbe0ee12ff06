#pragma once

#include <memory>
#include <string>

#include "common/ports/post_reader.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<PostReader> NewPostReader(Projection projection,
                                                        Connection& connection);

// Statements of the table of that name, for their plans.
// An author's (?1) newest posts, ?2 of them; or those behind score ?3 and id ?4.
[[nodiscard]] std::string SelectPostsText(const std::string& table, bool is_behind);
// Scores and ids of an author, ?1, at most ?2 of them: at or below score ?3 and id ?4, or above.
[[nodiscard]] std::string SelectStretchText(const std::string& table, PostStretch::Side side);

}  // namespace fanfold::sqlite
