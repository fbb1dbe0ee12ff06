#include "reader/query_service.h"

#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <set>

#include "reader/answers.h"
#include "tests/unit/reader/fake_tables.h"
#include "tests/unit/reader/printing.h"

namespace fanfold::reader {
namespace {

using testing::FakeEdge;
using testing::FakeShards;
using testing::FakeTables;

constexpr std::uint64_t kUsers = 12;

// A dense small graph, many equal times among it, so that ties are broken by id everywhere.
void FillAtRandom(FakeTables& tables, unsigned seed) {
  std::mt19937 random(seed);
  for (std::uint64_t subject = 1; subject <= kUsers; ++subject) {
    for (std::uint64_t object = 1; object <= kUsers; ++object) {
      if (subject == object || random() % 2 == 0) continue;
      tables.edges.push_back(
          {UserId(subject), UserId(object), static_cast<std::int64_t>(random() % 4)});
    }
  }
}

struct Rig {
  FakeTables tables;
  FakeShards shards{tables};
  Deployment deployment{tables.placement, {}};
  QueryService service{shards, deployment};

  [[nodiscard]] bool Follows(UserId subject, UserId object) const {
    return std::ranges::any_of(tables.edges, [&](const FakeEdge& edge) {
      return edge.subject == subject && edge.object == object;
    });
  }
};

// Answers so many questions, each of which has to ask for its lists.
class FewLists final : public ShardedLists {
 public:
  FewLists(ShardedLists& lists, int left) : lists_(lists), left_(left) {}
  Result<ListReader*> ListsOn(Shard shard) override {
    if (left_-- > 0) return lists_.ListsOn(shard);
    return Fail(ErrorCode::kTimeout, "no more");
  }

