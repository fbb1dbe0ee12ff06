#include "reader/cache/live_reader.h"

#include <algorithm>
#include <iterator>
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

}  // namespace

template <class Answer>
auto LiveReader::Ask(UserId user, const ListsNeeded& needed, const Answer& answer)
    -> Result<decltype(answer(HeldLists{}))> {
  FetchedLists brought;
  for (int tries = 0; tries <= kFetchTriesMax; ++tries) {
    std::optional<decltype(answer(HeldLists{}))> answered;
    live_.cache().With(user, [&](HeldLists held) {
      if (brought.following) held.following = brought.following.get();
      if (brought.fans) held.fans = brought.fans.get();
      const bool lacks =
          (needed.following && held.following == nullptr) || (needed.fans && held.fans == nullptr);
      if (!lacks) answered.emplace(answer(held));
    });
    if (answered) {
      if (tries == 0 && !was_fetched_) live_.cache().CountHit();
      if (tries == 0 && was_fetched_) live_.cache().CountMiss();
      return *std::move(answered);
    }
    if (tries == 0 && tables_.AreThere()) live_.cache().CountMiss();
    Result<FetchedLists> fetched = tables_.Fetch(user, needed);
    if (!fetched) return Forward(fetched);
    brought = *std::move(fetched);
  }
  return Fail(ErrorCode::kOverloaded, "the cache is too small for what is asked at once");
}

Result<std::vector<ListedUser>> LiveReader::Page(Direction list, Generation, UserId user,
                                                 const PageStart& start, std::size_t limit) {
  auto page = Ask(user, Only(list),
                  [&](const HeldLists& held) { return In(held, list).Page(start, limit); });
  if (!page) return Forward(page);
  if (*page) return **std::move(page);
  return tables_.Page(list, user, start, limit);
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
        tables_.Among(list, user, std::span(unknown).subspan(at, n));
    if (!rest) return rest;
    std::ranges::copy(*rest, std::back_inserter(found));
  }
  return found;
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

Result<std::vector<ListedUser>> LiveReader::FriendsPage(const ReadGenerations&, UserId user,
                                                        const PageStart& start, std::size_t limit) {
  Result<std::optional<std::vector<ListedUser>>> friends = Friends(user);
  if (!friends) return Forward(friends);
  if (*friends) return CutPage(**std::move(friends), start, limit);
  return tables_.FriendsPage(user, start, limit);
}

Result<UserCounts> LiveReader::CountsOf(UserId user) {
  tables_.ForgetAhead();
  auto counted = Ask(user, kBoth, [&](const HeldLists& held) -> std::optional<UserCounts> {
    if (!held.following->whole() || !held.fans->whole()) return std::nullopt;
    UserCounts counts{user, held.following->count().value, held.fans->count().value, 0};
    held.following->VisitNewestFirst(
        [&](const ListedUser& row) { counts.friends += held.fans->Contains(row.user) ? 1 : 0; });
    return counts;
  });
  if (!counted) return std::unexpected(counted.error());
  if (*counted) return **counted;
  for (int tries = 0; !tables_.ahead() && tries < kCountTriesMax; ++tries) {
    const std::uint64_t stretch = live_.Stretch();
    const LiveLists::Mark mark = live_.Latest();
    const Result<std::optional<std::vector<ListedUser>>> friends = Friends(user);
    if (!friends) return std::unexpected(friends.error());
    if (!*friends || tables_.ahead()) break;
    const std::optional<UserCounts> counts = CountStanding(user, **friends, mark);
    if (counts && live_.Lasts(stretch)) return *counts;
  }
  return tables_.Counts(user);
}

// Friends were looked for while the reader's position moved on from `since`: those who came and
// left meanwhile are told by the moves. Nothing when the user has followed or unfollowed, or is not
// held any more.
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
