#include "common/sql/sql_text.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "common/sql/sql_splitter.h"
#include "common/sql/table_names.h"

namespace fanfold {
namespace {

TEST(SqlText, NumbersUpToTheirLimits) {
  std::string sql;
  AppendNumber(sql, std::numeric_limits<std::uint64_t>::max());
  sql += ' ';
  AppendNumber(sql, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(sql, "18446744073709551615 -9223372036854775808");
}

TEST(SqlText, PrintableAsciiIsCutAndAsksAboutTheRest) {
  EXPECT_EQ(PrintableAscii("it's \xc3\xa9\n", 100), "it's ???");
  EXPECT_EQ(PrintableAscii("abcdef", 3), "abc");
  EXPECT_EQ(PrintableAscii("", 3), "");
}

TEST(TableNames, CarryTheGeneration) {
  const TableNames following = TablesOf(projections::kFollowing, Generation(1));
  EXPECT_EQ(following.edges, "following_g1");
  EXPECT_EQ(following.counts, "following_count_g1");
  EXPECT_EQ(following.other, "target_id");
  const TableNames fans = TablesOf(projections::kFans, Generation(12));
  EXPECT_EQ(fans.edges, "fans_g12");
  EXPECT_EQ(fans.counts, "fan_count_g12");
  EXPECT_EQ(fans.other, "fan_id");
}

TEST(SplitStatements, AtSemicolonsThatEndALine) {
  EXPECT_EQ(SplitStatements("-- why; and how\nSELECT ';' AS a,\n  2;\n\n  -- more\nSELECT 3;\n"),
            (std::vector<std::string>{"SELECT ';' AS a, 2", "SELECT 3"}));
  EXPECT_TRUE(SplitStatements("\n-- nothing\n").empty());
}

}  // namespace
}  // namespace fanfold
