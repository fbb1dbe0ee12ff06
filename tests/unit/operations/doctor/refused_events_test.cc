#include "operations/doctor/refused_events.h"

#include <gtest/gtest.h>
#include <optional>

#include "common/post/post_outcome.h"
#include "common/relation/codec.h"
#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

constexpr std::int32_t kRefusedPartitions = 2;

class RefusedEventsTest : public ::testing::Test {
 protected:
  // So long ago.
  void Add(std::int64_t age_ms, UserId user, std::optional<RejectReason> reason) {
    auto& records = log_.Of(topics::kRelationOutcomes)[user.value % kRefusedPartitions];
    Outcome outcome;
    outcome.kind = reason ? OutcomeKind::kRejected : OutcomeKind::kFollowed;
    outcome.rejected = reason;
    outcome.position = {Partition(static_cast<std::int32_t>(user.value % kRefusedPartitions)),
                        Offset(static_cast<std::int64_t>(records.size()))};
    outcome.subject = user;
    outcome.object = UserId(99);
    records.push_back({ToString(user), EncodeOutcome(outcome), clock_.now_ms - age_ms});
  }

  RefusedEventsFacts Read() {
    testing::FakeLog log(log_);
    const auto facts = ReadRefused(log, *ReadAllEnds(log, kRefusedPartitions), clock_);
    EXPECT_TRUE(facts) << facts.error().message;
    return facts.value_or(RefusedEventsFacts());
  }

  testing::FakeClock clock_;
  testing::FakeLogState log_{kRefusedPartitions};
};

TEST_F(RefusedEventsTest, ThoseOfTheLastHourAreCountedByReasonAndUser) {
  Add(kRefusedSinceMs + 1, UserId(1), RejectReason::kFollowLimit);
  for (int i = 0; i < 5; ++i) Add(1000, UserId(1), RejectReason::kFollowLimit);
  Add(kRefusedSinceMs, UserId(2), RejectReason::kUserDeleted);
  Add(1000, UserId(2), std::nullopt);
  const RefusedEventsFacts facts = Read();
  EXPECT_EQ(facts.events, 6);
  EXPECT_FALSE(facts.more);
  EXPECT_EQ(facts.users.at(UserId(1)), 5);
  const Check check = TellRefused(facts);
  EXPECT_EQ(LevelOf(check), CheckLevel::kOk);
  EXPECT_EQ(check.fine,
            "6 events were rejected in the last hour (follow_limit 5, user_deleted 1), of user 1 "
            "most: 5");
}

TEST_F(RefusedEventsTest, PostsToo) {
  PostOutcome outcome;
  outcome.kind = PostOutcomeKind::kRejected;
  outcome.rejected = PostRejection::kUserDeleted;
  outcome.position = {Partition(1), Offset(0)};
  outcome.author = UserId(7);
  outcome.post_id = PostId(8);
  log_.Of(topics::kPostOutcomes)[1].push_back({"7", EncodePostOutcome(outcome), clock_.now_ms});
  EXPECT_EQ(Read().users.at(UserId(7)), 1);
}

TEST_F(RefusedEventsTest, AsFarBackAsTheHourGoes) {
  for (int i = 0; i < 20'000; ++i) {
    Add(i < 10'000 ? 2 * kRefusedSinceMs : 1000, UserId(1), RejectReason::kFollowLimit);
  }
  const RefusedEventsFacts facts = Read();
  EXPECT_EQ(facts.events, 10'000);
  EXPECT_FALSE(facts.more);
}

TEST_F(RefusedEventsTest, WhereTheTimeRunsOutThereMayBeMore) {
  for (int i = 0; i < 20'000; ++i) Add(1000, UserId(1), RejectReason::kFollowLimit);
  // Two looks for where the hour begins, then a batch.
  log_.on_poll = [this] { clock_.steady_ms += kRefusedReadMs / 2 - 1; };
  const RefusedEventsFacts facts = Read();
  EXPECT_TRUE(facts.more);
  EXPECT_TRUE(TellRefused(facts).fine.starts_with("at least 10000 events"));
  EXPECT_TRUE(TellRefused({.events = 0, .more = true, .reasons = {}, .users = {}})
                  .fine.ends_with("as far as the last hour could be read"));
}

TEST_F(RefusedEventsTest, NoneIsSaid) {
  Add(1000, UserId(1), std::nullopt);
  EXPECT_EQ(TellRefused(Read()).fine, "no event was rejected in the last hour");
}

}  // namespace
}  // namespace fanfold::operations
