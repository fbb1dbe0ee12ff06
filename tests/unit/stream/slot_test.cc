#include "common/stream/slot.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

struct HashCase {
  std::string_view text;
  std::int32_t hash;  // as Java's signed int
};

// Source: org.apache.kafka.common.utils.UtilsTest.testMurmur2.
TEST(Murmur2, AgreesWithKafkasOwnValues) {
  for (const HashCase& known :
       {HashCase{"21", -973932308}, HashCase{"foobar", -790332482},
        HashCase{"a-little-bit-long-string", -985981536},
        HashCase{"a-little-bit-longer-string", -1486304829},
        HashCase{"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
        HashCase{"abc", 479470107},
        // What that release's Utils.murmur2 gives besides: no bytes, and bytes that are negative in
        // Java.
        HashCase{"", 275646681}, HashCase{"\x7f\x80\xff", -148980706},
        HashCase{"\xff\xfe\xfd\xfc\x80", -247105293}}) {
    EXPECT_EQ(static_cast<std::int32_t>(Murmur2(known.text)), known.hash) << known.text;
  }
}

// murmur2("21") & 0x7fffffff = 1173551340.
TEST(Slot, IsTheHashOfTheDecimalIdWithoutItsSign) {
  EXPECT_EQ(SlotOf(UserId(21)), Slot(1173551340 % kSlots));
}

TEST(Slot, UsersSpreadEvenly) {
  constexpr int kUsers = 1024 * 200;
  std::vector<int> users_of(kSlots, 0);
  for (int id = 1; id <= kUsers; ++id) {
    ++users_of[static_cast<std::size_t>(SlotOf(UserId(static_cast<std::uint64_t>(id))).value)];
  }
  for (const int users : users_of) {  // mean 200, deviation 14: six of them either way
    EXPECT_GT(users, 115);
    EXPECT_LT(users, 285);
  }
}

struct PlacementCase {
  std::string name;
  std::int32_t partitions;
  std::int32_t shards;
  bool valid;
};

void PrintTo(const PlacementCase& placement, std::ostream* out) {
  *out << placement.partitions << " partitions, " << placement.shards << " shards";
}

class PlacementTest : public ::testing::TestWithParam<PlacementCase> {};

TEST_P(PlacementTest, IsJudged) {
  EXPECT_EQ(Placement::IsValid(GetParam().partitions, GetParam().shards), GetParam().valid);
}

INSTANTIATE_TEST_SUITE_P(Pairs, PlacementTest,
                         ::testing::Values(PlacementCase{"One", 1, 1, true},
                                           PlacementCase{"Default", 16, 1, true},
                                           PlacementCase{"Sharded", 16, 4, true},
                                           PlacementCase{"AsManyShards", 16, 16, true},
                                           PlacementCase{"Largest", 1024, 1024, true},
                                           PlacementCase{"MoreShardsThanPartitions", 16, 32, false},
                                           PlacementCase{"TooManyPartitions", 2048, 1, false},
                                           PlacementCase{"PartitionsNoPowerOfTwo", 12, 4, false},
                                           PlacementCase{"ShardsNoPowerOfTwo", 16, 3, false},
                                           PlacementCase{"NoPartition", 0, 1, false},
                                           PlacementCase{"NoShard", 16, 0, false},
                                           PlacementCase{"NegativePartitions", -16, 1, false},
                                           PlacementCase{"NegativeShards", 16, -1, false},
                                           PlacementCase{"SmallestInteger", INT32_MIN, 1, false}),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(Placement, PartitionIsKafkasAndItsSubjectsShareAShard) {
  for (std::int32_t partitions = 1; partitions <= kSlots; partitions *= 4) {
    for (std::int32_t shards = 1; shards <= partitions; shards *= 2) {
      const Placement placement(partitions, shards);
      for (std::uint64_t id = 1; id <= 2000; ++id) {
        const Partition partition = placement.PartitionOf(UserId(id));
        const auto hash = static_cast<std::int32_t>(Murmur2(std::to_string(id)) & 0x7fffffffU);
        ASSERT_EQ(partition, Partition(hash % partitions)) << id;
        ASSERT_EQ(placement.ShardOf(partition), placement.ShardOf(UserId(id))) << id;
        ASSERT_LT(placement.ShardOf(partition).value, shards);
      }
    }
  }
}

TEST(PlacementDeathTest, InvalidPlacementStopsTheProcess) {
  EXPECT_DEATH(Placement(12, 4), "IsValid");
}

}  // namespace
}  // namespace fanfold
