#include "common/ports/deployment_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

namespace fanfold {
namespace {

const Placement kConfigured(8, 4);
const DeploymentShape kCatalog{8, 4};

LaneStatus LaneOf(Projection projection, std::int32_t partition) {
  LaneStatus status;
  status.lane = {projection, Generation(1), Partition(partition)};
  return status;
}

struct SchemaCase {
  std::string name;
  std::int32_t shard;
  std::optional<DeploymentShape> catalog;
  std::vector<std::int32_t> following;  // partitions
  std::string refused;                  // empty: it fits
};
void PrintTo(const SchemaCase& schema, std::ostream* out) { *out << schema.name; }

class CheckSchemaTest : public ::testing::TestWithParam<SchemaCase> {};

TEST_P(CheckSchemaTest, IsThatShardsOrRefusedByName) {
  const SchemaCase& schema = GetParam();
  std::vector<LaneStatus> lanes = {LaneOf(projections::kFans, 0)};  // on every shard
  for (const std::int32_t p : schema.following) {
    lanes.push_back(LaneOf(projections::kFollowing, p));
  }
  const Status fits = CheckSchema(Shard(schema.shard), kConfigured, schema.catalog, lanes);
  EXPECT_EQ(fits.has_value(), schema.refused.empty());
  if (fits) return;
  EXPECT_EQ(fits.error().code, ErrorCode::kRefused);
  EXPECT_THAT(fits.error().message, ::testing::HasSubstr(schema.refused));
  EXPECT_THAT(fits.error().message, ::testing::HasSubstr("name the DSNs in `shards`"));
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckSchemaTest,
    ::testing::Values(
        SchemaCase{"First", 0, kCatalog, {0, 4}, ""}, SchemaCase{"Other", 3, {}, {3, 7}, ""},
        SchemaCase{"OtherWithoutLanes", 1, {}, {}, ""},
        SchemaCase{"LaneBeyondThePartitions", 1, {}, {1, 9}, ""},
        SchemaCase{"FirstWithoutCatalog", 0, {}, {1}, "has no catalog"},
        SchemaCase{"OtherWithCatalog", 2, kCatalog, {}, "is a shard 0's"},
        SchemaCase{"Fewer", 0, DeploymentShape{8, 8}, {}, "8 partitions on 8 shards"},
        SchemaCase{"OtherPartitions", 0, DeploymentShape{16, 4}, {}, "16 partitions on 4 shards"},
        SchemaCase{"Swapped", 1, {}, {2, 6}, "following/2, which is shard 2's"},
        SchemaCase{"OneLaneOfAnother", 1, {}, {1, 6}, "following/6, which is shard 2's"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(PlacementOf, WhatNoDeploymentHasIsToldWithWhatItMustBe) {
  EXPECT_TRUE(PlacementOf(16, 4));
  const Result<Placement> refused = PlacementOf(12, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message,
            "12 partitions on 4 shards: both must be powers of two, at most 1024 partitions, and "
            "no more shards than partitions");
}

}  // namespace
}  // namespace fanfold
