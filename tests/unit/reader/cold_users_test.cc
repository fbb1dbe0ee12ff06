#include "reader/cold_users.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/wait_until.h"
#include "tests/unit/reader/cache/world.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::testing {

using namespace reader;
namespace {

constexpr ListsNeeded kBoth{.following = true, .fans = true};
using Users = std::vector<std::uint64_t>;

// What the statements were asked. Thread-safe.
class Statements {
 public:
  Status Ask(std::span<const WholeLists> asked) {
    std::unique_lock lock(mutex_);
    Users users;
    for (const WholeLists& lists : asked) users.push_back(lists.user.value);
    asked_.push_back(users);
    changed_.wait(lock, [&] { return !stands_ || users.front() != first_; });
    return fails_ ? Fail(ErrorCode::kUnavailable, "away") : Status();
  }
  // The statement that begins with this user stands until it is let go.
  void HoldUp(std::uint64_t user) {
    first_ = user;
    stands_ = true;
  }
  void LetGo(bool fails = false) {
    const std::scoped_lock lock(mutex_);
    stands_ = false;
    fails_ = fails;
    changed_.notify_all();
  }
  std::vector<Users> asked() {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t first_ = 0;
  bool stands_ = false;
  bool fails_ = false;
  std::vector<Users> asked_;
};

class Reader final : public MemoryReader {
 public:
  Reader(const MemoryTables& tables, const Placement& placement, Statements& statements)
      : MemoryReader(tables, placement), statements_(statements) {}
  Result<std::vector<WholeView>> Lists(const ReadGenerations& read,
                                       std::span<const WholeLists> asked,
                                       const WholeListsLimit& limit) override {
    Result<std::vector<WholeView>> views = MemoryReader::Lists(read, asked, limit);
    if (Status answers = statements_.Ask(asked); !answers) return Forward(answers);
    return views;
  }

 private:
  Statements& statements_;
};

class ColdUsersTest : public ::testing::Test {
 protected:
  ColdUsersTest() {
    board_.SetDeployment(Deployment{Placement::Modulo({World::kPartitions, World::kShards}), {}});
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      board_.SetLanes(Shard(s),
                      MemoryReader(world_.TablesOf(Shard(s)), placement_).Lanes().value());
    }
    for (std::uint64_t user = 1; own_.size() < ColdUsers::kUsersMax + 3; ++user) {
      (placement_.ShardOf(UserId(user)) == Shard(0) ? own_ : others_).push_back(user);
    }
    statements_.HoldUp(own_[0]);
  }
  ~ColdUsersTest() override { statements_.LetGo(); }

  void Fetch(std::uint64_t user, CallerPtr caller = nullptr) {
    ASSERT_TRUE(users_.Fetch(
        UserId(user), kBoth,
        [this, user](const Status& fetched) {
          const std::scoped_lock lock(mutex_);
          told_.emplace_back(user, fetched ? "" : fetched.error().message);
        },
        std::move(caller)));
  }
  // Its statement stands, and those who come now are queued behind it.
  void Begin() {
    Fetch(own_[0]);
    ASSERT_TRUE(WaitUntil([&] { return statements_.asked().size() == 1; }));
  }
  using Told = std::vector<std::pair<std::uint64_t, std::string>>;
  Told WaitForAll(std::size_t count) {
    EXPECT_TRUE(WaitUntil([&] {
      const std::scoped_lock lock(mutex_);
      return told_.size() >= count;
    }));
    const std::scoped_lock lock(mutex_);
    return told_;
  }
  [[nodiscard]] bool IsHeld(std::uint64_t user) {
    return world_.live.cache().With(UserId(user), [](const HeldLists& held) {
      return held.following != nullptr && held.fans != nullptr;
    });
  }

  World world_;
  const Placement placement_ = world_.deployment().placement;
  FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, {World::kPartitions, World::kShards}};
  Users own_;     // of shard 0
  Users others_;  // of shard 1
  Statements statements_;
  std::mutex mutex_;
  Told told_;
  static constexpr std::int64_t kLongMs = 20'000;
  Gauge& shown_ = metrics_.GetGauge("cold", "");
  ColdUsers users_{board_, world_.live, pool_, clock_, shown_, kLongMs};
  QueryPool pool_{[this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
                    return std::make_unique<Reader>(world_.TablesOf(shard), placement_,
                                                    statements_);
                  },
                  2, metrics_.GetGauge("fanfold_reader_queue", "")};
};

TEST_F(ColdUsersTest, ThoseWhoComeWhileAStatementRunsShareTheNext) {
  Begin();
  for (const std::size_t i : {1, 2, 2, 3, 0}) Fetch(own_[i]);
  statements_.LetGo();
  for (const auto& [user, why] : WaitForAll(6)) {
    EXPECT_EQ(why, "");
    EXPECT_TRUE(IsHeld(user));
  }
  EXPECT_EQ(statements_.asked(), (std::vector<Users>{{own_[0]}, {own_[1], own_[2], own_[3]}}))
      << "the first was asked for already";
}

