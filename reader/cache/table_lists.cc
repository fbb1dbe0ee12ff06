#include "reader/cache/table_lists.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "reader/cache/list_rows.h"

namespace fanfold::reader {
namespace {

// Which rows the answer to this question shows: those named, or those behind its start up to and
// with `last`, without which to the end.
LiveLists::Shows ShownBy(const ListQuestion& question, const std::optional<Cursor>& last) {
  if (!question.among.empty()) {
    return [among = std::unordered_set<UserId>(question.among.begin(), question.among.end())](
               const ListedUser& row) { return among.contains(row.user); };
  }
  return [after = question.after, last](const ListedUser& row) {
    return (!after || ListedBefore(*after, row)) && (!last || !ListedBefore(*last, row));
  };
}

}  // namespace

Result<FetchedLists> TableLists::Fetch(UserId user, const ListsNeeded& needed) {
  if (tables_ == nullptr) return Fail(ErrorCode::kNotFound, "not in memory");
  Result<FetchedLists> fetched = fetcher_.Fetch(*tables_, deployment_, user, needed);
  if (!fetched) return fetched;
  as_they_are_ = as_they_are_ || fetched->as_they_are;
  ahead_ = ahead_ || fetched->ahead;
  return fetched;
}

Result<ProjectionReader*> TableLists::Of(UserId user) {
  if (tables_ == nullptr) return Fail(ErrorCode::kNotFound, "not in memory");
  return tables_->On(deployment_.placement.ShardOf(user));
}

Result<ProjectionReader*> TableLists::AsTheyAre(UserId user) {
  as_they_are_ = true;
  return Of(user);
}

Result<TableLists::Piece> TableLists::Look(UserId user, const ListQuestion& question) {
  const Result<ProjectionReader*> tables = Of(user);
  if (!tables) return std::unexpected(tables.error());
  const LiveLists::Ticket ticket =
      live_.NewTicket(deployment_.placement.ShardOf(user), deployment_.read);
  Result<UserView> view = (*tables)->View(
      deployment_.read, user, deployment_.placement.PartitionOf(user), std::span(&question, 1));
  if (!view) return Forward(view);
  Piece piece{std::move(view->answers.front()), std::nullopt};
  const bool is_page = question.among.empty();
  if (is_page && piece.rows.size() == question.limit) piece.last = piece.rows.back();
  const LiveLists::Source source{question.list, user, &view->position, ticket};
  const LiveLists::Shows shows = ShownBy(question, piece.last);
  auto [state, moves] = live_.Missing(source, shows);
  if (state == ViewState::kAhead && !waited_in_vain_) {
    waited_in_vain_ = !fetcher_.WaitForReader(source);
    std::tie(state, moves) = live_.Missing(source, shows);
  }
  as_they_are_ = as_they_are_ || IsAsTablesAre(state);
  ahead_ = ahead_ || state == ViewState::kAhead;
  BringRows(piece.rows, question.list, moves);
  return piece;
}

Result<std::vector<ListedUser>> TableLists::Page(Direction list, UserId user,
                                                 const PageStart& start, std::size_t limit) {
  if (start.offset != 0) {
    const Result<ProjectionReader*> tables = AsTheyAre(user);
    if (!tables) return std::unexpected(tables.error());
    return (*tables)->Page(list, deployment_.read[list], user, start, limit);
  }
  std::vector<ListedUser> page;
  ListQuestion question{list, start.after, limit + kSpareRows, {}};
  for (int tries = 0; tries < kPageTriesMax; ++tries) {
    const Result<Piece> piece = Look(user, question);
    if (!piece) return std::unexpected(piece.error());
    const std::size_t taken = std::min(limit - page.size(), piece->rows.size());
    std::ranges::copy(std::span(piece->rows).first(taken), std::back_inserter(page));
    if (page.size() == limit || !piece->last) return page;
    question.after = piece->last;
    question.limit = std::min(kPieceGrowth * question.limit, ProjectionReader::kViewRowsMax);
  }
  return Fail(ErrorCode::kConflict, "the list changes faster than it can be read");
}

Result<std::vector<ListedUser>> TableLists::Among(Direction list, UserId user,
                                                  std::span<const UserId> others) {
  Result<Piece> looked = Look(user, {list, {}, 0, {others.begin(), others.end()}});
  if (!looked) return Forward(looked);
  return std::move(looked->rows);
}

Result<std::vector<ListedUser>> TableLists::FriendsPage(UserId user, const PageStart& start,
                                                        std::size_t limit) {
  const Result<ProjectionReader*> tables = AsTheyAre(user);
  if (!tables) return std::unexpected(tables.error());
  return (*tables)->FriendsPage(deployment_.read, user, start, limit);
}

Result<UserCounts> TableLists::Counts(UserId user) {
  const Result<ProjectionReader*> tables = AsTheyAre(user);
  if (!tables) return std::unexpected(tables.error());
  const Result<std::vector<UserCounts>> counts =
      (*tables)->Counts(deployment_.read, std::span(&user, 1));
  if (!counts) return std::unexpected(counts.error());
  return counts->front();
}

}  // namespace fanfold::reader
