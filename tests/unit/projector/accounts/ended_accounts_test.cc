#include "projector/accounts/ended_accounts.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/contract/tables_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_profiles.h"

namespace fanfold::testing {

using namespace projector;
namespace {

// Counts what is asked of the rows under it.
struct Asked {
  ManualClock& clock;
  std::int64_t takes_ms = 0;
  int all = 0;
  int open = 0;
  std::size_t users = 0;
  bool away = false;
};

class CountingErasures final : public ErasureStore {
 public:
  CountingErasures(MemoryTables& tables, Asked& asked) : rows_(tables), asked_(asked) {}
  Status Move(const Erasure& from, const Erasure& to) override { return rows_.Move(from, to); }
  Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) override {
    ++(open ? asked_.open : asked_.all);
    asked_.clock.now_ms += asked_.takes_ms;
    if (asked_.away) return Fail(ErrorCode::kUnavailable, "away");
    return rows_.Deleted(open, limit);
  }
  Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override {
    asked_.users += users.size();
    return rows_.Ended(users);
  }

 private:
  MemoryErasures rows_;
  Asked& asked_;
};

class EndedAccountsTest : public ::testing::Test {
 protected:
  void Put(std::uint64_t user, std::int64_t version, EraseStage stage, bool stays) {
    const ErasureKey key{UserId(user), Version(version)};
    tables_.erasures[key] = {key, 0, {}, {stage, UserId(0), {}}, stays};
  }
  void End(std::uint64_t user, EraseStage stage = EraseStage::kDone) { Put(user, 1, stage, true); }
  void Restore(std::uint64_t user) { Put(user, 2, EraseStage::kRestored, false); }
  std::unique_ptr<EndedAccounts> New(std::size_t accounts_max = 100) {
    return std::make_unique<EndedAccounts>(std::make_unique<CountingErasures>(tables_, asked_),
                                           clock_, accounts_max);
  }
  bool HasEnded(EndedAccounts& accounts, std::uint64_t user, std::int64_t now_ms) {
    const std::vector<UserId> users = {UserId(user), UserId(user), UserId(99)};
    clock_.now_ms = now_ms;
    return Must(accounts.Among(users)).contains(UserId(user));
  }

