#include "common/ports/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/memory_reader.h"

namespace fanfold {
namespace {

using ::testing::HasSubstr;

constexpr Shape kShape{8, 4};

// Shard 0 with a catalog and a map as a test wants them.
class First final : public testing::MemoryReader {
 public:
  explicit First(const testing::MemoryTables& tables)
      : MemoryReader(tables, Placement::Modulo(kShape)) {}

  Result<Catalog> ReadCatalog() override { return catalog; }
  Result<SlotMap> ReadSlotMap(SlotMapId id) override {
    ++asked;
    if (id == catalog.slot_map) return map;
    return Fail(ErrorCode::kRefused, "there is no such map");
  }

  Catalog catalog{{Generation(3)}, kShape, SlotMapId(2)};
  SlotMap map = SlotMap::Modulo(2);
  int asked = 0;
};

class ReadDeploymentTest : public ::testing::Test {
 protected:
  void ExpectRefused(const std::string& why) {
    const auto read = ReadDeployment(first_, kShape);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kRefused);
    EXPECT_THAT(read.error().message, HasSubstr(why));
  }

  testing::MemoryTables tables_;
  First first_{tables_};
};

TEST_F(ReadDeploymentTest, IsWhatTheCatalogSaysByTheMapThatItNames) {
  const auto read = ReadDeployment(first_, kShape);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->read, (ReadGenerations{Generation(3)}));
  EXPECT_EQ(read->placement.slot_map(), SlotMapId(2));
  EXPECT_EQ(read->placement.ShardOf(Partition(3)), Shard(1));
}

TEST_F(ReadDeploymentTest, MapIsReadOnce) {
  const auto read = ReadDeployment(first_, kShape);
  ASSERT_TRUE(read);
  ASSERT_TRUE(ReadDeployment(first_, kShape, read->placement));
  EXPECT_EQ(first_.asked, 1);
  first_.catalog.slot_map = SlotMapId(3);
  const auto moved = ReadDeployment(first_, kShape, read->placement);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->placement.slot_map(), SlotMapId(3));
  EXPECT_EQ(first_.asked, 2);
}

TEST_F(ReadDeploymentTest, CatalogOfAnotherShapeIsRefused) {
  first_.catalog.shape = {8, 8};
  ExpectRefused("8 partitions on 8 shards");
  EXPECT_EQ(first_.asked, 0);
}

TEST_F(ReadDeploymentTest, MapWithAShardThatIsNotConfiguredIsRefused) {
  first_.map = SlotMap::Modulo(8);
  ExpectRefused("slot map 2 is none of 8 partitions on 4 shards");
}

TEST_F(ReadDeploymentTest, MapThatLacksASlotIsRefusedWithWhatToDo) {
  first_.map.shard_of.back() = Shard(-1);
  ExpectRefused("restore `slot_maps` of shard 0");
}

}  // namespace
}  // namespace fanfold
