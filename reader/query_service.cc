#include "reader/query_service.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "common/base/check.h"

namespace fanfold::reader {
namespace {

// Of a range of ListedUser or Suggestion.
template <class Range>
std::vector<UserId> UsersOf(const Range& range) {
  std::vector<UserId> users;
  users.reserve(range.size());
  for (const auto& entry : range) users.push_back(entry.user);
  return users;
}

// `rows` was asked for limit + 1: the one too many says that there is a next page.
ListAnswer PageOf(std::vector<ListedUser> rows, std::size_t limit) {
  ListAnswer answer;
  const bool more = rows.size() > limit;
  if (more) rows.resize(limit);
  answer.items = std::move(rows);
  if (more) answer.next = answer.items.back();
  return answer;
}

constexpr std::size_t kScanRowsFirst = 128;

// Goes through a user's following, newest first, in pages that grow up to kPageMax: a few rows are
// often enough.
class FollowingScan {
 public:
  FollowingScan(ShardedLists& lists, const Deployment& deployment, UserId user,
                std::optional<Cursor> after, std::size_t first_rows)
      : lists_(lists),
        deployment_(deployment),
        user_(user),
        after_(after),
        page_rows_(first_rows) {}

  // The next ones; empty at the end and at the bound.
  Result<std::vector<ListedUser>> Next() {
    if (ended_ || BoundReached()) return std::vector<ListedUser>();
    const auto left = static_cast<std::size_t>(kFollowingScanMax - scanned_);
    const std::size_t asked = std::min(page_rows_, left);
    Result<std::vector<ListedUser>> rows = Rows(asked);
    if (!rows) return rows;
    ended_ = rows->size() < asked;
    page_rows_ = std::min(2 * page_rows_, ListReader::kPageMax);
    scanned_ += static_cast<std::int64_t>(rows->size());
    if (!rows->empty()) after_ = rows->back();
    return rows;
  }

  // Where a further scan would begin, when this one was cut short of something.
  [[nodiscard]] Result<std::optional<Cursor>> CutAt() {
    if (ended_ || !BoundReached()) return std::nullopt;
    const Result<std::vector<ListedUser>> next = Rows(1);
    if (!next) return std::unexpected(next.error());
    return next->empty() ? std::nullopt : after_;
  }

 private:
  [[nodiscard]] bool BoundReached() const { return scanned_ >= kFollowingScanMax; }
  [[nodiscard]] Result<std::vector<ListedUser>> Rows(std::size_t limit) {
    const Result<ListReader*> reader = lists_.ListsOn(deployment_.placement.ShardOf(user_));
    if (!reader) return std::unexpected(reader.error());
    return (*reader)->Page(Direction::kFollowing, deployment_.read[Direction::kFollowing], user_,
                           PageStart{.after = after_}, limit);
  }

