#include "common/sql/migration_plan.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

constexpr EmbeddedText kKnown[] = {{"0001_a", "x"}, {"0002_b", "y"}, {"0003_c", "z"}};

TEST(MigrationPlan, MissingOnesComeInOrder) {
  const auto missing = MissingMigrations(kKnown, {"0002_b"});
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].name, "0001_a");
  EXPECT_EQ(missing[1].name, "0003_c");
  EXPECT_TRUE(MissingMigrations(kKnown, {"0001_a", "0002_b", "0003_c"}).empty());
}

TEST(MigrationPlan, OneOfALaterBuildIsRefusedByName) {
  const auto missing = ResultOf([] { return MissingMigrations(kKnown, {"0001_a", "0009_z"}); });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kRefused);
  EXPECT_NE(missing.error().message.find("0009_z"), std::string::npos);
}

struct CatalogCase {
  const char* name;
  std::int32_t shard;
  std::optional<Shape> there;
  bool written;
  bool refused;
};

TEST(MigrationPlan, CatalogStandsOnShardZeroAloneAndNeverChanges) {
  const std::vector<CatalogCase> cases = {
      {"new shard 0", 0, std::nullopt, true, false},
      {"shard 0 again", 0, Shape{16, 2}, false, false},
      {"other partitions", 0, Shape{32, 2}, false, true},
      {"other shards", 0, Shape{16, 1}, false, true},
      {"shard 1", 1, std::nullopt, false, false},
      {"shard 1 where shard 0 stands", 1, Shape{16, 2}, false, true},
  };
  for (const CatalogCase& test : cases) {
    const auto wants =
        ResultOf([&] { return WantsCatalog(Shard(test.shard), test.there, {16, 2}); });
    EXPECT_EQ(!wants, test.refused) << test.name;
    EXPECT_EQ(wants.value_or(false), test.written) << test.name;
    EXPECT_TRUE(wants || wants.error().code == ErrorCode::kRefused) << test.name;
  }
}

}  // namespace
}  // namespace fanfold
