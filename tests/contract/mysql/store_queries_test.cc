// The statements of the hot path against the primary keys they must be answered from.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/mysql/edge_rows.h"
#include "common/mysql/keyed_tables.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/post_rows.h"
#include "common/mysql/shown_reader.h"
#include "common/mysql/sql_text.h"
#include "common/sql/post_columns.h"
#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/mysql/query_plan.h"

namespace fanfold::testing {
namespace {

class StoreQueries : public ::testing::Test {
 protected:
  StoreQueries() : connection_(tables_.Connect()) {
    Run([&] {
      connection_->Execute(
          "INSERT INTO following_g1 (user_id, target_id, active, since_ms, version) "
          "WITH RECURSIVE d AS (SELECT 1 n UNION ALL SELECT n + 1 FROM d WHERE n < 100) "
          "SELECT a.n, b.n, 1, 1, 1 FROM d a JOIN d b");
      connection_->Execute(
          "INSERT INTO following_count_g1 SELECT user_id, COUNT(*) FROM following_g1 "
          "GROUP BY user_id");
      (void)connection_->Query("ANALYZE TABLE following_g1, following_count_g1");
    });
  }

  template <class Work>
  void Run(const Work& work) {
    const Status status = connection_->Run(work);
    ASSERT_TRUE(status) << status.error().message;
  }

  static constexpr bool kWithBytes = true;
  // "type key" of the table with this name or alias, and how many bytes of the key are used.
  std::string PlanOf(const std::string& sql, std::string_view table, bool with_bytes = false) {
    std::string plan;
    Run([&] {
      for (const PlanStep& step : QueryPlan(*connection_, sql)) {
        if (step.table != table) continue;
        plan = step.type + ' ' + step.key + (with_bytes ? ' ' + step.key_bytes : "");
      }
    });
    return plan;
  }

