#include "operations/rebuild/rebuild_moment.h"

#include <gtest/gtest.h>

#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

class RebuildMoment : public ::testing::Test {
 protected:
  RebuildMoment() {
    for (const std::int64_t at_ms : {2000, 3000}) {
      fake_.backend.log.Of(topics::kRelationEvents)[1].push_back({"1", "{}", at_ms});
    }
    fake_.backend.log.Of(topics::kRelationEvents)[0].push_back({"1", "{}", 2500});
  }
  Result<std::vector<Offset>> EventsOf(std::int64_t until_ms, Stream stream = streams::kRelations) {
    testing::FakeLog log(fake_.backend.log);
    return EventsOfMoment(fake_.context, log, stream, until_ms, 0);
  }
  testing::FakeContext fake_{2};
};

TEST_F(RebuildMoment, EventsOfThenAreThoseAppendedByThen) {
  EXPECT_EQ(EventsOf(2000).value(), (std::vector{Offset(0), Offset(1)}));
  EXPECT_EQ(EventsOf(9000).value(), (std::vector{Offset(1), Offset(2)}));
}

TEST_F(RebuildMoment, EachStreamHasItsOwn) {
  const std::vector<Offset> none = {Offset(0), Offset(0)};
  EXPECT_EQ(EventsOf(9000, streams::kUsers).value(), none) << "others had begun";
  fake_.backend.log.Of(topics::kUserEvents)[1].push_back({"1", "{}", 2100});
  EXPECT_EQ(EventsOf(2000, streams::kUsers).value(), none);
  EXPECT_EQ(EventsOf(2100, streams::kUsers).value(), (std::vector{Offset(0), Offset(1)}));
}

TEST_F(RebuildMoment, BeforeTheFirstEventThereIsNothing) {
  const auto events = EventsOf(1999);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::kRefused);
  EXPECT_EQ(events.error().message,
            "the log held no event yet at 1970-01-01T00:00:01.999Z: its first one is of "
            "1970-01-01T00:00:02.000Z");
}

TEST_F(RebuildMoment, OfAnEmptyLogNoFirstEventIsTold) {
  for (auto& partition : fake_.backend.log.Of(topics::kRelationEvents)) partition.clear();
  EXPECT_EQ(EventsOf(1).error().message, "the log held no event yet at 1970-01-01T00:00:00.001Z");
}

}  // namespace
}  // namespace fanfold::operations