TEST_F(ColdUsersTest, AStatementHoldsABoundedNumber) {
  Begin();
  for (std::size_t i = 1; i < own_.size(); ++i) Fetch(own_[i]);
  statements_.LetGo();
  (void)WaitForAll(own_.size());
  ASSERT_EQ(statements_.asked().size(), 3U);
  EXPECT_EQ(statements_.asked()[1].size(), ColdUsers::kUsersMax);
  EXPECT_EQ(statements_.asked()[2].size(), 2U);
}

TEST_F(ColdUsersTest, AnotherShardDoesNotWait) {
  Begin();
  Fetch(others_[0]);
  EXPECT_EQ(WaitForAll(1), (Told{{others_[0], ""}}));
}

TEST_F(ColdUsersTest, EachIsToldThatItFailed) {
  Begin();
  Fetch(own_[0]);
  Fetch(own_[1]);
  statements_.LetGo(/*fails=*/true);
  for (const auto& [user, why] : WaitForAll(3)) EXPECT_EQ(why, "away") << user;
}

TEST_F(ColdUsersTest, WhoIsGoneOrHasWaitedTooLongIsNotAskedFor) {
  Begin();
  const auto gone = std::make_shared<Caller>();
  Fetch(own_[1], gone);
  gone->Leave();
  Fetch(own_[2]);
  clock_.Advance(QueryPool::kQueuedMaxMs + 1);
  Fetch(own_[2]);
  Fetch(own_[3]);
  board_.SetLanes(Shard(0), MemoryReader(world_.TablesOf(Shard(0)), placement_).Lanes().value());
  statements_.LetGo();
  const Told told = WaitForAll(5);
  std::map<std::string, Users> by_answer;
  for (const auto& [user, why] : told) by_answer[why].push_back(user);
  EXPECT_EQ(by_answer["the connection was gone first"], Users{own_[1]});
  EXPECT_EQ(by_answer["no worker was free in time"], Users{own_[2]});
  EXPECT_EQ(by_answer[""].size(), 3U);
  for (const Users& users : statements_.asked()) EXPECT_EQ(std::ranges::count(users, own_[1]), 0);
}

TEST_F(ColdUsersTest, AShardThatIsAwayIsNotAsked) {
  Begin();
  Fetch(own_[1]);
  board_.SetShardFailed(Shard(0), {ErrorCode::kUnavailable, "gone"});
  statements_.LetGo();
  for (const auto& [user, why] : WaitForAll(2)) EXPECT_EQ(why.empty(), user == own_[0]) << why;
  EXPECT_EQ(statements_.asked().size(), 1U);
}

TEST_F(ColdUsersTest, ABoundedNumberAsks) {
  Begin();
  for (std::ptrdiff_t i = 1; i < ColdUsers::kAskingMax / 2; ++i) Fetch(own_[1]);
  users_.Prefetch(UserId(own_[3]), kBoth, nullptr);
  for (std::ptrdiff_t i = ColdUsers::kAskingMax / 2; i < ColdUsers::kAskingMax; ++i) Fetch(own_[1]);
  EXPECT_TRUE(metrics_.Text().contains("\ncold 4096\n"));
  const Status refused = users_.Fetch(UserId(own_[2]), kBoth, nullptr, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  statements_.LetGo();
  (void)WaitForAll(ColdUsers::kAskingMax);
  EXPECT_TRUE(metrics_.Text().contains("\ncold 0\n"));
  Fetch(others_[0]);
  (void)WaitForAll(ColdUsers::kAskingMax + 1);
  for (const Users& users : statements_.asked()) EXPECT_EQ(std::ranges::count(users, own_[3]), 0);
}

TEST_F(ColdUsersTest, AStatementThatStandsKeepsOnlyThoseItIsOf) {
  Begin();
  clock_.Advance(ColdUsers::kSlowMs + 1);
  Fetch(own_[1]);
  EXPECT_EQ(WaitForAll(1), (Told{{own_[1], ""}}));
}

TEST_F(ColdUsersTest, AViewAheadOfRWaitsForItAndKeepsNobody) {
  const UserId ahead(own_[1]);
  const Partition partition = placement_.PartitionOf(ahead);
  const auto elsewhere = std::ranges::find_if(own_, [&](std::uint64_t user) {
    return placement_.PartitionOf(UserId(user)) != partition && user != own_[0];
  });
  world_.Decide(ahead, UserId(9), true, 1);
  world_.MoveLane(Direction::kFollowing, partition, Shard(0), 1);
  Begin();
  Fetch(ahead.value);
  Fetch(*elsewhere);
  statements_.LetGo();
  for (const auto& [user, why] : WaitForAll(2)) EXPECT_NE(user, ahead.value);
  EXPECT_FALSE(IsHeld(ahead.value));
  world_.MoveReader(partition, 1);
  (void)WaitForAll(3);
  EXPECT_TRUE(IsHeld(ahead.value));
}

}  // namespace
}  // namespace fanfold::testing
