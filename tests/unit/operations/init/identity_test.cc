#include "operations/init/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

using ::testing::HasSubstr;

const DeploymentId kOld = DeploymentId::Draw();
const DeploymentId kNew = DeploymentId::Draw();
const DeploymentId kThird = DeploymentId::Draw();

using Said = std::vector<std::pair<DeploymentId, std::optional<DeploymentId>>>;  // one a shard

std::vector<SchemaIdentity> SaysOf(const Said& said) {
  std::vector<SchemaIdentity> says;
  for (const auto& [deployment, from] : said) {
    const Shard shard(static_cast<std::int32_t>(says.size()));
    says.push_back({deployment, from, shard, 4, 2});
  }
  return says;
}

struct RenewalCase {
  std::string name;
  Said said;
  std::optional<DeploymentId> pinned;
  std::optional<DeploymentId> to;  // nothing: refused
};
void PrintTo(const RenewalCase& renewal, std::ostream* out) { *out << renewal.name; }

class RenewalOfTest : public ::testing::TestWithParam<RenewalCase> {};

TEST_P(RenewalOfTest, GoesOnOrIsRefused) {
  const auto renewal = RenewalOf(SaysOf(GetParam().said), GetParam().pinned);
  ASSERT_EQ(renewal.has_value(), GetParam().to.has_value());
  if (renewal) {
    EXPECT_EQ(*renewal, (Renewal{kOld, *GetParam().to}));
  } else {
    EXPECT_EQ(renewal.error().code, ErrorCode::kRefused);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, RenewalOfTest,
    ::testing::Values(RenewalCase{"ToThePinned", {{kOld, {}}, {kOld, {}}}, kNew, kNew},
                      RenewalCase{"AgainToThePinned", {{kOld, kThird}, {kOld, kThird}}, kNew, kNew},
                      RenewalCase{"ThePinnedStays", {{kOld, {}}, {kOld, {}}}, kOld, {}},
                      RenewalCase{"HalfDone", {{kNew, kOld}, {kOld, {}}}, {}, kNew},
                      RenewalCase{"HalfDoneFromTheEnd", {{kOld, {}}, {kNew, kOld}}, {}, kNew},
                      RenewalCase{"HalfDoneToThePinned", {{kNew, kOld}, {kOld, {}}}, kNew, kNew},
                      RenewalCase{
                          "HalfDoneToAnotherThanPinned", {{kNew, kOld}, {kOld, {}}}, kThird, {}},
                      RenewalCase{"OfTwoDeployments", {{kOld, {}}, {kNew, {}}}, {}, {}},
                      RenewalCase{"OfTwoCopies", {{kNew, kOld}, {kThird, kOld}}, {}, {}},
                      RenewalCase{"OneOfAThird", {{kNew, kOld}, {kOld, {}}, {kThird, {}}}, {}, {}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(RenewalOf, DrawsAnIdWhereNoneIsPinned) {
  const std::vector<SchemaIdentity> says = SaysOf({{kOld, {}}});
  const Result<Renewal> one = RenewalOf(says, std::nullopt);
  const Result<Renewal> other = RenewalOf(says, std::nullopt);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->from, kOld);
  EXPECT_NE(one->to, kOld);
  EXPECT_NE(one->to, other->to);
}

class IdentityTest : public ::testing::Test {
 protected:
  IdentityTest() { fake_.backend.IdentifyAll(kOld); }

  testing::FakeShard& At(std::size_t shard) { return fake_.backend.shard_states[shard]; }
  void ExpectRefused(const std::string& why) {
    const Result<Renewal> planned = PlanRenewal(fake_.context);
    ASSERT_FALSE(planned);
    EXPECT_EQ(planned.error().code, ErrorCode::kRefused);
    EXPECT_THAT(planned.error().message, HasSubstr(why));
  }

  testing::FakeContext fake_{4, 2};
};

TEST_F(IdentityTest, ARenewalThatWasCutShortGoesOn) {
  At(1).read_only = true;
  const Result<Renewal> first = PlanRenewal(fake_.context);
  ASSERT_TRUE(first);
  EXPECT_FALSE(Renew(fake_.context, *first));
  EXPECT_EQ(At(0).identity->deployment, first->to);
  At(1).read_only = false;
  const Result<Renewal> again = PlanRenewal(fake_.context);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *first);
  ASSERT_TRUE(Renew(fake_.context, *again));
  for (const std::size_t shard : {0, 1}) {
    EXPECT_EQ(At(shard).identity->deployment, first->to);
    EXPECT_EQ(At(shard).identity->renewed_from, kOld);
  }
}

TEST_F(IdentityTest, NobodyMayBeAtASchemaThatIsRenewed) {
  At(1).sessions = 3;
  ExpectRefused("shard 1: 3 sessions are at its schema");
}

TEST_F(IdentityTest, AnotherShardsSchemaIsNotRenewed) {
  std::swap(At(0).identity, At(1).identity);
  ExpectRefused("shard 0: its schema is shard 1's");
}

TEST_F(IdentityTest, EachSchemaIsToldAndWhetherItFits) {
  At(1).identity->deployment = kThird;
  Result<Identities> all = LookAtIdentities(fake_.context);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->shards[0].fits);
  EXPECT_EQ(all->shards[1].says->deployment, kThird);
  EXPECT_EQ(all->shards[1].fits.error().code, ErrorCode::kRefused);
  At(1).away = true;
  fake_.backend.pinned_id = kThird;
  all = LookAtIdentities(fake_.context);
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->shards[0].fits) << "another is pinned";
  EXPECT_EQ(all->shards[1].fits.error().message, "away");
  EXPECT_EQ(all->shards[1].says, std::nullopt);
}

}  // namespace
}  // namespace fanfold::operations
