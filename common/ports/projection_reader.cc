#include "common/ports/projection_reader.h"

#include <utility>

namespace fanfold {
namespace {

std::optional<std::vector<ListedUser>> IfWhole(std::vector<ListedUser> rows, std::size_t rows_max) {
  if (rows.size() > rows_max) return std::nullopt;
  return rows;
}

}  // namespace

// User by user.
Result<std::vector<WholeView>> ProjectionReader::Lists(const ReadGenerations& read,
                                                       std::span<const WholeLists> asked,
                                                       const WholeListsLimit& limit) {
  std::vector<WholeView> told;
  for (const WholeLists& lists : asked) {
    std::vector<ListQuestion> questions;
    if (lists.following) questions.push_back({Direction::kFollowing, {}, limit.each + 1, {}});
    if (lists.fans) questions.push_back({Direction::kFans, {}, limit.each + 1, {}});
    Result<UserView> view = View(read, lists.user, lists.partition, questions);
    if (!view) return Forward(view);
    WholeView& whole = told.emplace_back();
    whole.position = std::move(view->position);
    if (lists.following) whole.following = IfWhole(std::move(view->answers.front()), limit.each);
    if (lists.fans) whole.fans = IfWhole(std::move(view->answers.back()), limit.each);
  }
  return told;
}

std::unique_ptr<RowReader> ProjectionReader::OpenRows(Projection /*projection*/) { return nullptr; }

}  // namespace fanfold