 private:
  ShardedLists& lists_;
  int left_;
};

// Goes through all pages and expects each full, the last one excepted, and a cursor exactly there.
template <class Ask>
std::vector<ListedUser> AllPages(std::size_t limit, Ask ask) {
  std::vector<ListedUser> all;
  std::optional<Cursor> after;
  do {
    const Result<ListAnswer> page = ask(after);
    if (!page) {
      ADD_FAILURE() << page.error().message;
      return all;
    }
    if (page->next) {
      EXPECT_EQ(page->items.size(), limit);
      EXPECT_EQ(*page->next, page->items.back());
    } else {
      EXPECT_LE(page->items.size(), limit);
      EXPECT_TRUE(after == std::nullopt || !page->items.empty()) << "an empty last page";
    }
    all.insert(all.end(), page->items.begin(), page->items.end());
    after = page->next;
  } while (after);
  return all;
}

TEST(QueryService, EveryLimitGivesTheSameList) {
  Rig rig;
  FillAtRandom(rig.tables, 1);
  for (const ListKind list : {ListKind::kFollowing, ListKind::kFans, ListKind::kFriends}) {
    for (std::uint64_t user = 1; user <= kUsers; ++user) {
      const ListQuery all{.list = list, .user = UserId(user), .start = {}, .viewer = {}};
      const Result<ListAnswer> whole = rig.service.List(all);
      ASSERT_TRUE(whole.has_value());
      EXPECT_TRUE(std::ranges::is_sorted(whole->items, ListedBefore));
      for (std::size_t limit = 1; limit <= whole->items.size() + 1; ++limit) {
        const auto paged = AllPages(limit, [&](const std::optional<Cursor>& after) {
          ListQuery query = all;
          query.limit = limit;
          query.start.after = after;
          return rig.service.List(query);
        });
        EXPECT_EQ(paged, whole->items);
      }
    }
  }
}

TEST(QueryService, OffsetSkipsEntries) {
  Rig rig;
  FillAtRandom(rig.tables, 2);
  ListQuery query{.list = ListKind::kFriends, .user = UserId(1), .start = {}, .viewer = {}};
  const std::vector<ListedUser> whole = rig.service.List(query)->items;
  ASSERT_GE(whole.size(), 2U);
  query.limit = 1;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    query.start.offset = static_cast<std::int64_t>(i);
    const Result<ListAnswer> page = rig.service.List(query);
    EXPECT_EQ(page->items, std::vector<ListedUser>({whole[i]}));
    EXPECT_EQ(page->next.has_value(), i + 1 < whole.size());
  }
}

TEST(QueryService, NobodyHasEmptyListsAndZeros) {
  Rig rig;
  const UserId nobody(999);
  for (const ListKind list : {ListKind::kFollowing, ListKind::kFans, ListKind::kFriends}) {
    const Result<ListAnswer> answer =
        rig.service.List({.list = list, .user = nobody, .start = {}, .viewer = UserId(1)});
    EXPECT_TRUE(answer->items.empty());
    EXPECT_FALSE(answer->next.has_value());
  }
  EXPECT_EQ(*rig.service.Counts({nobody}), (UserCounts{nobody, 0, 0, 0}));
}

struct RelationCase {
  const char* name;
  bool follows;
  bool followed_by;
  std::uint64_t target;
  Relation relation;
};
void PrintTo(const RelationCase& test, std::ostream* out) { *out << test.name; }

class ViewerRelationTest : public ::testing::TestWithParam<RelationCase> {};

TEST_P(ViewerRelationTest, IsTheViewersOwn) {
  const RelationCase& test = GetParam();
  const UserId viewer(1);
  const UserId listed(test.target);
  const UserId user(3);
  Rig rig;
  rig.tables.edges.push_back({listed, user, 5});
  if (test.follows) rig.tables.edges.push_back({viewer, listed, 1});
  if (test.followed_by) rig.tables.edges.push_back({listed, viewer, 1});
  const Result<ListAnswer> list =
      rig.service.List({.list = ListKind::kFans, .user = user, .start = {}, .viewer = viewer});
  EXPECT_EQ(list->relations, std::vector<Relation>({test.relation}));
  const Result<RelationsAnswer> direct = rig.service.Relations({viewer, {listed, user, listed}});
  EXPECT_EQ(direct->relations.at(0), test.relation);
  EXPECT_EQ(direct->relations.at(2), test.relation);
}

INSTANTIATE_TEST_SUITE_P(
    Relations, ViewerRelationTest,
    ::testing::Values(RelationCase{"None", false, false, 2, Relation::kNone},
                      RelationCase{"Following", true, false, 2, Relation::kFollowing},
                      RelationCase{"FollowedBy", false, true, 2, Relation::kFollowedBy},
                      RelationCase{"Friend", true, true, 2, Relation::kFriend},
                      RelationCase{"Self", false, false, 1, Relation::kSelf}));

TEST(QueryService, WithoutViewerNoRelationIsTold) {
  Rig rig;
  rig.tables.edges.push_back({UserId(1), UserId(2), 5});
  const Result<ListAnswer> list = rig.service.List({.user = UserId(1), .start = {}, .viewer = {}});
  EXPECT_EQ(list->items.size(), 1U);
  EXPECT_TRUE(list->relations.empty());
}

TEST(QueryService, CountsAreInTheOrderAskedRepeatsIncluded) {
  Rig rig;
  FillAtRandom(rig.tables, 3);
  std::vector<UserId> asked;
  for (std::uint64_t user = kUsers; user > 0; --user) asked.emplace_back(user);
  asked.emplace_back(3);
  const auto counts = rig.service.CountsOfMany({asked});
  ASSERT_TRUE(counts.has_value());
  ASSERT_EQ(counts->size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto followed = rig.service.List({.user = asked[i], .start = {}, .viewer = {}});
    EXPECT_EQ((*counts)[i].user, asked[i]);
    EXPECT_EQ((*counts)[i].following, static_cast<std::int64_t>(followed->items.size()));
    EXPECT_EQ((*counts)[i], *rig.service.Counts({asked[i]}));
  }
}

TEST(QueryService, CountsOfARepeatedUserAreAskedForOnce) {
  Rig rig;
  FillAtRandom(rig.tables, 3);
  std::vector<UserId> asked(100, UserId(3));
  asked.emplace_back(4);
  const auto counts = rig.service.CountsOfMany({asked});
  ASSERT_TRUE(counts.has_value());
  EXPECT_EQ(counts->size(), asked.size());
  EXPECT_EQ(rig.tables.users_counted, 2U);
}

TEST(QueryService, CommonIsWhatBothFollow) {
  Rig rig;
  FillAtRandom(rig.tables, 4);
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    for (std::uint64_t with = 1; with <= kUsers; ++with) {
      auto expected = rig.service.List({.user = UserId(user), .start = {}, .viewer = {}})->items;
      std::erase_if(expected, [&](const ListedUser& listed) {
        return !rig.Follows(UserId(with), listed.user);
      });
      for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
        EXPECT_EQ(expected, AllPages(limit, [&](const std::optional<Cursor>& after) {
                    return rig.service.Common({UserId(user), UserId(with), after, limit});
                  }));
      }
    }
  }
}

