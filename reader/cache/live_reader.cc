#include "reader/cache/live_reader.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/base/check.h"
#include "reader/cache/list_rows.h"

namespace fanfold::reader {
namespace {

constexpr auto kFollowing = Direction::kFollowing;
constexpr auto kFans = Direction::kFans;
constexpr ListsNeeded kBoth{.following = true, .fans = true};

ListsNeeded Only(Direction list) {
  return {.following = list == kFollowing, .fans = list == kFans};
}

const HeldList& In(const HeldLists& held, Direction list) {
  const HeldList* asked = held.Of(list);
  FANFOLD_CHECK(asked != nullptr, "a list is there when its answer is asked for");
  return *asked;
}

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

std::unexpected<Error> LiveReader::Missed() {
  missed_ = true;
  return Fail(ErrorCode::kNotFound, "not in memory");
}

Result<ProjectionReader*> LiveReader::TablesOf(UserId user) {
  if (tables_ == nullptr) return Missed();
  return tables_->On(deployment_.placement.ShardOf(user));
}

Result<ProjectionReader*> LiveReader::TablesAsTheyAre(UserId user) {
  as_tables_are_ = true;
  return TablesOf(user);
}

Result<LiveReader::TablePiece> LiveReader::Look(UserId user, const ListQuestion& question) {
  const Result<ProjectionReader*> tables = TablesOf(user);
  if (!tables) return std::unexpected(tables.error());
  const LiveLists::Ticket ticket =
      live_.NewTicket(deployment_.placement.ShardOf(user), deployment_.read);
  Result<UserView> view = (*tables)->View(
      deployment_.read, user, deployment_.placement.PartitionOf(user), std::span(&question, 1));
  if (!view) return Forward(view);
  TablePiece piece{std::move(view->answers.front()), std::nullopt};
  const bool is_page = question.among.empty();
  if (is_page && piece.rows.size() == question.limit) piece.last = piece.rows.back();
  const LiveLists::Source source{question.list, user, &view->position, ticket};
  const LiveLists::Shows shows = ShownBy(question, piece.last);
  auto [state, moves] = live_.Missing(source, shows);
  if (state == ViewState::kAhead && !waited_in_vain_) {
    waited_in_vain_ = !loader_.WaitForR(source);
    std::tie(state, moves) = live_.Missing(source, shows);
  }
  as_tables_are_ = as_tables_are_ || IsAsTablesAre(state);
  ahead_ = ahead_ || state == ViewState::kAhead;
  BringRows(piece.rows, question.list, moves);
  return piece;
}

template <class Answer>
auto LiveReader::Ask(UserId user, const ListsNeeded& needed, const Answer& answer)
    -> Result<decltype(answer(HeldLists{}))> {
  LoadedLists loaded;
  for (int tries = 0; tries <= kLoadTriesMax; ++tries) {
    std::optional<decltype(answer(HeldLists{}))> answered;
    live_.cache().With(user, [&](HeldLists held) {
      if (loaded.following) held.following = loaded.following.get();
      if (loaded.fans) held.fans = loaded.fans.get();
      const bool lacks =
          (needed.following && held.following == nullptr) || (needed.fans && held.fans == nullptr);
      if (!lacks) answered.emplace(answer(held));
    });
    if (answered) {
      if (tries == 0 && !was_fetched_) live_.cache().CountHit();
      if (tries == 0 && was_fetched_) live_.cache().CountMiss();
      return *std::move(answered);
    }
    if (tables_ == nullptr) return Missed();
    if (tries == 0) live_.cache().CountMiss();
    Result<LoadedLists> fetched = loader_.Load(*tables_, deployment_, user, needed);
    if (!fetched) return Forward(fetched);
    loaded = *std::move(fetched);
    as_tables_are_ = as_tables_are_ || loaded.as_they_are;
    ahead_ = ahead_ || loaded.ahead;
  }
  return Fail(ErrorCode::kOverloaded, "the cache is too small for what is asked at once");
}

Result<std::vector<ListedUser>> LiveReader::Page(Direction list, Generation, UserId user,
                                                 const PageStart& start, std::size_t limit) {
  auto page = Ask(user, Only(list),
                  [&](const HeldLists& held) { return In(held, list).Page(start, limit); });
  if (!page) return Forward(page);
  if (*page) return **std::move(page);
  return PageOfTable(list, user, start, limit);
}

Result<std::vector<ListedUser>> LiveReader::PageOfTable(Direction list, UserId user,
                                                        const PageStart& start, std::size_t limit) {
  if (start.offset != 0) {
    const Result<ProjectionReader*> tables = TablesAsTheyAre(user);
    if (!tables) return std::unexpected(tables.error());
    return (*tables)->Page(list, deployment_.read[list], user, start, limit);
  }
  std::vector<ListedUser> page;
  ListQuestion question{list, start.after, limit + kSpareRows, {}};
  for (int tries = 0; tries < kPageTriesMax; ++tries) {
    const Result<TablePiece> piece = Look(user, question);
    if (!piece) return std::unexpected(piece.error());
    const std::size_t taken = std::min(limit - page.size(), piece->rows.size());
    std::ranges::copy(std::span(piece->rows).first(taken), std::back_inserter(page));
    if (page.size() == limit || !piece->last) return page;
    question.after = piece->last;
    question.limit = std::min(kPieceGrowth * question.limit, ProjectionReader::kViewRowsMax);
  }
  return Fail(ErrorCode::kConflict, "the list changes faster than it can be read");
}

Result<std::vector<ListedUser>> LiveReader::Among(Direction list, Generation, UserId user,
                                                  std::span<const UserId> others) {
  auto among = Ask(user, Only(list),
                   [&](const HeldLists& held) { return AmongHeld(In(held, list), others); });
  if (!among) return Forward(among);
  if (!among->unknown.empty()) {
    Result<std::vector<ListedUser>> rest = TurnedRound(list, user, among->unknown);
    if (!rest) return rest;
    std::ranges::copy(*rest, std::back_inserter(among->found));
  }
  SortUnique(among->found);
  return std::move(among->found);
}

Result<std::vector<ListedUser>> LiveReader::TurnedRound(Direction list, UserId user,
                                                        std::span<const UserId> others) {
  std::vector<ListedUser> found;
  std::vector<UserId> unknown;
  for (const UserId other : others) {
    live_.cache().With(other, [&](const HeldLists& held) {
      const HeldList* own = held.Of(Reverse(list));
      const auto since = own != nullptr ? own->SinceOf(user) : std::nullopt;
      if (since) found.push_back({other, *since});
      if (!since && (own == nullptr || !own->whole())) unknown.push_back(other);
    });
  }
  for (std::size_t at = 0; at < unknown.size(); at += ProjectionReader::kTargetsMax) {
    const std::size_t n = std::min(ProjectionReader::kTargetsMax, unknown.size() - at);
    Result<std::vector<ListedUser>> rest =
        AmongOfTable(list, user, std::span(unknown).subspan(at, n));
    if (!rest) return rest;
    std::ranges::copy(*rest, std::back_inserter(found));
  }
  return found;
}

Result<std::vector<ListedUser>> LiveReader::AmongOfTable(Direction list, UserId user,
                                                         std::span<const UserId> others) {
  Result<TablePiece> looked = Look(user, {list, {}, 0, {others.begin(), others.end()}});
  if (!looked) return Forward(looked);
  return std::move(looked->rows);
}

Result<std::optional<std::vector<ListedUser>>> LiveReader::Friends(UserId user) {
  struct Met {
    std::vector<ListedUser> friends;
    std::vector<ListedUser> unknown;  // followed; whether they follow back is not held
  };
  auto met = Ask(user, kBoth, [](const HeldLists& held) -> std::optional<Met> {
    if (!held.following->whole()) return std::nullopt;
    Met lists;
    held.following->VisitNewestFirst([&](const ListedUser& row) {
      if (const auto since = held.fans->SinceOf(row.user)) {
        lists.friends.push_back({row.user, std::max(*since, row.since_ms)});
      } else if (!held.fans->whole()) {
        lists.unknown.push_back(row);
      }
    });
    return lists;
  });
  if (!met) return Forward(met);
  if (!*met) return std::optional<std::vector<ListedUser>>();
  std::vector<ListedUser> friends = std::move((*met)->friends);
  if (!(*met)->unknown.empty()) {
    std::unordered_map<UserId, std::int64_t> since_of;
    std::vector<UserId> users;
    for (const ListedUser& row : (*met)->unknown) {
      since_of.emplace(row.user, row.since_ms);
      users.push_back(row.user);
    }
    Result<std::vector<ListedUser>> fans = TurnedRound(kFans, user, users);
    if (!fans) return Forward(fans);
    for (const ListedUser& fan : *fans) {
      friends.push_back({fan.user, std::max(fan.since_ms, since_of.at(fan.user))});
    }
  }
  std::ranges::sort(friends, ListedBefore);
  return std::optional(std::move(friends));
}

Result<std::vector<ListedUser>> LiveReader::FriendsPage(const ReadGenerations& read, UserId user,
                                                        const PageStart& start, std::size_t limit) {
  Result<std::optional<std::vector<ListedUser>>> friends = Friends(user);
  if (!friends) return Forward(friends);
  if (*friends) return CutPage(**std::move(friends), start, limit);
  const Result<ProjectionReader*> tables = TablesAsTheyAre(user);
  if (!tables) return std::unexpected(tables.error());
  return (*tables)->FriendsPage(read, user, start, limit);
}

Result<UserCounts> LiveReader::CountsOf(UserId user) {
  ahead_ = false;
  auto counted = Ask(user, kBoth, [&](const HeldLists& held) -> std::optional<UserCounts> {
    if (!held.following->whole() || !held.fans->whole()) return std::nullopt;
    UserCounts counts{user, held.following->count().value, held.fans->count().value, 0};
    held.following->VisitNewestFirst(
        [&](const ListedUser& row) { counts.friends += held.fans->Contains(row.user) ? 1 : 0; });
    return counts;
  });
  if (!counted) return std::unexpected(counted.error());
  if (*counted) return **counted;
  for (int tries = 0; !ahead_ && tries < kCountTriesMax; ++tries) {
    const std::uint64_t stretch = live_.Stretch();
    const LiveLists::Mark mark = live_.Latest();
    const Result<std::optional<std::vector<ListedUser>>> friends = Friends(user);
    if (!friends) return std::unexpected(friends.error());
    if (!*friends || ahead_) break;
    const std::optional<UserCounts> counts = CountStanding(user, **friends, mark);
    if (counts && live_.Lasts(stretch)) return *counts;
  }
  return CountsOfTables(user);
}

Result<UserCounts> LiveReader::CountsOfTables(UserId user) {
  const Result<ProjectionReader*> tables = TablesAsTheyAre(user);
  if (!tables) return std::unexpected(tables.error());
  const Result<std::vector<UserCounts>> counts =
      (*tables)->Counts(deployment_.read, std::span(&user, 1));
  if (!counts) return std::unexpected(counts.error());
  return counts->front();
}

// Friends were looked for while R moved on from `since`: those who came and left meanwhile are told
// by the moves. Nothing when the user has followed or unfollowed, or is not held any more.
std::optional<UserCounts> LiveReader::CountStanding(UserId user,
                                                    std::span<const ListedUser> friends,
                                                    LiveLists::Mark since) {
  std::optional<UserCounts> counts;
  std::unordered_set<UserId> met;
  for (const ListedUser& row : friends) met.insert(row.user);
  live_.WhileStanding(user, since, [&](const LiveLists::Standing& standing) {
    const auto [following, fans] = standing.held;
    if (following == nullptr || fans == nullptr || !standing.following.empty()) return;
    for (const EdgeMove& move : standing.fans) {
      if (!move.joins) met.erase(move.subject);
      if (move.joins && following->Contains(move.subject)) met.insert(move.subject);
    }
    counts = {user, following->count().value, fans->count().value, std::ssize(met)};
  });
  return counts;
}

Result<std::vector<UserCounts>> LiveReader::Counts(const ReadGenerations&,
                                                   std::span<const UserId> users) {
  std::vector<UserCounts> counts;
  counts.reserve(users.size());
  for (const UserId user : users) {
    const Result<UserCounts> one = CountsOf(user);
    if (!one) return std::unexpected(one.error());
    counts.push_back(*one);
  }
  return counts;
}

Result<std::vector<Directions>> LiveReader::Relations(const ReadGenerations& read, UserId user,
                                                      std::span<const UserId> targets) {
  auto seen = Ask(user, kBoth, [&](const HeldLists& held) {
    std::vector<Directions> directions;
    if (!held.following->whole() || !held.fans->whole()) return directions;
    directions.reserve(targets.size());
    for (const UserId target : targets) {
      directions.push_back({held.following->Contains(target), held.fans->Contains(target)});
    }
    return directions;
  });
  if (!seen || targets.empty() || !seen->empty()) return seen;
  const auto among = [&](Direction list) { return Among(list, read[list], user, targets); };
  const Result<std::vector<ListedUser>> follows = among(kFollowing);
  if (!follows) return std::unexpected(follows.error());
  const Result<std::vector<ListedUser>> followed_by = among(kFans);
  if (!followed_by) return std::unexpected(followed_by.error());
  std::unordered_map<UserId, Directions> found;
  for (const ListedUser& row : *follows) found[row.user].follows = true;
  for (const ListedUser& row : *followed_by) found[row.user].followed_by = true;
  std::vector<Directions> directions;
  directions.reserve(targets.size());
  for (const UserId target : targets) directions.push_back(found[target]);
  return directions;
}

}  // namespace fanfold::reader
