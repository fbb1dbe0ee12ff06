// Each of the reader's questions against the index it declares, and what it reads to answer.
#include "common/mysql/reader_queries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/mysql/query_plan.h"

namespace fanfold::testing {
namespace {

constexpr UserId kTied(5'000'000);    // all fans of this user have the same since
constexpr UserId kSpread(5'000'001);  // each fan of this user has another since
constexpr std::int64_t kFans = 50'000;
constexpr std::int64_t kTiedSince = 1'000;

class ReaderQueries : public ::testing::Test {
 protected:
  ReaderQueries() : connection_(tables_.Connect()) {
    Run([&] {
      for (const auto& [user, step] : {std::pair{kTied, 0}, std::pair{kSpread, 1}}) {
        connection_->Execute(fmt::format(
            "INSERT INTO fans_g1 (user_id, fan_id, active, since_ms, version) "
            "WITH RECURSIVE d AS (SELECT 0 n UNION ALL SELECT n + 1 FROM d WHERE n < 249) "
            "SELECT {0}, a.n * 250 + b.n + 1, 1, {1} + {2} * (a.n * 250 + b.n + 1), 1 "
            "FROM d a JOIN d b WHERE a.n < 200",
            user.value, kTiedSince, step));
      }
      connection_->Execute(fmt::format("INSERT INTO fan_count_g1 (user_id, n) VALUES ({}, {})",
                                       kSpread.value, kFans));
      (void)connection_->Query("ANALYZE TABLE fans_g1, following_g1, progress, parked");
    });
  }

  template <class Work>
  void Run(const Work& work) {
    const Status status = connection_->Run(work);
    ASSERT_TRUE(status) << status.error().message;
  }

  // Rows that storage engines handed out for it.
  std::int64_t RowsRead(const std::string& sql) {
    std::int64_t read = 0;
    Run([&] {
      connection_->Execute("FLUSH STATUS");
      (void)connection_->Query(sql);
      auto rows = connection_->Query("SHOW SESSION STATUS LIKE 'Handler\\_read%'");
      while (rows.Next()) {
        if (rows.Text(0) != "Handler_read_rnd_next") read += rows.I64(1);
      }
    });
    return read;
  }

