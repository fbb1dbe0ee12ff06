#include "writer/outcome_waiters.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

class OutcomeWaitersTest : public ::testing::Test {
 protected:
  OutcomeWaiters::Done Note(const std::string& name) {
    return [this, name](const std::optional<Outcome>& outcome) {
      told_.push_back(name + (outcome ? " decided" : " late"));
    };
  }

  static constexpr std::size_t kWaitersMax = 3;
  FakeClock clock_;
  std::vector<std::string> told_;
  OutcomeWaiters waiters_{clock_, kWaitersMax};
};

TEST_F(OutcomeWaitersTest, TheOneWhoWaitsIsToldOnce) {
  ASSERT_TRUE(waiters_.Register("a", 100, Note("a")));
  waiters_.Deliver(OutcomeOf("b"));
  EXPECT_TRUE(told_.empty());
  waiters_.Deliver(OutcomeOf("a"));
  waiters_.Deliver(OutcomeOf("a"));
  clock_.steady_ms += 1000;
  waiters_.ExpireDue();
  EXPECT_EQ(told_, std::vector<std::string>{"a decided"});
  EXPECT_EQ(waiters_.size(), 0U);
}

TEST_F(OutcomeWaitersTest, TimeRunsOutAtTheDeadlineAndNotBefore) {
  ASSERT_TRUE(waiters_.Register("later", 100, Note("later")));
  ASSERT_TRUE(waiters_.Register("sooner", 50, Note("sooner")));
  clock_.steady_ms += 49;
  waiters_.ExpireDue();
  EXPECT_TRUE(told_.empty());
  clock_.steady_ms += 1;
  waiters_.ExpireDue();
  EXPECT_EQ(told_, std::vector<std::string>{"sooner late"});
  waiters_.Deliver(OutcomeOf("sooner"));
  clock_.steady_ms += 50;
  waiters_.ExpireDue();
  EXPECT_EQ(told_, (std::vector<std::string>{"sooner late", "later late"}));
}

TEST_F(OutcomeWaitersTest, AboveTheLimitIsRefusedUntilOneGoes) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(waiters_.Register(id, 100, Note(id)));
  const Status refused = waiters_.Register("d", 100, Note("d"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  waiters_.Forget("b");
  EXPECT_TRUE(waiters_.Register("d", 100, Note("d")));
  EXPECT_TRUE(told_.empty());
}

TEST_F(OutcomeWaitersTest, OneCallerHoldsFewAndNoneOnceHeIsGone) {
  OutcomeWaiters waiters(clock_, 100);
  const auto caller = std::make_shared<Caller>();
  const std::string ids = "abcdefgh";
  ASSERT_EQ(ids.size(), static_cast<std::size_t>(Caller::kWaitsMax));
  for (const char id : ids) {
    ASSERT_TRUE(waiters.Register({id}, 10'000, Note({id}), caller));
  }
  const Status refused = waiters.Register("z", 10'000, Note("z"), caller);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  ASSERT_TRUE(waiters.Register("other", 10'000, Note("other"), std::make_shared<Caller>()));
  waiters.Deliver(OutcomeOf("a"));
  EXPECT_TRUE(waiters.Register("z", 10'000, Note("z"), caller)) << "a place is given back";
  told_.clear();
  caller->Leave();
  clock_.steady_ms += OutcomeWaiters::kSweepMs;
  waiters.ExpireDue();
  EXPECT_EQ(told_.size(), ids.size());
  EXPECT_EQ(waiters.size(), 1U) << "the other";
}

TEST_F(OutcomeWaitersTest, TheForgottenIsNotTold) {
  ASSERT_TRUE(waiters_.Register("a", 100, Note("a")));
  waiters_.Forget("a");
  waiters_.Forget("never registered");
  waiters_.Deliver(OutcomeOf("a"));
  clock_.steady_ms += 1000;
  waiters_.ExpireDue();
  EXPECT_TRUE(told_.empty());
}

TEST(OutcomeWaitersThread, ANearerDeadlineIsNotHeldUpByAFarOne) {
  const SystemClock clock;
  OutcomeWaiters waiters(clock, 10);
  std::atomic<int> late{0};
  const std::jthread timer([&](const std::stop_token& stop) { waiters.ExpireUntil(stop); });
  const auto count = [&](const std::optional<Outcome>&) { ++late; };
  ASSERT_TRUE(waiters.Register("far", 3'600'000, count));
  ASSERT_TRUE(waiters.Register("near", 1, count));
  EXPECT_TRUE(Eventually([&] { return late == 1; }));
  EXPECT_EQ(waiters.size(), 1U);
}

}  // namespace
}  // namespace fanfold::writer