TEST(QueryService, KnownIsTheFansWhomTheViewerFollows) {
  Rig rig;
  FillAtRandom(rig.tables, 5);
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    for (std::uint64_t viewer = 1; viewer <= kUsers; ++viewer) {
      auto expected =
          rig.service
              .List({.list = ListKind::kFans, .user = UserId(user), .start = {}, .viewer = {}})
              ->items;
      std::erase_if(expected, [&](const ListedUser& listed) {
        return !rig.Follows(UserId(viewer), listed.user);
      });
      for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
        EXPECT_EQ(expected, AllPages(limit, [&](const std::optional<Cursor>& after) {
                    return rig.service.Known({UserId(user), UserId(viewer), after, limit});
                  }));
      }
    }
  }
}

TEST(QueryService, KnownTellsTheViewersRelation) {
  Rig rig;
  const UserId viewer(1);
  rig.tables.edges = {{UserId(2), UserId(9), 1},
                      {UserId(3), UserId(9), 2},
                      {viewer, UserId(2), 1},
                      {viewer, UserId(3), 1},
                      {UserId(3), viewer, 1}};
  const Result<ListAnswer> known = rig.service.Known({UserId(9), viewer, std::nullopt, 5});
  EXPECT_EQ(known->relations, std::vector<Relation>({Relation::kFriend, Relation::kFollowing}));
}

TEST(QueryService, CommonGoesOnBeyondOneChunk) {
  Rig rig;
  constexpr std::uint64_t kFollowed = 2 * ProjectionReader::kPageMax + 5;
  const UserId user(1'000'001);
  const UserId with(1'000'002);
  for (std::uint64_t i = 1; i <= kFollowed; ++i) {
    rig.tables.edges.push_back({user, UserId(i), static_cast<std::int64_t>(i)});
  }
  rig.tables.edges.push_back({with, UserId(1), 7});
  const Result<ListAnswer> common = rig.service.Common({user, with, std::nullopt, 1});
  EXPECT_EQ(common->items, std::vector<ListedUser>({{UserId(1), 1}}));
  EXPECT_FALSE(common->next.has_value());
}

// What suggestions are in a graph below the caps, by their definition.
std::vector<Suggestion> ExpectedSuggestions(Rig& rig, UserId user) {
  const auto following = rig.service.List({.user = user, .start = {}, .viewer = {}})->items;
  std::vector<Suggestion> expected;
  for (std::uint64_t id = 1; id <= kUsers; ++id) {
    const UserId other(id);
    if (other == user || rig.Follows(user, other)) continue;
    Suggestion suggestion{other, 0, {}};
    for (const ListedUser& via : following) {
      if (!rig.Follows(via.user, other)) continue;
      ++suggestion.score;
      if (suggestion.via.size() < kSuggestionViasTold) suggestion.via.push_back(via.user);
    }
    if (suggestion.score > 0) expected.push_back(suggestion);
  }
  std::ranges::sort(expected, [](const Suggestion& a, const Suggestion& b) {
    return a.score != b.score ? a.score > b.score : a.user > b.user;
  });
  return expected;
}