  MysqlTables tables_;
  std::unique_ptr<mysql::Connection> connection_;
};

TEST_F(StoreQueries, EdgesAreLookedUpByTheirKeys) {
  std::vector<EdgeKey> keys;
  for (std::uint64_t i = 1; i <= mysql::kStatementRowsMax; ++i) {
    keys.push_back({UserId(i), UserId(i)});
  }
  std::string sql;
  mysql::AppendSelectEdges(sql, TablesOf(projections::kFollowing, kG1), keys);
  EXPECT_EQ(PlanOf(sql, "e"), "eq_ref PRIMARY");
}

TEST_F(StoreQueries, ListsAreLookedUpByTheirUsers) {
  std::vector<UserId> users;
  for (std::uint64_t i = 1; i <= mysql::kStatementRowsMax; ++i) users.emplace_back(i);
  std::string sql;
  mysql::AppendSelectLists(sql, TablesOf(projections::kFollowing, kG1), users, 10);
  EXPECT_EQ(PlanOf(sql, "e"), "ref PRIMARY");
}

TEST_F(StoreQueries, CountsAreARangeOfTheirKey) {
  std::string sql;
  mysql::AppendSelectCounts(sql, TablesOf(projections::kFollowing, kG1),
                            std::vector{UserId(1), UserId(5), UserId(1000)});
  EXPECT_EQ(PlanOf(sql, "following_count_g1"), "range PRIMARY");
}

TEST_F(StoreQueries, PostsAreLookedUpByTheirKeys) {
  Run([&] {
    connection_->Execute(
        "INSERT INTO posts_g1 (author_id, post_id, type, score, active, version, content) "
        "WITH RECURSIVE d AS (SELECT 1 n UNION ALL SELECT n + 1 FROM d WHERE n < 100) "
        "SELECT a.n, b.n, 0, 1, 1, 1, 'c' FROM d a JOIN d b");
    (void)connection_->Query("ANALYZE TABLE posts_g1");
  });
  std::vector<RowKey> keys;
  for (std::uint64_t i = 1; i <= mysql::kStatementRowsMax; ++i) {
    keys.push_back({UserId(i), UserId(i)});
  }
  std::string sql;
  mysql::AppendSelectKeyed(sql, "posts_g1", PostTable::kColumns, kPostHeadColumns, keys);
  EXPECT_EQ(PlanOf(sql, "t"), "eq_ref PRIMARY");
  EXPECT_EQ(PlanOf(mysql::SelectPost("posts_g1", UserId(5), PostId(7)), "posts_g1"),
            "const PRIMARY");
  EXPECT_EQ(PlanOf(mysql::SelectPostsOf("posts_g1", UserId(5), std::nullopt, 20), "posts_g1"),
            "ref page");
  EXPECT_EQ(
      PlanOf(mysql::SelectPostsOf("posts_g1", UserId(5), PostPlace{1, PostId(50)}, 20), "posts_g1"),
      "range page");
  for (const auto side : {PostStretch::Side::kBelow, PostStretch::Side::kAtOrAbove}) {
    sql.clear();
    mysql::AppendSelectStretch(sql, "posts_g1", 0, {UserId(5), side, {1, PostId(50)}}, 20);
    EXPECT_EQ(PlanOf(sql, "posts_g1"), "range page");
  }
}

TEST_F(StoreQueries, TheNewestPostOfEachIsOneLookIntoTheIndex) {
  Run([&] {
    connection_->Execute(
        "INSERT INTO posts_g1 (author_id, post_id, type, score, active, version, content) "
        "WITH RECURSIVE d AS (SELECT 1 n UNION ALL SELECT n + 1 FROM d WHERE n < 100) "
        "SELECT a.n, b.n, 0, b.n, 1, 1, 'c' FROM d a JOIN d b");
    (void)connection_->Query("ANALYZE TABLE posts_g1");
  });
  std::vector<PostStretch> authors;
  for (std::uint64_t i = 1; i <= PostReader::kStretchesMax; ++i) {
    authors.push_back({UserId(i), PostStretch::Side::kBelow, {}});
  }
  std::string sql;
  mysql::AppendSelectNewest(sql, "posts_g1", authors);
  EXPECT_EQ(PlanOf(sql, "n", kWithBytes), "ref page 9");  // author and whether it is there
}

TEST_F(StoreQueries, WhatWasShownIsReadByItsIndexes) {
  Run([&] {
    connection_->Execute(
        "INSERT INTO shown_g1 (owner_id, shown_id, author_id, post_id, at_ms, active, version) "
        "WITH RECURSIVE d AS (SELECT 1 n UNION ALL SELECT n + 1 FROM d WHERE n < 100) "
        "SELECT a.n, b.n, b.n, 1, 1, 1, b.n FROM d a JOIN d b");
    (void)connection_->Query("ANALYZE TABLE shown_g1");
  });
  // Owner, author, post and whether it is forgotten.
  constexpr const char* kWhole = " 25";
  const std::string page = mysql::SelectShown("shown_g1", UserId(5), Version(50), 20);
  EXPECT_EQ(PlanOf(page, "s"), "range page");
  EXPECT_EQ(PlanOf(page, "e", kWithBytes), std::string("ref of_post") + kWhole);
  std::vector<RowKey> posts;
  for (std::uint64_t i = 1; i <= mysql::kStatementRowsMax; ++i)
    posts.push_back({UserId(i), UserId(1)});
  std::string sql;
  mysql::AppendSelectWereShown(sql, "shown_g1", UserId(5), posts);
  EXPECT_EQ(PlanOf(sql, "t", kWithBytes), std::string("ref of_post") + kWhole);
}

TEST_F(StoreQueries, LanesArePointsOfTheirKey) {
  auto store = tables_.NewStore();
  std::vector<LaneId> lanes;
  for (std::int32_t p = 0; p < 16; ++p) lanes.push_back(FollowingLane(p));
  const auto taken = Must(store->TakeFences(lanes, kDeciding, "tester"));
  std::vector<LaneMove> moves;
  for (const TakenLane& lane : taken) moves.push_back(BatchOf(lane, 1).moves[0]);
  EXPECT_EQ(PlanOf(mysql::MoveLanes(std::span(moves).first(4)), "progress"), "range PRIMARY");
  EXPECT_EQ(PlanOf(mysql::SelectLanes(std::span(lanes).first(4), " FOR UPDATE"), "progress"),
            "range PRIMARY");
}

}  // namespace
}  // namespace fanfold::testing
