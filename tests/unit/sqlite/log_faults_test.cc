// A full disk, a disk that fails, a process that is killed.
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "common/sqlite/memory_database.h"
#include "tests/support/faulty_disk.h"
#include "tests/unit/sqlite/log_under_test.h"

namespace fanfold {
namespace {

using ::testing::ElementsAre;
using testing::FaultyDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using LogFaults = testing::LogByHand;

TEST_F(LogFaults, WhatFindsNoRoomIsWrittenWhenThereIsSome) {
  const auto appender = Appender();
  FaultyDisk disk;
  disk.Fill(true);
  Append(*appender, 0, "a");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  Append(*appender, 0, "b");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  EXPECT_THAT(Answers(), IsEmpty());
  EXPECT_EQ(log_->Ping(0).error().code, ErrorCode::kUnavailable);
  disk.Fill(false);
  log_->CommitQueued();
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a@0", "b@1"));
  EXPECT_TRUE(log_->Ping(0).has_value());
}

TEST_F(LogFaults, RecordIsGivenUpAtItsTimeOutAndLeavesNoHole) {
  const auto appender = Appender(topics::kRelationEvents, {.delivery_timeout_ms = 1'000});
  FaultyDisk disk;
  disk.Fill(true);
  Append(*appender, 0, "old");
  clock_.now_ms += 600;
  Append(*appender, 0, "young");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  clock_.now_ms += 600;
  EXPECT_EQ(log_->CommitQueued(), 1U);
  EXPECT_THAT(Answers(), ElementsAre("old:unavailable"));
  disk.Fill(false);
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("old:unavailable", "young@0"));
}

TEST_F(LogFaults, NothingIsAckedWhoseFileIsGone) {
  const auto appender = Appender();
  const std::string aside = path() + ".aside";
  std::filesystem::rename(path(), aside);
  Append(*appender, 0, "a");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  EXPECT_THAT(log_->Ping(0).error().message, HasSubstr("log.db' was removed or moved"));
  std::ofstream(path()) << "another";
  EXPECT_EQ(log_->CommitQueued(), 0U);
  std::filesystem::rename(aside, path());
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a@0"));
}

// Who opened its path again would read another log, and fold it.
TEST_F(LogFaults, NothingIsReadWhoseFileIsAnother) {
  const auto appender = Appender();
  Append(*appender, 0, "a");
  log_->CommitQueued();
  const std::string aside = path() + ".aside";
  std::filesystem::rename(path(), aside);
  std::filesystem::copy_file(aside, path());
  const auto why = [](const auto& answer) { return answer ? ErrorCode() : answer.error().code; };
  EXPECT_EQ(why(log_->Bounds(topics::kRelationEvents, Partition(0))), ErrorCode::kUnavailable);
  EXPECT_EQ(why(log_->NewReader(topics::kRelationEvents)), ErrorCode::kUnavailable);
  std::filesystem::rename(aside, path());
  EXPECT_EQ(why(log_->Bounds(topics::kRelationEvents, Partition(0))), ErrorCode());
  EXPECT_EQ(why(log_->NewReader(topics::kRelationEvents)), ErrorCode());
}

TEST_F(LogFaults, RecordWithoutTimeOutIsNeverGivenUp) {
  const auto relay = Appender(topics::kRelationOutcomes, {.delivery_timeout_ms = 0});
  FaultyDisk disk;
  disk.Fill(true);
  Append(*relay, 0, "a");
  for (int day = 0; day < 3; ++day) {
    clock_.now_ms += 86'400'000;
    EXPECT_EQ(log_->CommitQueued(), 0U);
  }
  disk.Fill(false);
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a@0"));
}

TEST_F(LogFaults, ToldToStopOnFailureNothingComesAfterTheRecordGivenUp) {
  const auto relay =
      Appender(topics::kRelationOutcomes, {.delivery_timeout_ms = 1'000, .stop_on_failure = true});
  FaultyDisk disk;
  disk.Fill(true);
  Append(*relay, 0, "old");
  clock_.now_ms += 600;
  Append(*relay, 1, "young");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  Append(*relay, 1, "younger");
  clock_.now_ms += 600;
  EXPECT_EQ(log_->CommitQueued(), 3U);
  disk.Fill(false);
  Append(*relay, 0, "late");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("old:unavailable", "young:unavailable", "younger:unavailable",
                                     "late:unavailable"));
  EXPECT_EQ(EndOf(0, topics::kRelationOutcomes) + EndOf(1, topics::kRelationOutcomes), 0);
}

TEST_F(LogFaults, RecordWhoseSyncFailedIsUnknownWhateverFailsLater) {
  const auto appender = Appender(topics::kRelationEvents, {.delivery_timeout_ms = 1'000});
  FaultyDisk disk;
  disk.FailSyncs(true);
  Append(*appender, 0, "a");
  EXPECT_EQ(log_->CommitQueued(), 0U);
  EXPECT_EQ(EndOf(0), 0);
  disk.FailSyncs(false);
  disk.Fill(true);
  clock_.now_ms += 1'000;
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a:unknown"));
}

TEST_F(LogFaults, RecordWhoseSyncFailedIsWrittenAgainOnce) {
  const auto appender = Appender();
  {
    FaultyDisk disk;
    disk.FailSyncs(true);
    Append(*appender, 0, "a");
    log_->CommitQueued();
  }
  log_->CommitQueued();
  Append(*appender, 0, "b");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a@0", "b@1"));
  Open();
  EXPECT_EQ(EndOf(0), 2);
}

TEST_F(LogFaults, AppenderClosedWhileItsRecordsFailIsAnswered) {
  auto appender = Appender(topics::kRelationOutcomes, {.delivery_timeout_ms = 0});
  FaultyDisk disk;
  disk.Fill(true);
  Append(*appender, 0, "a");
  log_->CommitQueued();
  Append(*appender, 0, "b");
  appender.reset();
  EXPECT_THAT(Answers(), ElementsAre("a:unknown", "b:unknown"));
}

TEST_F(LogFaults, OpenedAgainItHasWhatItHad) {
  const auto appender = Appender();
  for (const char* value : {"a", "b", "c"}) Append(*appender, 3, value);
  log_->CommitQueued();
  Open();
  EXPECT_EQ(EndOf(3), 3);
  const auto again = Appender();
  Append(*again, 3, "d");
  log_->CommitQueued();
  EXPECT_THAT(Answers().back(), "d@3");
}

TEST_F(LogFaults, OtherNumberOfPartitionsIsRefusedNamingBoth) {
  const auto log = OpenSqliteEventLog(path(), clock_, {.partitions = 8, .own_thread = false});
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code, ErrorCode::kRefused);
  EXPECT_THAT(log.error().message, HasSubstr("has 4 partitions, not 8"));
}

TEST_F(LogFaults, NumberOfPartitionsNeedNotBeKnown) {
  const auto log = OpenSqliteEventLog(path(), clock_, {.partitions = {}, .own_thread = false});
  ASSERT_TRUE(log.has_value()) << log.error().message;
  EXPECT_EQ((*log)->PartitionCount(topics::kRelationOutcomes).value_or(0), kPartitions);
}

TEST_F(LogFaults, LogThatIsNotThereIsNotFoundUnlessItMayBeMade) {
  const MemoryDatabase nothing;
  const auto log =
      OpenSqliteEventLog(nothing.path(), clock_, {.partitions = {}, .own_thread = false});
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code, ErrorCode::kNotFound);
}

TEST_F(LogFaults, FileThatIsNoLogIsRefused) {
  const std::string other = folder_.path() + "/other.db";
  std::ofstream(other) << std::string(10'000, 'x');
  const auto log = OpenSqliteEventLog(other, clock_, {.partitions = 4, .own_thread = false});
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code, ErrorCode::kRefused);
}

TEST_F(LogFaults, FolderThatIsNotThereIsUnavailable) {
  const auto log = OpenSqliteEventLog(folder_.path() + "/none/log.db", clock_,
                                      {.partitions = 4, .own_thread = false});
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(log.error().message, HasSubstr("none/log.db"));
}

// Appends for ever, and tells the pipe each position that was acked.
[[noreturn]] void AppendAndTell(const std::string& path, int pipe) {
  const SystemClock clock;
  const auto log = OpenSqliteEventLog(path, clock, {.partitions = 4});
  const auto appender = (*log)->NewAppender(topics::kRelationEvents, {});
  for (int i = 0;; ++i) {
    (*appender)->Append(
        Partition(i % 4), "k", std::to_string(i), [pipe, i](const Result<Position>& position) {
          if (!position) return;
          const std::string line =
              fmt::format("{} {} {}\n", position->partition.value, position->offset.value, i);
          (void)!write(pipe, line.data(), line.size());
        });
  }
}

struct Acked {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string value;
};

// What a child that is killed after `lines` lines had been acked.
std::vector<Acked> AckedBeforeTheKill(const std::string& path, int lines) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) AppendAndTell(path, ends[1]);
  close(ends[1]);
  std::FILE* told = fdopen(ends[0], "r");
  std::vector<Acked> acked;
  int partition = 0;
  long offset = 0;
  int value = 0;
  bool killed = false;
  while (std::fscanf(told, "%d %ld %d\n", &partition, &offset, &value) == 3) {
    acked.push_back({partition, offset, std::to_string(value)});
    if (!killed && static_cast<int>(acked.size()) >= lines) {
      killed = true;
      kill(child, SIGKILL);
    }
  }
  std::fclose(told);
  waitpid(child, nullptr, 0);
  return acked;
}

std::map<std::int64_t, std::string> ReadAll(EventLog& log, std::int32_t partition) {
  std::map<std::int64_t, std::string> values;
  const auto reader = std::move(*log.NewReader(topics::kRelationEvents));
  EXPECT_TRUE(reader->Start(Partition(partition), Offset(0)).has_value());
  while (true) {
    const Result<LogBatch> batch = reader->Poll(10'000, 0);
    EXPECT_TRUE(batch.has_value());
    if (!batch || batch->records.empty()) return values;
    for (const LogRecord& record : batch->records) {
      values[record.offset.value] = record.value.value_or("");
    }
  }
}

TEST(KilledLog, HoldsEverythingItAckedAndNoHole) {
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/log.db";
  for (const int lines : {1, 500, 20'000}) {
    const std::vector<Acked> acked = AckedBeforeTheKill(path, lines);
    EXPECT_GE(acked.size(), static_cast<std::size_t>(lines));
    const testing::ManualClock clock;
    const auto log = OpenSqliteEventLog(path, clock, {.partitions = 4, .own_thread = false});
    ASSERT_TRUE(log.has_value()) << log.error().message;
    std::vector<std::map<std::int64_t, std::string>> read;
    for (std::int32_t p = 0; p < 4; ++p) {
      read.push_back(ReadAll(**log, p));
      EXPECT_EQ(static_cast<std::int64_t>(read.back().size()),
                (*log)->Bounds(topics::kRelationEvents, Partition(p))->end.value);
    }
    for (const Acked& record : acked) {
      ASSERT_EQ(read[static_cast<std::size_t>(record.partition)][record.offset], record.value);
    }
  }
}

}  // namespace
}  // namespace fanfold
