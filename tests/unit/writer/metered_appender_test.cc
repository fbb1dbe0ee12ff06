#include "writer/metered_appender.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/support/memory_log.h"

namespace fanfold::writer {
namespace {

constexpr Topic kTopic = topics::kRelationEvents;

// Its acks are all that a writer, who may not read events, knows of the topic.
TEST(MeteredAppender, TakesNoMoreOnceATopicWasMadeAgain) {
  testing::MemoryLog log(2);
  Metrics metrics;
  const auto appender = NewMeteredAppender(kTopic, *log.NewAppender(kTopic, {}), metrics);
  std::vector<ErrorCode> answers;
  const auto append = [&] {
    appender->Append(Partition(0), "1", "event", [&](const Result<Position>& appended) {
      answers.push_back(appended ? ErrorCode() : appended.error().code);
    });
    return answers.back();
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(append(), ErrorCode());
  EXPECT_TRUE(appender->MayAppend());
  log.Records(kTopic, Partition(0)).clear();
  EXPECT_EQ(append(), ErrorCode::kRefused);
  EXPECT_EQ(appender->MayAppend().error().code, ErrorCode::kRefused);
  const std::size_t held = log.Records(kTopic, Partition(0)).size();
  EXPECT_EQ(append(), ErrorCode::kRefused);
  EXPECT_EQ(log.Records(kTopic, Partition(0)).size(), held);
}

}  // namespace
}  // namespace fanfold::writer
