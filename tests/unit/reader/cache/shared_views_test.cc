#include "reader/cache/shared_views.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"

namespace fanfold::testing {
namespace {

constexpr std::size_t kRowsMax = 10;
constexpr ReadGenerations kRead;

// What the statements were asked; the first stands until it is let go.
class Statements {
 public:
  Result<std::vector<WholeView>> Ask(std::span<const WholeLists> asked) {
    std::unique_lock lock(mutex_);
    std::vector<std::uint64_t> users;
    for (const WholeLists& lists : asked) users.push_back(lists.user.value);
    asked_.push_back(users);
    changed_.notify_all();
    if (asked_.size() == 1) changed_.wait(lock, [&] { return goes_; });
    if (fails_) return Fail(ErrorCode::kUnavailable, "away");
    std::vector<WholeView> told(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
      told[i].position.following = Offset(Number(asked[i].user));
    return told;
  }
  void LetGo(bool fails = false) {
    const std::scoped_lock lock(mutex_);
    goes_ = true;
    fails_ = fails;
    changed_.notify_all();
  }
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> asked() {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  static std::int64_t Number(UserId user) { return static_cast<std::int64_t>(user.value); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool goes_ = false;
  bool fails_ = false;
  std::vector<std::vector<std::uint64_t>> asked_;
};

class Reader final : public MemoryReader {
 public:
  Reader(const MemoryTables& tables, Statements& statements)
      : MemoryReader(tables, Placement(1, 1)), statements_(statements) {}
  Result<std::vector<WholeView>> Lists(const ReadGenerations&, std::span<const WholeLists> asked,
                                       std::size_t) override {
    return statements_.Ask(asked);
  }

 private:
  Statements& statements_;
};

class SharedViewsTest : public ::testing::Test {
 protected:
  // Asks for a user on a thread of its own.
  void Begin(std::uint64_t user, const ReadGenerations& read = kRead, Shard shard = Shard(0)) {
    threads_.emplace_back([=, this] {
      Reader reader(tables_, statements_);
      const WholeLists asked{UserId(user), Partition(0), true, true};
      Result<WholeView> told = views_.Ask(reader, shard, read, asked, kRowsMax);
      const std::scoped_lock lock(mutex_);
      told_.emplace_back(user, std::move(told));
    });
  }
  // The same, until it is asked for, when it is the first, or waits.
  void Come(std::uint64_t user, const ReadGenerations& read = kRead) {
    Begin(user, read);
    const std::size_t before = threads_.size() - 1;
    ASSERT_TRUE(WaitUntil([&] {
      return before == 0 ? statements_.asked().size() == 1 : views_.waiting() == before;
    }));
  }
  void WaitForAll() {
    for (std::jthread& thread : threads_) thread.join();
    threads_.clear();
  }

  MemoryTables tables_;
  Statements statements_;
  SharedViews views_{1};
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, Result<WholeView>>> told_;
  std::vector<std::jthread> threads_;
};

TEST_F(SharedViewsTest, ThoseWhoComeWhileAStatementRunsShareTheNext) {
  for (const std::uint64_t user : {1, 2, 3, 4}) Come(user);
  statements_.LetGo();
  WaitForAll();
  ASSERT_EQ(statements_.asked().size(), 2U);
  EXPECT_EQ(statements_.asked()[0], std::vector<std::uint64_t>{1});
  EXPECT_EQ(statements_.asked()[1].size(), 3U);
  ASSERT_EQ(told_.size(), 4U);
  for (const auto& [user, told] : told_) {
    ASSERT_TRUE(told);
    EXPECT_EQ(told->position.following, Offset(static_cast<std::int64_t>(user))) << "his own";
  }
}

TEST_F(SharedViewsTest, EachIsToldThatItFailed) {
  for (const std::uint64_t user : {1, 2, 3}) Come(user);
  statements_.LetGo(/*fails=*/true);
  WaitForAll();
  ASSERT_EQ(told_.size(), 3U);
  for (const auto& [user, told] : told_) EXPECT_EQ(told.error().code, ErrorCode::kUnavailable);
}

TEST_F(SharedViewsTest, OtherGenerationsAndTheSameUserAgainAreAskedApart) {
  const ReadGenerations others{Generation(2), Generation(2)};
  Come(1);
  Come(2);
  Come(3, others);
  Come(2);
  Come(4, others);
  statements_.LetGo();
  WaitForAll();
  EXPECT_EQ(told_.size(), 5U);
  ASSERT_EQ(statements_.asked().size(), 4U) << "1; 2; 2 again; 3 and 4";
}

TEST_F(SharedViewsTest, AnotherShardDoesNotWait) {
  Come(1);
  Begin(2, kRead, Shard(1));
  EXPECT_TRUE(WaitUntil([&] {
    const std::scoped_lock lock(mutex_);
    return told_.size() == 1 && told_[0].first == 2;
  }));
  statements_.LetGo();
  WaitForAll();
}

}  // namespace
}  // namespace fanfold::testing
