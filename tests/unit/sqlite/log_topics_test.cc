// A file of before a topic was registered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/sqlite/connection.h"
#include "common/sqlite/log_file.h"
#include "tests/unit/sqlite/log_under_test.h"

namespace fanfold {
namespace {

class LogTopics : public testing::LogByHand {
 protected:
  void AppendNow(Topic topic) {
    const auto appender = Appender(topic);
    Append(*appender, 0, "a");
    log_->CommitQueued();
  }
  void Forget(std::int32_t partition) {
    log_.reset();
    sqlite::Connection(path(), {})
        .Execute("DROP TABLE " +
                 sqlite::RecordsTable(topics::kRelationOutcomes, Partition(partition)));
  }
};

TEST_F(LogTopics, OneThatIsYoungerThanTheFileIsMade) {
  AppendNow(topics::kRelationEvents);
  for (std::int32_t p = 0; p < kPartitions; ++p) Forget(p);
  const auto beside = OpenSqliteEventLogBeside(path());
  ASSERT_TRUE(beside) << beside.error().message;
  Open();
  EXPECT_EQ(EndOf(0), 1);
  EXPECT_EQ(EndOf(0, topics::kRelationOutcomes), 0);
  AppendNow(topics::kRelationOutcomes);
  EXPECT_EQ(EndOf(0, topics::kRelationOutcomes), 1);
}

TEST_F(LogTopics, OneThatHasLostAPartitionIsRefused) {
  Forget(2);
  const auto log =
      OpenSqliteEventLog(path(), clock_, {.partitions = kPartitions, .own_thread = false});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kRefused);
  EXPECT_THAT(log.error().message,
              ::testing::HasSubstr("of 4 partitions of relation-outcomes the file has 3"));
}

}  // namespace
}  // namespace fanfold