  MemoryTables tables_;
  ManualClock clock_;
  Asked asked_{clock_};
  std::unique_ptr<EndedAccounts> accounts_ = New();
};

TEST_F(EndedAccountsTest, AsksTheTablesAboutThoseAloneWhoWereEverDeleted) {
  End(1);
  Put(2, 1, EraseStage::kDone, false);
  EXPECT_TRUE(HasEnded(*accounts_, 1, 0));
  EXPECT_EQ(asked_.users, 1U) << "once, and nobody else";
  EXPECT_FALSE(HasEnded(*accounts_, 2, 0)) << "it did not stay";
  EXPECT_FALSE(HasEnded(*accounts_, 3, 0));
  EXPECT_EQ(asked_.users, 2U);
  Restore(1);
  EXPECT_FALSE(HasEnded(*accounts_, 1, 0)) << "a restore is known at once";
}

TEST_F(EndedAccountsTest, ADeletionIsKnownSoonAndTheOpenOnesAloneAreReadForIt) {
  EXPECT_FALSE(HasEnded(*accounts_, 1, 0));
  End(1, EraseStage::kUnmeasured);
  EXPECT_FALSE(HasEnded(*accounts_, 1, EndedAccounts::kKnownMs - 1));
  EXPECT_TRUE(HasEnded(*accounts_, 1, EndedAccounts::kKnownMs));
  EXPECT_EQ(asked_.all, 1);
  EXPECT_EQ(asked_.open, 1);
  End(1);
  EXPECT_TRUE(HasEnded(*accounts_, 1, 2 * EndedAccounts::kKnownMs)) << "and it stays known";
}

// A deletion may have come and been done since. To read them all for each batch of a quiet lane
// would cost more than to ask about whom it has.
TEST_F(EndedAccountsTest, WhoHasNotLookedForLongAsksAboutEverybody) {
  EXPECT_FALSE(HasEnded(*accounts_, 1, 0));
  End(1);
  EXPECT_TRUE(HasEnded(*accounts_, 1, EndedAccounts::kOpenMs));
  EXPECT_EQ(asked_.open, 0);
  EXPECT_EQ(asked_.all, 1);
  EXPECT_EQ(asked_.users, 2U);
  EXPECT_TRUE(HasEnded(*accounts_, 1, EndedAccounts::kPauseMs));
  EXPECT_EQ(asked_.all, 2) << "now and then they are read";
  EXPECT_FALSE(HasEnded(*accounts_, 3, EndedAccounts::kPauseMs + 1));
  EXPECT_EQ(asked_.users, 3U) << "and known again";
}

// The question may have been under way for as long.
TEST_F(EndedAccountsTest, AnAnswerThatComesLateIsNotEnough) {
  EXPECT_FALSE(HasEnded(*accounts_, 1, 0));
  End(1);
  asked_.takes_ms = EndedAccounts::kOpenMs;
  EXPECT_TRUE(HasEnded(*accounts_, 1, EndedAccounts::kKnownMs));
  EXPECT_EQ(asked_.open, 1);
  EXPECT_EQ(asked_.all, 1);
  EXPECT_EQ(asked_.users, 2U);
}

TEST_F(EndedAccountsTest, ToReadThemAllTakesATenthOfTheTimeAtTheMost) {
  asked_.takes_ms = 2'000;
  End(1);
  int batches = 0;
  for (std::int64_t now_ms = 0; now_ms < 100'000; now_ms = clock_.now_ms + 1'000, ++batches) {
    EXPECT_TRUE(HasEnded(*accounts_, 1, now_ms));
  }
  EXPECT_LE(asked_.all, 5) << "of " << batches;
}

TEST_F(EndedAccountsTest, OlderTablesAreReadAnew) {
  End(1);
  EXPECT_TRUE(HasEnded(*accounts_, 1, 0));
  tables_.erasures.clear();
  End(2);
  accounts_->Forget();
  EXPECT_TRUE(HasEnded(*accounts_, 2, 1));
  EXPECT_FALSE(HasEnded(*accounts_, 1, 1));
  EXPECT_FALSE(HasEnded(*accounts_, 1, EndedAccounts::kPauseMs));
  EXPECT_EQ(accounts_->size(), 1U);
}

TEST_F(EndedAccountsTest, WhereThereAreTooManyTheTablesAreAskedAboutEverybody) {
  for (std::uint64_t user = 1; user <= 3; ++user) End(user);
  const auto few = New(2);
  EXPECT_TRUE(HasEnded(*few, 3, 0));
  EXPECT_FALSE(HasEnded(*few, 50, 0));
  EXPECT_EQ(asked_.users, 4U) << "99 as well";
  EXPECT_EQ(few->size(), 0U);
  const auto enough = New(3);
  EXPECT_TRUE(HasEnded(*enough, 3, 0));
  EXPECT_EQ(enough->size(), 3U);
  End(4, EraseStage::kUnmeasured);
  EXPECT_TRUE(HasEnded(*enough, 4, EndedAccounts::kKnownMs));
  EXPECT_TRUE(HasEnded(*enough, 1, EndedAccounts::kKnownMs));
  EXPECT_EQ(enough->size(), 0U);
}

TEST_F(EndedAccountsTest, WhatCannotBeReadIsNotTakenForNobody) {
  accounts_ = New();
  asked_.away = true;
  const std::vector<UserId> users = {UserId(1)};
  EXPECT_FALSE(accounts_->Among(users));
  asked_.away = false;
  End(1);
  EXPECT_TRUE(HasEnded(*accounts_, 1, 1));
}

// What kAccountsMax stands on.
TEST_F(EndedAccountsTest, EachTakesEightBytes) {
  for (std::uint64_t user = 1; user <= 10'000; ++user) End(user);
  const auto many = New(20'000);
  (void)HasEnded(*many, 1, 0);
  EXPECT_EQ(many->size(), 10'000U);
  EXPECT_LE(many->bytes(), 10'000U * 8 + 8);
}

}  // namespace
}  // namespace fanfold::testing
