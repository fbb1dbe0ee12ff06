// The statements of the hot path against the keys they must be answered from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "common/sqlite/edge_rows.h"
#include "common/sqlite/lane_extras.h"
#include "common/sqlite/lane_rows.h"
#include "common/sqlite/post_reader.h"
#include "common/sqlite/post_tables.h"
#include "common/sqlite/shown_reader.h"
#include "tests/contract/sqlite/query_plan.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {
namespace {

class StoreQueries : public ::testing::Test {
 protected:
  std::string Plan(const std::string& sql) { return PlanOf(connection_, sql); }

  SqliteTablesInMemory tables_;
  sqlite::Connection connection_{tables_.path(), {}};
};

TEST_F(StoreQueries, RowsAreFoundByTheirWholeKey) {
  for (const Projection projection : Projection::All()) {
    if (!HoldsLists(projection)) continue;
    const TableNames tables = TablesOf(projection, kG1);
    EXPECT_EQ(Plan(sqlite::SelectEdgeText(tables)), "SEARCH " + tables.edges +
                                                        " USING PRIMARY KEY (user_id=? AND " +
                                                        std::string(tables.other) + "=?)\n");
    EXPECT_EQ(Plan(sqlite::SelectCountText(tables)),
              "SEARCH " + tables.counts + " USING INTEGER PRIMARY KEY (rowid=?)\n");
  }
}

TEST_F(StoreQueries, WhatWasShownIsReadByItsIndexes) {
  EXPECT_EQ(Plan(sqlite::SelectShownText("shown_g1")),
            "CO-ROUTINE t\n"
            "SEARCH s USING COVERING INDEX shown_g1_page (owner_id=? AND active=? AND version<?)\n"
            "SCAN t\n"
            "CORRELATED SCALAR SUBQUERY 1\n"
            "SEARCH e USING COVERING INDEX shown_g1_of_post (owner_id=? AND author_id=? AND "
            "post_id=? AND active=?)\n"
            "USE TEMP B-TREE FOR ORDER BY\n");
  EXPECT_EQ(Plan(sqlite::SelectWasShownText("shown_g1")),
            "SEARCH shown_g1 USING COVERING INDEX shown_g1_of_post (owner_id=? AND author_id=? AND "
            "post_id=? AND active=?)\n");
}

TEST_F(StoreQueries, PostsAreFoundByTheirKeysAndReadInTheOrderOfTheirIndex) {
  EXPECT_EQ(Plan(sqlite::SelectPostText("posts_g1")),
            "SEARCH posts_g1 USING PRIMARY KEY (author_id=? AND post_id=?)\n");
  EXPECT_EQ(Plan(sqlite::SelectPostsText("posts_g1", false)),
            "SEARCH posts_g1 USING INDEX posts_g1_page (author_id=? AND active=?)\n");
  EXPECT_EQ(Plan(sqlite::SelectPostsText("posts_g1", true)),
            "SEARCH posts_g1 USING INDEX posts_g1_page (author_id=? AND active=? AND "
            "(score,post_id)<(?,?))\n");
  EXPECT_EQ(Plan(sqlite::SelectStretchText("posts_g1", PostStretch::Side::kBelow)),
            "SEARCH posts_g1 USING COVERING INDEX posts_g1_page (author_id=? AND active=? AND "
            "(score,post_id)<(?,?))\n");
  EXPECT_EQ(Plan(sqlite::SelectStretchText("posts_g1", PostStretch::Side::kAtOrAbove)),
            "SEARCH posts_g1 USING COVERING INDEX posts_g1_page (author_id=? AND active=? AND "
            "(score,post_id)>(?,?))\n");
}

TEST_F(StoreQueries, LanesAreFoundByTheirWholeKey) {
  const std::string by_key =
      "SEARCH progress USING PRIMARY KEY (projection=? AND generation=? AND partition=? AND "
      "stream=?)"
      "\n";
  EXPECT_EQ(Plan(sqlite::SelectLaneText()), by_key);
  EXPECT_EQ(Plan(sqlite::MoveLaneText()), by_key);
}

TEST_F(StoreQueries, PublishedOutboxRowsAreARangeOfTheKey) {
  EXPECT_THAT(Plan(std::string(sqlite::DeletePublishedText())),
              ::testing::HasSubstr("(projection=? AND generation=? AND partition=? AND "
                                   "stream=? AND first_offset<?)"));
}

}  // namespace
}  // namespace fanfold::testing
