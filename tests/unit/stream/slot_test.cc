#include "common/stream/slot.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
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

struct ShapeCase {
  std::string name;
  std::int32_t partitions;
  std::int32_t shards;
  bool valid;
};

void PrintTo(const ShapeCase& shape, std::ostream* out) {
  *out << shape.partitions << " partitions, " << shape.shards << " shards";
}

class ShapeTest : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(ShapeTest, IsJudged) {
  EXPECT_EQ((Shape{GetParam().partitions, GetParam().shards}.IsValid()), GetParam().valid);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, ShapeTest,
    ::testing::Values(ShapeCase{"One", 1, 1, true}, ShapeCase{"Default", 16, 1, true},
                      ShapeCase{"Sharded", 16, 4, true}, ShapeCase{"AsManyShards", 16, 16, true},
                      ShapeCase{"Largest", 1024, 1024, true},
                      ShapeCase{"MoreShardsThanPartitions", 16, 32, false},
                      ShapeCase{"TooManyPartitions", 2048, 1, false},
                      ShapeCase{"PartitionsNoPowerOfTwo", 12, 4, false},
                      ShapeCase{"ShardsNoPowerOfTwo", 16, 3, false},
                      ShapeCase{"NoPartition", 0, 1, false}, ShapeCase{"NoShard", 16, 0, false},
                      ShapeCase{"NegativePartitions", -16, 1, false},
                      ShapeCase{"NegativeShards", 16, -1, false},
                      ShapeCase{"SmallestInteger", INT32_MIN, 1, false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Placement, PartitionIsKafkasAndItsSubjectsShareAShard) {
  for (std::int32_t partitions = 1; partitions <= kSlots; partitions *= 4) {
    for (std::int32_t shards = 1; shards <= partitions; shards *= 2) {
      const Placement placement = Placement::Modulo({partitions, shards});
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

struct SlotMapCase {
  std::string name;
  std::vector<std::pair<std::int32_t, std::int32_t>> moved;  // slot and shard, of the modulo's
  bool valid;
};

void PrintTo(const SlotMapCase& map, std::ostream* out) { *out << map.name; }

class SlotMapTest : public ::testing::TestWithParam<SlotMapCase> {};

TEST_P(SlotMapTest, IsJudged) {
  SlotMap map = SlotMap::Modulo(4);
  for (const auto& [slot, shard] : GetParam().moved) {
    map.shard_of[static_cast<std::size_t>(slot)] = Shard(shard);
  }
  EXPECT_EQ(map.IsValid({512, 4}), GetParam().valid);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, SlotMapTest,
    ::testing::Values(SlotMapCase{"Modulo", {}, true},
                      SlotMapCase{"PartitionElsewhere", {{5, 3}, {517, 3}}, true},
                      SlotMapCase{
                          "AllOfAShardElsewhere", {{0, 1}, {512, 1}, {1, 0}, {513, 0}}, true},
                      SlotMapCase{"HalfAPartitionElsewhere", {{517, 3}}, false},
                      SlotMapCase{"ItsOtherHalf", {{5, 3}}, false},
                      SlotMapCase{"ShardNotConfigured", {{5, 4}, {517, 4}}, false},
                      SlotMapCase{"SlotOfNoShard", {{5, -1}, {517, -1}}, false},
                      SlotMapCase{"LastSlotOfNoShard", {{1023, -1}}, false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(SlotMap, OfAnotherShapeIsNone) {
  const SlotMap map = SlotMap::Modulo(4);
  EXPECT_TRUE(map.IsValid({4, 4}));
  EXPECT_TRUE(map.IsValid({1024, 8})) << "a shard may be empty";
  EXPECT_FALSE(map.IsValid({2, 2}));
  EXPECT_FALSE(map.IsValid({16, 2}));
  EXPECT_FALSE(map.IsValid({0, 0}));
}

TEST(Placement, IsAsItsMapSays) {
  SlotMap map = SlotMap::Modulo(2);
  const std::int32_t slot = SlotOf(UserId(7)).value % 4;
  for (std::int32_t at = slot; at < kSlots; at += 4) {
    map.shard_of[static_cast<std::size_t>(at)] = Shard(1 - slot % 2);
  }
  const Placement placement({4, 2}, SlotMapId(2), map);
  EXPECT_EQ(placement.slot_map(), SlotMapId(2));
  EXPECT_EQ(placement.ShardOf(UserId(7)), Shard(1 - slot % 2));
  EXPECT_EQ(placement.ShardOf(placement.PartitionOf(UserId(7))), Shard(1 - slot % 2));
  EXPECT_EQ(placement.PartitionOf(UserId(7)), Placement::Modulo({4, 2}).PartitionOf(UserId(7)))
      << "no map moves a record";
}

TEST(PlacementDeathTest, WhatCannotBeStopsTheProcess) {
  EXPECT_DEATH((void)Placement::Modulo({12, 4}), "IsValid");
  EXPECT_DEATH(Placement({4, 2}, kFirstSlotMap, SlotMap::Modulo(4)), "IsValid");
}

}  // namespace
}  // namespace fanfold