TEST(QueryService, SuggestionsAreFollowedByThoseTheUserFollowsAndNotByHim) {
  for (const unsigned seed : {6U, 7U, 8U}) {
    Rig rig;
    FillAtRandom(rig.tables, seed);
    for (std::uint64_t user = 1; user <= kUsers; ++user) {
      std::vector<Suggestion> expected = ExpectedSuggestions(rig, UserId(user));
      for (std::size_t limit = expected.size() + 1; limit > 0; --limit) {
        const auto suggestions = rig.service.Suggestions({UserId(user), limit});
        ASSERT_TRUE(suggestions.has_value());
        if (limit < expected.size()) expected.resize(limit);
        EXPECT_EQ(*suggestions, expected) << "seed " << seed << ", user " << user;
      }
    }
  }
}

TEST(QueryService, SuggestionsComeFromTheNewestOfTheNewest) {
  Rig rig;
  const UserId user(1'000'001);
  const auto follow = [&](UserId subject, std::uint64_t object, std::size_t at) {
    rig.tables.edges.push_back({subject, UserId(object), static_cast<std::int64_t>(at)});
  };
  constexpr std::uint64_t kCandidates = 2'000'000;
  for (std::size_t i = 0; i <= kSuggestionsViasMax; ++i) follow(user, 100 + i, i);
  follow(UserId(100), kCandidates, 9);  // the oldest of the following: not asked
  for (std::size_t i = 0; i <= kSuggestionsEachMax; ++i) follow(UserId(101), kCandidates + i, i);
  const auto suggestions = rig.service.Suggestions({user, kSuggestionsEachMax + 1});
  ASSERT_EQ(suggestions->size(), kSuggestionsEachMax);
  EXPECT_EQ(suggestions->back(), (Suggestion{UserId(kCandidates + 1), 1, {UserId(101)}}));
}

TEST(QueryService, SuggestionsLeaveOutEverybodyFollowedHoweverLongAgo) {
  Rig rig;
  const UserId user(1'000'001);
  constexpr std::uint64_t kFirstVia = 2'000'000;
  constexpr std::uint64_t kWanted = 1;
  const auto follow = [&](UserId subject, std::uint64_t object, std::int64_t at) {
    rig.tables.edges.push_back({subject, UserId(object), at});
  };
  for (std::uint64_t i = 0; i < kSuggestionsViasMax; ++i) follow(user, kFirstVia + i, 9'000);
  // More than one question can name, followed before all the vias and ranked before the wanted one.
  std::uint64_t known = kWanted;
  for (std::uint64_t via = kFirstVia; known <= ProjectionReader::kTargetsMax; ++via) {
    for (std::size_t i = 1; i < kSuggestionsEachMax; ++i) {
      follow(UserId(via), ++known, 1);
      follow(user, known, 1);
    }
  }
  follow(UserId(kFirstVia), kWanted, 1);
  const auto suggestions = rig.service.Suggestions({user, 5});
  EXPECT_EQ(*suggestions, std::vector<Suggestion>({{UserId(kWanted), 1, {UserId(kFirstVia)}}}));
}

// Whose following is as long as is gone through, or one longer.
class LongFollowing final : public ShardedLists, public ListReader {
 public:
  explicit LongFollowing(std::int64_t size) : size_(size) {}
  Result<ListReader*> ListsOn(Shard) override { return this; }
  Result<std::vector<ListedUser>> Page(Direction, Generation, UserId, const PageStart& start,
                                       std::size_t limit) override {
    EXPECT_LE(limit, kPageMax);
    std::vector<ListedUser> rows;
    std::int64_t next = start.after ? start.after->since_ms - 1 : size_;
    for (; next > 0 && rows.size() < limit; --next) {
      rows.push_back({UserId(static_cast<std::uint64_t>(next)), next});
    }
    return rows;
  }
  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations&, UserId, const PageStart&,
                                              std::size_t) override {
    return NotAsked();
  }
  // Nobody.
  Result<std::vector<ListedUser>> Among(Direction, Generation, UserId,
                                        std::span<const UserId>) override {
    return std::vector<ListedUser>();
  }
  Result<std::vector<UserCounts>> Counts(const ReadGenerations&, std::span<const UserId>) override {
    return NotAsked();
  }
  Result<std::vector<Directions>> Relations(const ReadGenerations&, UserId,
                                            std::span<const UserId>) override {
    return NotAsked();
  }

 private:
  static std::unexpected<Error> NotAsked() { return Fail(ErrorCode::kInternal, "not asked for"); }
  const std::int64_t size_;
};

