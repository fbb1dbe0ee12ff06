#include "common/ports/deployment_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

namespace fanfold {
namespace {

using ::testing::HasSubstr;

constexpr Shape kConfigured{8, 4};
const DeploymentId kOurs = DeploymentId::Draw();
const DeploymentId kOthers = DeploymentId::Draw();

SchemaIdentity Says(std::int32_t shard, const DeploymentId& deployment = kOurs,
                    std::int32_t partitions = 8, std::int32_t shards = 4) {
  return {deployment, std::nullopt, Shard(shard), {partitions, shards}};
}

UserId UserOn(std::int32_t shard) {
  std::uint64_t id = 1;
  while (Placement::Modulo(kConfigured).ShardOf(UserId(id)) != Shard(shard)) ++id;
  return UserId(id);
}

struct IdentityCase {
  std::string name;
  std::optional<SchemaIdentity> says;
  std::string refused;  // empty: it is shard 1's
  std::string advice = "name the DSNs in `shards`";
};
void PrintTo(const IdentityCase& identity, std::ostream* out) { *out << identity.name; }

class CheckIdentityTest : public ::testing::TestWithParam<IdentityCase> {};

TEST_P(CheckIdentityTest, IsThatShardsOrRefusedByName) {
  const IdentityCase& identity = GetParam();
  const Status fits = CheckIdentity(Shard(1), kConfigured, kOurs, identity.says);
  EXPECT_EQ(fits.has_value(), identity.refused.empty());
  if (fits) return;
  EXPECT_EQ(fits.error().code, ErrorCode::kRefused);
  EXPECT_THAT(fits.error().message, HasSubstr(identity.refused));
  EXPECT_THAT(fits.error().message, HasSubstr(identity.advice));
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckIdentityTest,
    ::testing::Values(IdentityCase{"Own", Says(1), ""},
                      IdentityCase{"AnotherShards", Says(2), "its schema is shard 2's"},
                      IdentityCase{"OtherPartitions", Says(1, kOurs, 16),
                                   "says 16 partitions on 4 shards", "correct `partitions`"},
                      IdentityCase{"OtherShards", Says(1, kOurs, 8, 2),
                                   "says 8 partitions on 2 shards"},
                      IdentityCase{"AnotherDeployments", Says(1, kOthers),
                                   "of deployment " + kOthers.text() + ", not of " + kOurs.text(),
                                   "correct `shards` or `deployment_id`; a copy gets an id"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckIdentity, OneThatIsNotToldYetIsWaitedFor) {
  const Status fits = CheckIdentity(Shard(1), kConfigured, kOurs, std::nullopt);
  ASSERT_FALSE(fits);
  EXPECT_EQ(fits.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(fits.error().message, HasSubstr("`fanfold init`"));
}

TEST(CheckIdentity, AnyDeploymentWillDoWhereNoneIsKnown) {
  EXPECT_TRUE(CheckIdentity(Shard(1), kConfigured, std::nullopt, Says(1, kOthers)));
}

TEST(OwnSchemas, ShardZeroSaysWhichDeploymentItIs) {
  OwnSchemas own(kConfigured, std::nullopt);
  const Status early = own.Of(Shard(1))(Says(1));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(own.Of(Shard(0))(Says(0)));
  EXPECT_TRUE(own.Of(Shard(1))(Says(1)));
  EXPECT_FALSE(own.Of(Shard(1))(Says(1, kOthers)));
  EXPECT_FALSE(own.Of(Shard(0))(Says(0, kOthers))) << "once it is known, it stays";
}

TEST(OwnSchemas, ASchemaThatIsRefusedSaysNothingForTheOthers) {
  OwnSchemas own(kConfigured, std::nullopt);
  EXPECT_FALSE(own.Of(Shard(0))(Says(2, kOthers)));
  EXPECT_TRUE(own.Of(Shard(0))(Says(0)));
}

TEST(OwnSchemas, WhatIsPinnedIsKnownFromTheFirstSessionOn) {
  OwnSchemas own(kConfigured, kOurs);
  EXPECT_TRUE(own.Of(Shard(1))(Says(1)));
  const Status other = own.Of(Shard(0))(Says(0, kOthers));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("`deployment_id` pins"));
}

// As a release has left it that told its schemas nothing.
struct SchemaCase {
  std::string name;
  std::int32_t shard;
  std::optional<Catalog> catalog;
  std::vector<std::int32_t> following;  // partitions
  std::vector<UserId> users;
  std::string refused;  // empty: it fits
};
void PrintTo(const SchemaCase& schema, std::ostream* out) { *out << schema.name; }

class CheckSchemaTest : public ::testing::TestWithParam<SchemaCase> {};

TEST_P(CheckSchemaTest, IsThatShardsOrRefusedByName) {
  const SchemaCase& schema = GetParam();
  SchemaTraces traces{std::nullopt, schema.catalog, {}, {}};
  traces.lanes.push_back({projections::kFans, Generation(1), Partition(0)});  // on every shard
  for (const std::int32_t p : schema.following) {
    traces.lanes.push_back({projections::kFollowing, Generation(1), Partition(p)});
  }
  for (const UserId user : schema.users) traces.users.push_back({projections::kFans, user});
  const Status fits = CheckSchema(Shard(schema.shard), kConfigured, kOurs, traces);
  EXPECT_EQ(fits.has_value(), schema.refused.empty());
  if (fits) return;
  EXPECT_EQ(fits.error().code, ErrorCode::kRefused);
  EXPECT_THAT(fits.error().message, HasSubstr(schema.refused));
  EXPECT_THAT(fits.error().message, HasSubstr("name the DSNs in `shards`"));
}

const Catalog kCatalog{{}, {8, 4}};

INSTANTIATE_TEST_SUITE_P(
    Table, CheckSchemaTest,
    ::testing::Values(
        SchemaCase{"First", 0, kCatalog, {0, 4}, {UserOn(0)}, ""},
        SchemaCase{"Other", 3, {}, {3, 7}, {UserOn(3)}, ""},
        SchemaCase{"OtherWithoutLanes", 1, {}, {}, {}, ""},
        SchemaCase{"LaneBeyondThePartitions", 1, {}, {1, 9}, {}, ""},
        SchemaCase{"FirstWithoutCatalog", 0, {}, {1}, {}, "has no catalog"},
        SchemaCase{"OtherWithCatalog", 2, kCatalog, {}, {}, "is a shard 0's"},
        SchemaCase{"Fewer", 0, Catalog{{}, {8, 8}}, {}, {}, "8 partitions on 8 shards"},
        SchemaCase{"OtherPartitions", 0, Catalog{{}, {16, 4}}, {}, {}, "16 partitions on 4 shards"},
        SchemaCase{"Swapped", 1, {}, {2, 6}, {}, "following/2, which is shard 2's"},
        SchemaCase{"OneLaneOfAnother", 1, {}, {1, 6}, {}, "following/6, which is shard 2's"},
        SchemaCase{"OneUserOfAnother", 1, {}, {}, {UserOn(1), UserOn(3)}, "who is shard 3's"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckSchema, WhatItSaysCountsAndNoTraceOfIt) {
  const SchemaTraces traces{Says(1), kCatalog, {}, {{projections::kFans, UserOn(3)}}};
  EXPECT_TRUE(CheckSchema(Shard(1), kConfigured, kOurs, traces));
  EXPECT_FALSE(CheckSchema(Shard(3), kConfigured, kOurs, traces));
}

TEST(CheckSchema, ANewOneIsAnyShards) {
  for (const std::int32_t shard : {0, 3}) {
    EXPECT_TRUE(CheckSchema(Shard(shard), kConfigured, kOurs, {}));
  }
}

TEST(CheckConfigured, WhatNoDeploymentHasIsToldWithWhatItMustBe) {
  EXPECT_TRUE(CheckConfigured({16, 4}));
  const Status refused = CheckConfigured({12, 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message,
            "12 partitions on 4 shards: both must be powers of two, at most 1024 partitions, and "
            "no more shards than partitions");
}

}  // namespace
}  // namespace fanfold