  ShardedLists& lists_;
  const Deployment& deployment_;
  UserId user_;
  std::optional<Cursor> after_;
  std::size_t page_rows_;
  std::int64_t scanned_ = 0;
  bool ended_ = false;
};

// Those of `rows` whose user is among `kept`, in the order of `rows`.
void AppendKept(std::span<const ListedUser> rows, std::span<const ListedUser> kept,
                std::vector<ListedUser>& to) {
  std::vector<UserId> users = UsersOf(kept);
  std::ranges::sort(users);
  std::ranges::copy_if(rows, std::back_inserter(to), [&](const ListedUser& row) {
    return std::ranges::binary_search(users, row.user);
  });
}

}  // namespace

Result<std::vector<ListedUser>> QueryService::Rows(const ListQuery& query, std::size_t limit) {
  Result<ListReader*> reader = Of(query.user);
  if (!reader) return Forward(reader);
  const ReadGenerations& read = deployment_.read;
  switch (query.list) {
    case ListKind::kFollowing:
      return (*reader)->Page(Direction::kFollowing, read[Direction::kFollowing], query.user,
                             query.start, limit);
    case ListKind::kFans:
      return (*reader)->Page(Direction::kFans, read[Direction::kFans], query.user, query.start,
                             limit);
    case ListKind::kFriends:
      return (*reader)->FriendsPage(read, query.user, query.start, limit);
  }
  return Fail(ErrorCode::kInternal, "unknown list");
}

Result<std::vector<ListedUser>> QueryService::Among(Direction list, UserId user,
                                                    std::span<const UserId> others) {
  Result<ListReader*> reader = Of(user);
  if (!reader) return Forward(reader);
  return (*reader)->Among(list, deployment_.read[list], user, others);
}

Result<ListAnswer> QueryService::List(const ListQuery& query) {
  Result<std::vector<ListedUser>> rows = Rows(query, query.limit + 1);
  if (!rows) return Forward(rows);
  ListAnswer answer = PageOf(*std::move(rows), query.limit);
  if (!query.viewer) return answer;
  Result<std::vector<Relation>> relations = RelationsTo(*query.viewer, UsersOf(answer.items));
  if (!relations) return Forward(relations);
  answer.relations = *std::move(relations);
  return answer;
}

Result<ListAnswer> QueryService::Common(const CommonQuery& query) {
  FollowingScan scan(lists_, deployment_, query.user, query.after,
                     std::max(kScanRowsFirst, query.limit + 1));
  std::vector<ListedUser> rows;
  while (rows.size() <= query.limit) {
    const Result<std::vector<ListedUser>> following = scan.Next();
    if (!following) return std::unexpected(following.error());
    if (following->empty()) break;
    const Result<std::vector<ListedUser>> both =
        Among(Direction::kFollowing, query.with, UsersOf(*following));
    if (!both) return std::unexpected(both.error());
    AppendKept(*following, *both, rows);
  }
  ListAnswer answer = PageOf(std::move(rows), query.limit);
  if (answer.next) return answer;
  Result<std::optional<Cursor>> cut = scan.CutAt();
  if (!cut) return Forward(cut);
  answer.next = *cut;
  return answer;
}

Result<ListAnswer> QueryService::Known(const KnownQuery& query) {
  FollowingScan scan(lists_, deployment_, query.viewer, std::nullopt, ListReader::kPageMax);
  std::vector<ListedUser> rows;
  while (true) {
    const Result<std::vector<ListedUser>> following = scan.Next();
    if (!following) return std::unexpected(following.error());
    if (following->empty()) break;
    const Result<std::vector<ListedUser>> fans =
        Among(Direction::kFans, query.user, UsersOf(*following));
    if (!fans) return std::unexpected(fans.error());
    rows.insert(rows.end(), fans->begin(), fans->end());
  }
  std::ranges::sort(rows, ListedBefore);
  if (query.after) {
    rows.erase(rows.begin(), std::ranges::upper_bound(rows, *query.after, ListedBefore));
  }
  ListAnswer answer = PageOf(std::move(rows), query.limit);
  Result<std::vector<Relation>> relations = RelationsTo(query.viewer, UsersOf(answer.items));
  if (!relations) return Forward(relations);
  answer.relations = *std::move(relations);
  return answer;
}

Result<UserCounts> QueryService::Counts(const CountsQuery& query) {
  Result<std::vector<UserCounts>> counts = CountsOfMany(CountsOfManyQuery{{query.user}});
  if (!counts) return Forward(counts);
  return counts->front();
}

Result<std::vector<UserCounts>> QueryService::CountsOfMany(const CountsOfManyQuery& query) {
  std::unordered_map<UserId, UserCounts> counted;
  std::map<Shard, std::vector<UserId>> asked;  // each user once
  for (const UserId user : query.users) {
    if (counted.try_emplace(user).second) {
      asked[deployment_.placement.ShardOf(user)].push_back(user);
    }
  }
  for (const auto& [shard, users] : asked) {
    Result<ListReader*> reader = lists_.ListsOn(shard);
    if (!reader) return Forward(reader);
    Result<std::vector<UserCounts>> counts = (*reader)->Counts(deployment_.read, users);
    if (!counts) return counts;
    FANFOLD_CHECK(counts->size() == users.size(), "counts are one a user asked for");
    for (std::size_t i = 0; i < users.size(); ++i) counted[users[i]] = (*counts)[i];
  }
  std::vector<UserCounts> answer;
  answer.reserve(query.users.size());
  for (const UserId user : query.users) answer.push_back(counted.at(user));
  return answer;
}

Result<RelationsAnswer> QueryService::Relations(const RelationsQuery& query) {
  Result<std::vector<Relation>> relations = RelationsTo(query.user, query.targets);
  if (!relations) return Forward(relations);
  return RelationsAnswer{query.user, query.targets, *std::move(relations)};
}

Result<std::vector<Relation>> QueryService::RelationsTo(UserId viewer,
                                                        std::span<const UserId> others) {
  if (others.empty()) return std::vector<Relation>();
  Result<ListReader*> reader = Of(viewer);
  if (!reader) return Forward(reader);
  const Result<std::vector<Directions>> directions =
      (*reader)->Relations(deployment_.read, viewer, others);
  if (!directions) return std::unexpected(directions.error());
  FANFOLD_CHECK(directions->size() == others.size(), "directions are one a user asked for");
  std::vector<Relation> relations;
  relations.reserve(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Directions& seen = (*directions)[i];
    relations.push_back(RelationOf(viewer, others[i], seen.follows, seen.followed_by));
  }
  return relations;
}

Result<std::vector<Suggestion>> QueryService::Suggestions(const SuggestionsQuery& query) {
  Result<std::vector<Via>> vias = ViasOf(query.user);
  if (!vias) return Forward(vias);
  return NotFollowed(query.user, RankSuggestions(query.user, *vias), query.limit);
}

Result<std::vector<Via>> QueryService::ViasOf(UserId user) {
  const Result<std::vector<ListedUser>> following = NewestFollowing(user, kSuggestionsViasMax);
  if (!following) return std::unexpected(following.error());
  std::vector<Via> vias;
  vias.reserve(following->size());
  for (const ListedUser& followed : *following) {
    Result<std::vector<ListedUser>> follows = NewestFollowing(followed.user, kSuggestionsEachMax);
    if (!follows) return Forward(follows);
    vias.push_back({followed.user, *std::move(follows)});
  }
  return vias;
}

Result<std::vector<ListedUser>> QueryService::NewestFollowing(UserId user, std::size_t limit) {
  Result<ListReader*> reader = Of(user);
  if (!reader) return Forward(reader);
  return (*reader)->Page(Direction::kFollowing, deployment_.read[Direction::kFollowing], user, {},
                         limit);
}

Result<std::vector<Suggestion>> QueryService::NotFollowed(UserId user,
                                                          std::span<const Suggestion> ranked,
                                                          std::size_t limit) {
  std::vector<Suggestion> kept;
  while (kept.size() < limit && !ranked.empty()) {
    const auto chunk = ranked.first(std::min(ranked.size(), ListReader::kTargetsMax));
    ranked = ranked.subspan(chunk.size());
    const Result<std::vector<ListedUser>> followed =
        Among(Direction::kFollowing, user, UsersOf(chunk));
    if (!followed) return std::unexpected(followed.error());
    std::vector<UserId> known = UsersOf(*followed);
    std::ranges::sort(known);
    std::ranges::copy_if(chunk, std::back_inserter(kept), [&](const Suggestion& suggestion) {
      return !std::ranges::binary_search(known, suggestion.user);
    });
  }
  if (kept.size() > limit) kept.resize(limit);
  return kept;
}

}  // namespace fanfold::reader
