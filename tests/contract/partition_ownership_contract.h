// What every PartitionOwnership keeps to. An adapter's test includes this once and says
//   INSTANTIATE_TEST_SUITE_P(Kafka, PartitionOwnershipContract, ::testing::Values(…),
//   OwnershipName);
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/partition_ownership.h"

namespace fanfold::testing {

struct OwnershipFactory {
  std::string adapter;
  // A fresh group over that many partitions, as something that makes its members.
  std::function<std::function<std::unique_ptr<PartitionOwnership>()>(std::int32_t partitions)>
      make_group;

  friend void PrintTo(const OwnershipFactory& factory, std::ostream* out) {
    *out << factory.adapter;
  }
};

// Who holds what, as the members tell it. Fails the test when two hold the same partition, or when
// one gains what it has or loses what it has not.
class Ledger {
 public:
  using Held = std::set<std::int32_t>;

  // Requires: names are 0, 1, ….
  [[nodiscard]] PartitionOwnership::Callbacks For(int member) {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(member);
    if (held_.size() <= index) held_.resize(index + 1);
    return {[this, index](std::span<const Partition> gained) { Gain(index, gained); },
            [this, index](std::span<const Partition> lost) { Lose(index, lost); }};
  }

  // How long `lost` takes to stop the work. Partitions are held until then.
  void SlowDown(std::chrono::milliseconds stopping) {
    const std::lock_guard lock(mutex_);
    stopping_ = stopping;
  }

  [[nodiscard]] Held HeldBy(int member) {
    const std::lock_guard lock(mutex_);
    return held_[static_cast<std::size_t>(member)];
  }

  // Waits until these members hold every partition between them, each its fair share, others
  // nothing.
  [[nodiscard]] bool AwaitShared(const std::set<int>& members, std::int32_t partitions) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(40), [&] {
      const auto count = static_cast<std::int32_t>(members.size());
      std::int32_t total = 0;
      for (std::size_t i = 0; i < held_.size(); ++i) {
        const auto held = static_cast<std::int32_t>(held_[i].size());
        const bool takes_part = members.contains(static_cast<int>(i));
        if (!takes_part && held > 0) return false;
        if (takes_part && held != partitions / count) return false;
        total += held;
      }
      return total == partitions;
    });
  }

  // Waits until each of so many members has been told what it has, be it nothing.
  [[nodiscard]] bool AwaitTold(std::size_t members) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(40),
                             [&] { return told_.size() == members; });
  }

 private:
  void Gain(std::size_t member, std::span<const Partition> gained) {
    const std::lock_guard lock(mutex_);
    told_.insert(member);
    for (const Partition partition : gained) {
      for (const Held& other : held_) {
        EXPECT_FALSE(other.contains(partition.value))
            << "partition " << partition.value << " is still held";
      }
      held_[member].insert(partition.value);
    }
    changed_.notify_all();
  }

  void Lose(std::size_t member, std::span<const Partition> lost) {
    std::unique_lock lock(mutex_);
    // The members' work ends at its own pace, so this is a wait for nobody.
    stopped_.wait_for(lock, stopping_, [] { return false; });
    for (const Partition partition : lost) {
      EXPECT_EQ(held_[member].erase(partition.value), 1U)
          << "partition " << partition.value << " was not held";
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable stopped_;
  std::chrono::milliseconds stopping_{0};
  std::vector<Held> held_;
  std::set<std::size_t> told_;
};

class PartitionOwnershipContract : public ::testing::TestWithParam<OwnershipFactory> {
 protected:
  static constexpr std::int32_t kPartitions = 4;

  void SetUp() override { make_member_ = GetParam().make_group(kPartitions); }

  std::unique_ptr<PartitionOwnership> Joined(int member) {
    std::unique_ptr<PartitionOwnership> ownership = make_member_();
    const Status joined = ownership->Join(ledger_.For(member));
    EXPECT_TRUE(joined.has_value()) << joined.error().message;
    return ownership;
  }

  Ledger ledger_;  // outlives the members
  std::function<std::unique_ptr<PartitionOwnership>()> make_member_;
};

inline std::string OwnershipName(const ::testing::TestParamInfo<OwnershipFactory>& param_info) {
  return param_info.param.adapter;
}

TEST_P(PartitionOwnershipContract, OneMemberGainsEverything) {
  const auto member = Joined(0);
  EXPECT_TRUE(ledger_.AwaitShared({0}, kPartitions));
}

TEST_P(PartitionOwnershipContract, LeavingLosesEverythingFirst) {
  const auto member = Joined(0);
  ASSERT_TRUE(ledger_.AwaitShared({0}, kPartitions));
  member->Leave();
  EXPECT_THAT(ledger_.HeldBy(0), ::testing::IsEmpty());
  member->Leave();
}

TEST_P(PartitionOwnershipContract, DestroyingLeaves) {
  auto member = Joined(0);
  ASSERT_TRUE(ledger_.AwaitShared({0}, kPartitions));
  member.reset();
  EXPECT_THAT(ledger_.HeldBy(0), ::testing::IsEmpty());
}

TEST_P(PartitionOwnershipContract, JoiningTwiceIsRefused) {
  const auto member = Joined(0);
  EXPECT_EQ(member->Join(ledger_.For(0)).error().code, ErrorCode::kRefused);
}

TEST_P(PartitionOwnershipContract, TwoMembersShare) {
  const auto one = Joined(0);
  const auto other = Joined(1);
  EXPECT_TRUE(ledger_.AwaitShared({0, 1}, kPartitions));
}

TEST_P(PartitionOwnershipContract, WhoGetsNoneIsToldSo) {
  std::vector<std::unique_ptr<PartitionOwnership>> members;
  for (int member = 0; member <= kPartitions; ++member) members.push_back(Joined(member));
  EXPECT_TRUE(ledger_.AwaitTold(members.size()));
}

TEST_P(PartitionOwnershipContract, TheOtherGainsOnlyWhenLostHasReturned) {
  ledger_.SlowDown(std::chrono::milliseconds(500));
  const auto one = Joined(0);
  ASSERT_TRUE(ledger_.AwaitShared({0}, kPartitions));
  const auto other = Joined(1);
  EXPECT_TRUE(ledger_.AwaitShared({0, 1}, kPartitions));
}

TEST_P(PartitionOwnershipContract, TheRestTakeWhatALeaverHad) {
  const auto one = Joined(0);
  const auto other = Joined(1);
  ASSERT_TRUE(ledger_.AwaitShared({0, 1}, kPartitions));
  one->Leave();
  EXPECT_TRUE(ledger_.AwaitShared({1}, kPartitions));
}

TEST_P(PartitionOwnershipContract, SurvivesThreeRoundsOfComingAndGoing) {
  const auto constant = Joined(0);
  for (int round = 0; round < 3; ++round) {
    const auto one = Joined(1);
    ASSERT_TRUE(ledger_.AwaitShared({0, 1}, kPartitions)) << "round " << round;
    one->Leave();
    ASSERT_TRUE(ledger_.AwaitShared({0}, kPartitions)) << "round " << round;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PartitionOwnershipContract);

}  // namespace fanfold::testing
