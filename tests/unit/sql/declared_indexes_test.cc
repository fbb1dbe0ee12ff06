#include "common/sql/declared_indexes.h"

#include <gtest/gtest.h>
#include <ostream>

namespace fanfold {

void PrintTo(const TableIndex& index, std::ostream* out) {
  *out << index.table << '.' << index.name;
  for (const std::string& column : index.columns) *out << ' ' << column;
}

namespace {

using Indexes = std::vector<TableIndex>;
constexpr ReadGenerations kFirst{};

Indexes Of(std::string_view text, const ReadGenerations& read = kFirst) {
  const EmbeddedText migrations[] = {{"0001", text}};
  return DeclaredIndexes(migrations, read);
}

TEST(DeclaredIndexes, KeysOfATable) {
  EXPECT_EQ(Of("CREATE TABLE IF NOT EXISTS progress (\n"
               "  projection ENUM('following', 'fans') CHARACTER SET ascii NOT NULL,\n"
               "  -- A comment, (with brackets.\n"
               "  name VARCHAR(255) NOT NULL DEFAULT '',\n"
               "  `partition` INT NOT NULL,\n"
               "  PRIMARY KEY (projection, `partition`),\n"
               "  KEY page (name, projection)\n"
               ") ENGINE = InnoDB;\n"),
            (Indexes{{"progress", "PRIMARY", {"projection", "partition"}},
                     {"progress", "page", {"name", "projection"}}}));
}

TEST(DeclaredIndexes, KeyOfOneColumnAndAnIndexOfItsOwn) {
  EXPECT_EQ(Of("CREATE TABLE fans_g1 (\n"
               "  user_id INTEGER PRIMARY KEY,\n"
               "  role TEXT NOT NULL CHECK (role IN ('a', 'b')),\n"
               "  n INTEGER NOT NULL\n"
               ") STRICT;\n"
               "CREATE INDEX fans_g1_page ON fans_g1 (n, user_id);\n"),
            (Indexes{{"fans_g1", "PRIMARY", {"user_id"}},
                     {"fans_g1", "fans_g1_page", {"n", "user_id"}}}));
}

TEST(DeclaredIndexes, TableThatWasMadeAnewIsOne) {
  EXPECT_EQ(Of("CREATE TABLE progress (a INT, b INT, PRIMARY KEY (a));\n"
               "CREATE TABLE progress (a INT, b INT, PRIMARY KEY (a, b));\n"),
            (Indexes{{"progress", "PRIMARY", {"a", "b"}}}));
}

TEST(DeclaredIndexes, KeyThatWasChangedIsTheLaterOne) {
  EXPECT_EQ(Of("CREATE TABLE progress (a INT, b INT, PRIMARY KEY (a));\n"
               "ALTER TABLE progress DROP PRIMARY KEY, ADD PRIMARY KEY (a, `b`);\n"),
            (Indexes{{"progress", "PRIMARY", {"a", "b"}}}));
}

TEST(DeclaredIndexes, FirstGenerationStandsForThoseThatAreRead) {
  const std::string text =
      "CREATE TABLE fans_g1 (a INT, PRIMARY KEY (a));\n"
      "CREATE INDEX fans_g1_page ON fans_g1 (a);\n"
      "CREATE TABLE following_count_g1 (a INT, PRIMARY KEY (a));\n";
  EXPECT_EQ(Of(text, {Generation(3), Generation(12)}),
            (Indexes{{"fans_g12", "PRIMARY", {"a"}},
                     {"fans_g12", "fans_g12_page", {"a"}},
                     {"following_count_g3", "PRIMARY", {"a"}}}));
}

}  // namespace
}  // namespace fanfold