TEST(QueryService, CommonGoesOnOnlyWhereThereIsMoreThanIsGoneThrough) {
  const Deployment deployment{Placement::Modulo({4, 2}), {}};
  const auto next_after = [&](std::int64_t following) {
    LongFollowing lists(following);
    const auto page = QueryService(lists, deployment).Common({UserId(1), UserId(2), {}, 20});
    EXPECT_TRUE(page && page->items.empty());
    return page ? page->next : std::nullopt;
  };
  EXPECT_FALSE(next_after(kFollowingScanMax - 1));
  EXPECT_FALSE(next_after(kFollowingScanMax));
  EXPECT_EQ(next_after(kFollowingScanMax + 1), (ListedUser{UserId(2), 2}));
}

TEST(QueryService, DatabaseAwayIsSaid) {
  Rig rig;
  rig.tables.away = true;
  const auto list = rig.service.List({.user = UserId(1), .start = {}, .viewer = {}});
  ASSERT_FALSE(list.has_value());
  EXPECT_EQ(list.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(rig.service.Common({UserId(1), UserId(2), std::nullopt, 1}).has_value());
  EXPECT_FALSE(rig.service.Known({UserId(1), UserId(2), std::nullopt, 1}).has_value());
  EXPECT_FALSE(rig.service.Suggestions({UserId(1), 1}).has_value());
}

// Whoever has a deadline is asked before each question, however many one scan has.
TEST(QueryService, ALongScanAsksForItsListsAgainAndAgain) {
  Rig rig;
  const UserId user(1);
  const UserId with(2);
  for (std::uint64_t object = 10; object < 3010; ++object) {
    rig.tables.edges.push_back({user, UserId(object), static_cast<std::int64_t>(object)});
  }
  constexpr int kEnough = 4;
  FewLists lists(rig.shards, kEnough);
  QueryService service(lists, rig.deployment);
  EXPECT_EQ(service.Common({user, with, {}, 20}).error().code, ErrorCode::kTimeout);
  FewLists for_known(rig.shards, kEnough);
  QueryService known(for_known, rig.deployment);
  EXPECT_EQ(known.Known({with, user, {}, 20}).error().code, ErrorCode::kTimeout);
}

// The end of an account that is told as done has ended in the counts beside it.
TEST(AnswerJson, CountsAreNeverOlderThanWhatElseIsTold) {
  Rig rig;
  const Expand follows_meanwhile = [&](std::span<const UserId> users) {
    rig.tables.edges.push_back({UserId(1), UserId(2), 5});
    return Result<std::vector<std::string>>(
        std::vector<std::string>(users.size(), R"("erase":"done")"));
  };
  EXPECT_EQ(AnswerJson(rig.service, CountsQuery{UserId(1)}, follows_meanwhile),
            R"({"user_id":"1","erase":"done","following":1,"fans":0,"friends":0})");
  EXPECT_EQ(AnswerJson(rig.service, CountsOfManyQuery{{UserId(1)}}, follows_meanwhile),
            R"({"items":[{"user_id":"1","erase":"done","following":2,"fans":0,"friends":0}]})");
}

}  // namespace
}  // namespace fanfold::reader
