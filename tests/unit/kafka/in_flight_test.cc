#include "common/kafka/in_flight.h"

#include <atomic>
#include <gtest/gtest.h>
#include <latch>
#include <optional>
#include <thread>

namespace fanfold::kafka {
namespace {

constexpr Position kSomewhere{Partition(0), Offset(7)};

// Adds a callback that counts its calls.
std::optional<InFlight::Ticket> AddCounted(InFlight& in_flight, int& calls) {
  LogAppender::Done done = [&calls](const Result<Position>&) { ++calls; };
  return in_flight.Add(done);
}

TEST(InFlight, CallsBackOnce) {
  InFlight in_flight(10);
  int calls = 0;
  const auto ticket = AddCounted(in_flight, calls);
  ASSERT_TRUE(ticket.has_value());
  EXPECT_NE(*ticket, 0U);
  EXPECT_FALSE(in_flight.Empty());
  in_flight.CallBack(*ticket, kSomewhere);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(in_flight.Empty());
  in_flight.CallBackAll(Error{ErrorCode::kUnknown, ""});
  EXPECT_EQ(calls, 1);
}

TEST(InFlight, FullLeavesTheCallbackToItsOwner) {
  InFlight in_flight(2);
  int calls = 0;
  const auto first = AddCounted(in_flight, calls);
  ASSERT_TRUE(first && AddCounted(in_flight, calls));
  LogAppender::Done third = [&calls](const Result<Position>&) { calls += 100; };
  EXPECT_FALSE(in_flight.Add(third).has_value());
  third(kSomewhere);
  EXPECT_EQ(calls, 100);
  in_flight.CallBack(*first, kSomewhere);
  EXPECT_TRUE(in_flight.Add(third).has_value());
}

TEST(InFlight, WithdrawnIsNotCalledBack) {
  InFlight in_flight(2);
  int calls = 0;
  const auto ticket = AddCounted(in_flight, calls);
  const LogAppender::Done done = in_flight.Withdraw(*ticket);
  EXPECT_TRUE(in_flight.Empty());
  in_flight.CallBackAll(Error{ErrorCode::kUnknown, ""});
  EXPECT_EQ(calls, 0);
  done(kSomewhere);
  EXPECT_EQ(calls, 1);
}

TEST(InFlight, CallBackAllReachesWhatIsLeft) {
  InFlight in_flight(10);
  int calls = 0;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(AddCounted(in_flight, calls));
  in_flight.CallBackAll(Error{ErrorCode::kUnknown, "gone"});
  EXPECT_EQ(calls, 5);
  EXPECT_TRUE(in_flight.Empty());
}

TEST(InFlight, WaitingTimesOutWhileSomethingIsLeft) {
  InFlight in_flight(10);
  int calls = 0;
  const auto ticket = AddCounted(in_flight, calls);
  EXPECT_FALSE(in_flight.WaitForAll(0));
  in_flight.CallBack(*ticket, kSomewhere);
  EXPECT_TRUE(in_flight.WaitForAll(0));
}

TEST(InFlight, WaitingNeedNotWaitForWhatIsAddedLater) {
  InFlight in_flight(10);
  std::atomic<bool> stop = false;
  std::latch begun(1);
  // From here on something is always on its way, and never for long what was there at the call.
  std::thread appender([&] {
    int own_calls = 0;
    auto last = AddCounted(in_flight, own_calls);
    begun.count_down();
    while (!stop) {
      const auto next = AddCounted(in_flight, own_calls);
      in_flight.CallBack(*last, kSomewhere);
      last = next;
    }
    in_flight.CallBack(*last, kSomewhere);
  });
  begun.wait();
  EXPECT_TRUE(in_flight.WaitForAll(20'000));
  stop = true;
  appender.join();
}

TEST(InFlight, ACallbackMayAppend) {
  InFlight in_flight(2);
  int calls = 0;
  LogAppender::Done again = [&](const Result<Position>&) {
    ASSERT_TRUE(AddCounted(in_flight, calls));
  };
  const auto ticket = in_flight.Add(again);
  in_flight.CallBack(*ticket, kSomewhere);
  EXPECT_FALSE(in_flight.Empty());
}

}  // namespace
}  // namespace fanfold::kafka
