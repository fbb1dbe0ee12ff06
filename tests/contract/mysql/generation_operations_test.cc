#include "common/mysql/connection.h"
#include "tests/contract/generation_operations_contract.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, GenerationOperationsContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

// A kill between the statements of a drop: lanes are gone, tables are not.
class HalfDropped : public ::testing::Test {
 protected:
  static constexpr Generation kG2{2};
  static constexpr Projection kFollowing = projections::kFollowing;
  static constexpr Projection kFans = projections::kFans;

  HalfDropped() {
    connection_ = tables_.Connect();
    EXPECT_TRUE(Make());
    EXPECT_TRUE(connection_->Run([&] {
      connection_->Execute("INSERT INTO fans_g2 VALUES (1, 2, 1, 3, 4)");
      connection_->Execute("DELETE FROM progress WHERE generation = 2");
    }));
  }

  Status Make() {
    const std::vector<Partition> partitions = {Partition(0)};
    return generations_->Create(kFans, kG2, kFirstSlotMap, partitions, std::nullopt);
  }
  std::int64_t Count(const char* what) {
    return Must(connection_->Run([&] {
      mysql::Rows rows = connection_->Query(std::string("SELECT COUNT(*) FROM ") + what);
      return rows.Next() ? rows.I64(0) : -1;
    }));
  }

  MysqlTables tables_;
  std::unique_ptr<GenerationOperations> generations_ = tables_.NewGenerations();
  std::unique_ptr<mysql::Connection> connection_;
};

TEST_F(HalfDropped, IsListedAndDroppedOn) {
  EXPECT_EQ(Must(generations_->List()).size(), Projection::kCount + 1);
  ASSERT_TRUE(generations_->Drop(kFans, kG2));
  EXPECT_EQ(Must(generations_->List()).size(), Projection::kCount);
  EXPECT_EQ(Count("information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE "
                  "'fan%g2'"),
            0);
}

TEST_F(HalfDropped, IsMadeAnewWithoutItsRows) {
  ASSERT_TRUE(Make());
  EXPECT_EQ(Count("fans_g2"), 0);
}

}  // namespace fanfold::testing