  MysqlTables tables_;
  std::unique_ptr<mysql::Connection> connection_;
};

struct NamedQuery {
  const char* name;
  mysql::ReaderQuery query;
};

std::vector<ListQuestion> Pages() {
  return {{Direction::kFollowing, {}, 21, {}},
          {Direction::kFans, ListedUser{UserId(7), kTiedSince}, 21, {}}};
}

std::vector<WholeLists> Lists() {
  return {{kSpread, Partition(0), true, true}, {UserId(3), Partition(0), true, true}};
}

std::vector<NamedQuery> AllQueries() {
  const PageStart after{ListedUser{UserId(7), kTiedSince}, 0};
  const std::vector<UserId> users = {kSpread, UserId(3), UserId(4)};
  constexpr auto kFollowingList = Direction::kFollowing;
  constexpr auto kFansList = Direction::kFans;
  return {
      {"first page of following", mysql::PageQuery(kFollowingList, kG1, kSpread, {}, 21)},
      {"first page of fans", mysql::PageQuery(kFansList, kG1, kSpread, {}, 21)},
      {"page after a cursor", mysql::PageQuery(kFansList, kG1, kSpread, after, 21)},
      {"page at an offset", mysql::PageQuery(kFansList, kG1, kSpread, {{}, 100}, 21)},
      {"first page of friends", mysql::FriendsPageQuery(kReadG1, kSpread, {}, 21)},
      {"friends after a cursor", mysql::FriendsPageQuery(kReadG1, kSpread, after, 21)},
      {"among", mysql::AmongQuery(kFansList, kG1, kSpread, users)},
      {"counts", mysql::CountsQuery(kReadG1, users)},
      {"relations", mysql::RelationsQuery(kReadG1, kSpread, users)},
      {"view", mysql::ViewQuery(kReadG1, kSpread, Partition(0), Pages())},
      {"lists", mysql::ListsQuery(kReadG1, Lists(), 100)},
      {"edge", mysql::EdgeAtQuery(kFansList, kG1, {kSpread, UserId(3)}, Partition(0))},
      {"repairs", mysql::RepairsQuery(7, 10)},
      {"lanes", mysql::LanesQuery()},
      {"parked", mysql::ParkedQuery(projections::kFollowing, {}, 10)},
      {"parked after",
       mysql::ParkedQuery(projections::kFollowing, {{Partition(1), Offset(2)}}, 10)},
      {"parked at", mysql::ParkedAtQuery(projections::kFollowing, Partition(1), Offset(2))},
      {"catalog", mysql::CatalogQuery()},
      {"slot map", mysql::SlotMapQuery(kFirstSlotMap)},
  };
}

TEST_F(ReaderQueries, EachUsesTheIndexItDeclares) {
  // A row for each table, since a lookup that finds none has no plan.
  const auto store = tables_.NewStore();
  TakeOne(*store, FollowingLane(0));
  TakeOne(*store, FansLane(0), kApplying);
  for (const NamedQuery& test : AllQueries()) {
    std::map<std::string, std::string> index_of;
    std::string plan;
    Run([&] {
      for (const PlanStep& step : QueryPlan(*connection_, test.query.sql)) {
        plan += fmt::format("{} {} key={} {}\n", step.table, step.type, step.key, step.extra);
        index_of[step.table] = step.key;
      }
    });
    EXPECT_FALSE(test.query.uses.empty()) << test.name;
    const bool impossible = plan.find("const table") != std::string::npos;
    for (const mysql::IndexUse& use : test.query.uses) {
      if (impossible) continue;
      EXPECT_EQ(index_of[std::string(use.alias)], use.index) << test.name << '\n' << plan;
    }
    if (std::string(test.name).find("page of f") != std::string::npos &&
        std::string(test.name).find("friends") == std::string::npos) {
      EXPECT_EQ(plan.find("filesort"), std::string::npos) << test.name << '\n' << plan;
    }
  }
}

TEST_F(ReaderQueries, PageOfManyFansReadsNoMoreThanThePage) {
  constexpr std::size_t kLimit = 21;
  constexpr std::int64_t kFewMore = 3;
  for (const UserId user : {kTied, kSpread}) {
    for (const std::int64_t fan :
         {kFans + 1, kFans, kFans / 2, std::int64_t{10}, std::int64_t{1}}) {
      PageStart start;
      const std::int64_t since = user == kTied ? kTiedSince : kTiedSince + fan;
      if (fan <= kFans) start.after = {UserId(static_cast<std::uint64_t>(fan)), since};
      const auto query = mysql::PageQuery(Direction::kFans, kG1, user, start, kLimit);
      EXPECT_LE(RowsRead(query.sql), static_cast<std::int64_t>(kLimit) + kFewMore)
          << user.value << " after " << fan;
    }
  }
}

TEST_F(ReaderQueries, LookupsReadOneRowForEachUserNamed) {
  std::vector<UserId> users;
  for (std::uint64_t i = 0; i < ProjectionReader::kTargetsMax; ++i)
    users.push_back(UserId(i * 50 + 1));
  // A look at the key, and one at what follows it, for each; no others of the 50,000 fans.
  constexpr std::int64_t kFewMore = 20;
  const auto bound = 2 * static_cast<std::int64_t>(users.size()) + kFewMore;
  EXPECT_LE(RowsRead(mysql::AmongQuery(Direction::kFans, kG1, kTied, users).sql), bound);
  EXPECT_LE(RowsRead(mysql::RelationsQuery(kReadG1, kTied, users).sql), bound);
}

TEST_F(ReaderQueries, FriendsAreLookedUpFromTheFollowingSide) {
  auto store = tables_.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(0));
  std::vector<EdgeRow> rows;
  for (std::uint64_t i = 1; i <= 100; ++i) rows.push_back(Row(kTied.value, i, true, 5, 1));
  CommitAndFollow(*store, lane, BatchOf(lane, 1, rows));
  EXPECT_LE(RowsRead(mysql::FriendsPageQuery(kReadG1, kTied, {}, 20).sql), 320);
}

}  // namespace
}  // namespace fanfold::testing
