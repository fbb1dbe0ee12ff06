// Each of the reader's questions against the index it declares, and what it takes to answer.
#include "common/sqlite/reader_queries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/contract/sqlite/query_plan.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {
namespace {

constexpr UserId kTied(5'000'000);    // all fans of this user have the same since
constexpr UserId kSpread(5'000'001);  // each fan of this user has another since
constexpr std::int64_t kFans = 20'000;
constexpr std::int64_t kTiedSince = 1'000;
// What a question costs for being asked, and for each row that it looks at, at most.
constexpr std::int64_t kStepsForAsking = 100;
constexpr std::int64_t kStepsForARow = 30;

class ReaderQueries : public ::testing::Test {
 protected:
  ReaderQueries() : connection_(tables_.path(), {}) {
    for (const auto& user_and_step : {std::pair{kTied, 0}, std::pair{kSpread, 1}}) {
      Must(connection_.Run([&] {
        return connection_.Execute(
            "WITH RECURSIVE d AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM d WHERE n < ?4) INSERT "
            "INTO fans_g1 (user_id, fan_id, active, since_ms, version) SELECT ?1, n, 1, ?2 + ?3 * "
            "n, 1 FROM d",
            user_and_step.first.value, kTiedSince, user_and_step.second, kFans);
      }));
    }
  }

  [[nodiscard]] std::int64_t RowsLookedAt(const sqlite::ReaderQuery& query) const {
    return (StepsOf(tables_.path(), query.sql, query.values) - kStepsForAsking) / kStepsForARow;
  }

  SqliteTablesFile tables_;
  sqlite::Connection connection_;
};

struct NamedQuery {
  const char* name;
  sqlite::ReaderQuery query;
  bool sorts = false;
};

std::vector<ListQuestion> OneOfEach() {
  return {{Direction::kFollowing, {}, 21, {}},
          {Direction::kFans, ListedUser{UserId(7), kTiedSince}, 21, {}},
          {Direction::kFans, {}, 0, {UserId(3), UserId(4)}}};
}

std::vector<NamedQuery> AllQueries() {
  const PageStart after{ListedUser{UserId(7), kTiedSince}, 0};
  const std::vector<UserId> users = {kSpread, UserId(3), UserId(4)};
  constexpr auto kFollowingList = Direction::kFollowing;
  constexpr auto kFansList = Direction::kFans;
  return {
      {"first page of following", sqlite::PageQuery(kFollowingList, kG1, kSpread, {}, 21)},
      {"first page of fans", sqlite::PageQuery(kFansList, kG1, kSpread, {}, 21)},
      {"page after a cursor", sqlite::PageQuery(kFansList, kG1, kSpread, after, 21)},
      {"page at an offset", sqlite::PageQuery(kFansList, kG1, kSpread, {{}, 100}, 21)},
      {"first page of friends", sqlite::FriendsPageQuery(kReadG1, kSpread, {}, 21), true},
      {"friends after a cursor", sqlite::FriendsPageQuery(kReadG1, kSpread, after, 21), true},
      {"among", sqlite::AmongQuery(kFansList, kG1, kSpread, users), true},
      {"counts", sqlite::CountsQuery(kReadG1, users)},
      {"relations", sqlite::RelationsQuery(kReadG1, kSpread, users)},
      {"view", sqlite::ViewQuery(kReadG1, kSpread, Partition(0), OneOfEach()), true},
      {"edge", sqlite::EdgeAtQuery(kFansList, kG1, {kSpread, UserId(3)}, Partition(0))},
      {"repairs", sqlite::RepairsQuery(7, 10)},
      {"parked", sqlite::ParkedQuery(projections::kFollowing, {}, 10)},
      {"parked after",
       sqlite::ParkedQuery(projections::kFollowing, {{Partition(1), Offset(2)}}, 10)},
      {"parked at", sqlite::ParkedAtQuery(projections::kFollowing, Partition(1), Offset(2))},
      {"catalog", sqlite::CatalogQuery()},
      {"slot map", sqlite::SlotMapQuery(kFirstSlotMap)},
  };
}

TEST_F(ReaderQueries, EachSearchesByTheIndexItDeclares) {
  for (const NamedQuery& test : AllQueries()) {
    const std::string plan = PlanOf(connection_, test.query.sql);
    EXPECT_FALSE(test.query.uses.empty()) << test.name;
    for (const sqlite::IndexUse& use : test.query.uses) {
      const std::string wanted = fmt::format("SEARCH {} USING {} (", use.alias, use.index);
      EXPECT_NE(plan.find(wanted), std::string::npos) << test.name << '\n' << plan;
    }
    EXPECT_EQ(plan.find("TEMP B-TREE") != std::string::npos, test.sorts) << test.name << '\n'
                                                                         << plan;
    // The list of users that was bound and the rows of a question, and no table, are read from end
    // to end.
    for (std::size_t at = plan.find("SCAN"); at != std::string::npos;
         at = plan.find("SCAN", at + 1)) {
      EXPECT_TRUE(plan.substr(at).starts_with("SCAN q\n") ||
                  plan.substr(at).starts_with("SCAN k VIRTUAL TABLE") ||
                  plan.substr(at).starts_with("SCAN json_each VIRTUAL TABLE"))
          << test.name << '\n'
          << plan;
    }
  }
}

TEST_F(ReaderQueries, PageOfManyFansLooksAtNoMoreThanThePage) {
  constexpr std::size_t kLimit = 21;
  for (const UserId user : {kTied, kSpread}) {
    for (const std::int64_t fan :
         {kFans + 1, kFans, kFans / 2, std::int64_t{10}, std::int64_t{1}}) {
      PageStart start;
      const std::int64_t since = user == kTied ? kTiedSince : kTiedSince + fan;
      if (fan <= kFans) start.after = {UserId(static_cast<std::uint64_t>(fan)), since};
      EXPECT_LE(RowsLookedAt(sqlite::PageQuery(Direction::kFans, kG1, user, start, kLimit)),
                static_cast<std::int64_t>(kLimit))
          << user.value << " after " << fan;
    }
  }
}

TEST_F(ReaderQueries, LookupsLookAtOneRowForEachUserNamed) {
  std::vector<UserId> users;
  for (std::uint64_t i = 0; i < ProjectionReader::kTargetsMax; ++i) {
    users.emplace_back(i * 20 + 1);
  }
  // The user as it was bound, and the user's row; no others of the 20,000 fans.
  const auto bound = 2 * static_cast<std::int64_t>(users.size());
  EXPECT_LE(RowsLookedAt(sqlite::AmongQuery(Direction::kFans, kG1, kTied, users)), bound);
  EXPECT_LE(RowsLookedAt(sqlite::RelationsQuery(kReadG1, kTied, users)), bound);
}

TEST_F(ReaderQueries, FriendsAreLookedUpFromTheFollowingSide) {
  const auto store = tables_.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(0));
  std::vector<EdgeRow> rows;
  for (std::uint64_t i = 1; i <= 100; ++i) rows.push_back(Row(kTied.value, i, true, 5, 1));
  CommitAndFollow(*store, lane, BatchOf(lane, 1, rows));
  EXPECT_LE(RowsLookedAt(sqlite::FriendsPageQuery(kReadG1, kTied, {}, 20)), 300);
}

}  // namespace
}  // namespace fanfold::testing
