#include "common/mysql/sql_text.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "common/mysql/edge_rows.h"
#include "common/mysql/migration_texts.h"
#include "common/sql/sql_splitter.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

TEST(SqlText, BytesAreEscaped) {
  std::string sql;
  AppendBytes(sql, std::string_view("a'b\\c\0d\"e", 9));
  EXPECT_EQ(sql, "_binary'a\\'b\\\\c\\0d\"e'");
  sql.clear();
  AppendBytes(sql, "");
  EXPECT_EQ(sql, "_binary''");
}

TEST(SqlText, WordsArePrintableAndCut) {
  std::string sql;
  AppendWords(sql, "it's \xc3\xa9\n", 100);
  EXPECT_EQ(sql,
            "'it\\'s ??"
            "?'");
  sql.clear();
  AppendWords(sql, "abcdef", 3);
  EXPECT_EQ(sql, "'abc'");
}

TEST(EdgeRows, VersionIsAssignedLastSinceTheGuardReadsIt) {
  std::string sql;
  AppendUpsertEdges(sql, TablesOf(projections::kFans, Generation(1)),
                    std::vector<EdgeRow>{{{UserId(1), UserId(2)}, {true, 3, Version(4)}},
                                         {{UserId(5), UserId(6)}, {false, 7, Version(8)}}});
  EXPECT_EQ(sql,
            "INSERT INTO fans_g1 (user_id, fan_id, active, since_ms, version) VALUES (1,2,1,3,4),"
            "(5,6,0,7,8) ON DUPLICATE KEY UPDATE active = IF(VALUES(version) > version, "
            "VALUES(active), active), since_ms = IF(VALUES(version) > version, VALUES(since_ms), "
            "since_ms), version = GREATEST(version, VALUES(version))");
}

TEST(MigrationTexts, AreNumberedWithoutHoles) {
  const auto texts = MigrationTexts();
  ASSERT_GE(texts.size(), 2U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(std::stoul(std::string(texts[i].name.substr(0, 4))), i + 1);
    EXPECT_FALSE(SplitStatements(texts[i].text).empty()) << texts[i].name;
  }
}

}  // namespace
}  // namespace fanfold::mysql
