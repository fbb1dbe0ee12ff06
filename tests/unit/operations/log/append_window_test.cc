#include "operations/log/append_window.h"

#include <chrono>
#include <deque>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace fanfold::operations {
namespace {

constexpr std::int64_t kAtOnceMs = 0;

// Calls back when the test says so.
class HoldingAppender final : public LogAppender {
 public:
  explicit HoldingAppender(std::deque<Done>& held) : held_(held) {}
  void Append(Partition, std::string_view, std::string_view, Done done) override {
    held_.push_back(std::move(done));
  }
  bool Flush(std::int64_t) override { return held_.empty(); }

 private:
  std::deque<Done>& held_;
};

class AppendWindowTest : public ::testing::Test {
 protected:
  // Appends records of so many bytes until there is no room; how many.
  std::size_t Fill(std::size_t bytes) {
    std::size_t appended = 0;
    const std::string value(bytes - 1, 'x');
    for (; window_.WaitForRoom(kAtOnceMs); ++appended)
      window_.Append(++line_, Partition(0), "k", value);
    return appended;
  }

  void Answer(std::size_t count,
              const Result<Position>& position = Position{Partition(0), Offset(0)}) {
    for (; count > 0; --count) {
      held_.front()(position);
      held_.pop_front();
    }
  }

  std::deque<LogAppender::Done> held_;
  std::int64_t line_ = 0;
  AppendWindow window_{std::make_unique<HoldingAppender>(held_)};
};

TEST_F(AppendWindowTest, HoldsSoManyRecords) { EXPECT_EQ(Fill(100), AppendWindow::kInFlightMax); }

TEST_F(AppendWindowTest, HoldsSoManyBytes) {
  constexpr std::size_t kRecord = std::size_t{1} << 20;
  EXPECT_EQ(Fill(kRecord), AppendWindow::kBytesInFlightMax / kRecord);
}

// Whichever of the two filled it.
TEST_F(AppendWindowTest, WhoWaitsGoesOnWhenHalfIsFree) {
  constexpr std::int64_t kLongMs = 60'000;
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20}) {
    const std::size_t full = Fill(bytes);
    auto room = std::async(std::launch::async, [&] { return window_.WaitForRoom(kLongMs); });
    ASSERT_EQ(room.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
    Answer(full / 2);
    EXPECT_EQ(room.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    Answer(held_.size());
    EXPECT_TRUE(room.get());
  }
}

TEST_F(AppendWindowTest, RemembersTheFirstLineThatFailed) {
  Fill(std::size_t{1} << 20);
  std::swap(held_[3], held_[0]);
  const Result<Position> failed = Fail(ErrorCode::kUnavailable, "away");
  Answer(1, failed);  // the fourth
  Answer(1, failed);  // the second
  EXPECT_EQ(window_.failure()->line, 2);
  EXPECT_TRUE(window_.failed());
}

}  // namespace
}  // namespace fanfold::operations
