#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "cli/log/export_log.h"
#include "cli/log/import_log.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeRecord;
using testing::FakeSession;
using testing::kPartitions;

FakeRecord FollowRecord(std::uint64_t subject, std::uint64_t object) {
  Event event;
  event.event_id = "e";
  event.subject = UserId(subject);
  event.object = UserId(object);
  std::string value;
  AppendEvent(value, event);
  return {std::to_string(subject), value, 5};
}

// The end of an account, as far as the log reaches now.
FakeRecord DeletionRecord(const testing::FakeLogState& log, UserId user) {
  UserDeleted deleted;
  for (const Stream stream : kErasedStreams) {
    for (const auto& partition : log.Of(stream.events())) {
      deleted.ends[stream].emplace_back(std::ssize(partition));
    }
  }
  return {ToString(user), EncodeProfileEvent({"d", user, 0, deleted}), 8};
}

std::int64_t EndIn(const FakeRecord& record, Stream stream, std::size_t partition) {
  const auto event = DecodeProfileEvent(record.value.value_or(""));
  EXPECT_TRUE(event) << record.value.value_or("");
  return std::get<UserDeleted>(event->what).ends[stream][partition].value;
}

class LogMove : public ::testing::Test {
 protected:
  LogMove() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = (std::filesystem::temp_directory_path() /
             fmt::format("fanfold-{}-{}", test->name(), ::getpid()))
                .string();
    for (std::uint64_t subject = 1; subject <= 40; ++subject) {
      const auto p = static_cast<std::size_t>(PartitionOf(UserId(subject), kPartitions).value);
      auto& events = from_.backend.log.Of(topics::kRelationEvents)[p];
      events.push_back(FollowRecord(subject, 100));
      from_.backend.log.Of(topics::kRelationOutcomes)[p].push_back(
          {std::to_string(subject), fmt::format("outcome of {}:{}", p, events.size() - 1), 6});
    }
  }
  ~LogMove() override { std::filesystem::remove(file_); }

  ExitCode Export() { return RunExportLog(from_.session, {file_}); }
  ExitCode Import(FakeSession& to) { return RunImportLog(to.session, {file_}); }

  // Lines `from` … `to` of the file stay.
  void Cut(std::size_t from, std::size_t to) {
    std::ifstream in(file_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::ofstream out(file_, std::ios::trunc);
    for (std::size_t i = from; i < std::min(to, lines.size()); ++i) out << lines[i] << '\n';
  }

  static std::vector<std::vector<std::pair<std::string, std::string>>> Bytes(
      const testing::FakeTopic& topic) {
    std::vector<std::vector<std::pair<std::string, std::string>>> bytes(topic.size());
    for (std::size_t p = 0; p < topic.size(); ++p) {
      for (const FakeRecord& record : topic[p]) {
        bytes[p].emplace_back(record.key.value_or("-"), record.value.value_or("-"));
      }
    }
    return bytes;
  }

  static bool Said(const FakeSession& session, const std::string& text) {
    return session.err.text().find(text) != std::string::npos;
  }

  FakeSession from_{kPartitions};
  FakeSession to_{kPartitions};
  std::string file_;
};

TEST_F(LogMove, BothTopicsLandAtTheirOffsets) {
  EXPECT_EQ(Export(), ExitCode::kFine);
  EXPECT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
  EXPECT_EQ(Bytes(to_.backend.log.Of(topics::kRelationEvents)),
            Bytes(from_.backend.log.Of(topics::kRelationEvents)));
  EXPECT_EQ(Bytes(to_.backend.log.Of(topics::kRelationOutcomes)),
            Bytes(from_.backend.log.Of(topics::kRelationOutcomes)));
  EXPECT_NE(to_.out.text().find("40 events and 40 outcomes at their offsets"), std::string::npos);
}

// A writer appends to the posts, and then a deletion that says so, whenever an end is asked for.
TEST_F(LogMove, NoDeletionInTheFileReachesBeyondIt) {
  auto& log = from_.backend.log;
  const UserId user(1);
  const auto p = static_cast<std::size_t>(PartitionOf(user, kPartitions).value);
  log.on_bounds = [&](Topic) {
    log.Of(topics::kPostEvents)[p].push_back({"1", "a post", 7});
    log.Of(topics::kUserEvents)[p].push_back(DeletionRecord(log, user));
  };
  ASSERT_EQ(Export(), ExitCode::kFine);
  ASSERT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
  EXPECT_FALSE(Said(to_, "named more of the log")) << to_.err.text();
  const auto& to = to_.backend.log;
  ASSERT_FALSE(to.Of(topics::kUserEvents)[p].empty());
  for (const FakeRecord& record : to.Of(topics::kUserEvents)[p]) {
    EXPECT_LE(EndIn(record, streams::kPosts, p), std::ssize(to.Of(topics::kPostEvents)[p]));
  }
}

TEST_F(LogMove, ADeletionThatReachesBeyondTheFileIsCutThere) {
  auto& log = from_.backend.log;
  const UserId user(1);
  const auto p = static_cast<std::size_t>(PartitionOf(user, kPartitions).value);
  log.Of(topics::kPostEvents)[p].assign(3, {"1", "a post", 7});
  log.Of(topics::kUserEvents)[p].push_back(DeletionRecord(log, user));
  log.Of(topics::kPostEvents)[p].resize(1);
  const std::int64_t relations =
      EndIn(log.Of(topics::kUserEvents)[p].back(), streams::kRelations, p);
  ASSERT_EQ(Export(), ExitCode::kFine);
  ASSERT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
  EXPECT_TRUE(Said(to_, "1 account deletions named more of the log than the file has"));
  const FakeRecord& landed = to_.backend.log.Of(topics::kUserEvents)[p].back();
  EXPECT_EQ(EndIn(landed, streams::kPosts, p), 1);
  EXPECT_EQ(EndIn(landed, streams::kRelations, p), relations);
}

TEST_F(LogMove, EmptyLogMoves) {
  for (auto* topic : {&from_.backend.log.Of(topics::kRelationEvents),
                      &from_.backend.log.Of(topics::kRelationOutcomes)}) {
    for (auto& partition : *topic) partition.clear();
  }
  EXPECT_EQ(Export(), ExitCode::kFine);
  EXPECT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
}

TEST_F(LogMove, FileThatWasCutAnywhereAppendsNothing) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  for (const auto& [from, to] : {std::pair{0, 81}, {0, 40}, {0, 1}, {0, 0}, {1, 82}}) {
    ASSERT_EQ(Export(), ExitCode::kFine);
    Cut(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    EXPECT_EQ(Import(to_), ExitCode::kError) << from << " " << to;
    EXPECT_EQ(to_.backend.log.appends, 0);
  }
  EXPECT_TRUE(Said(to_, "the file is cut"));
}

TEST_F(LogMove, FileThatGoesOnAfterItsTotalsIsRefused) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  std::ofstream(file_, std::ios::app) << "{}\n";
  EXPECT_EQ(Import(to_), ExitCode::kError);
  EXPECT_EQ(to_.backend.log.appends, 0);
}

TEST_F(LogMove, RecordThatIsMissingInTheFileIsNamed) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  std::ifstream in(file_);
  std::stringstream text;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    if (++number != 3) text << line << '\n';
  }
  std::ofstream(file_, std::ios::trunc) << text.str();
  EXPECT_EQ(Import(to_), ExitCode::kError);
  EXPECT_TRUE(Said(to_, "relation-outcomes 0:2 where 0:1 is next")) << to_.err.text();
  EXPECT_EQ(to_.backend.log.appends, 0);
}

TEST_F(LogMove, RecordThatLandsElsewhereIsAnErrorThatNamesIt) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.log.intruder_at = 0;
  EXPECT_EQ(Import(to_), ExitCode::kError);
  EXPECT_TRUE(
      Said(to_, "line 2, a record of relation-outcomes: it belongs at 0:0 and landed at 0:1"))
      << to_.err.text();
  EXPECT_TRUE(Said(to_, "make it anew"));
}

TEST_F(LogMove, FailedAppendEndsIt) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.log.fail_from = 40;  // the first event
  EXPECT_EQ(Import(to_), ExitCode::kError);
  EXPECT_TRUE(Said(to_, "line 42, a record of relation-events: the broker is away"))
      << to_.err.text();
  EXPECT_EQ(Bytes(to_.backend.log.Of(topics::kRelationOutcomes)),
            Bytes(from_.backend.log.Of(topics::kRelationOutcomes)));
  EXPECT_TRUE(to_.backend.log.asked.stop_on_failure);  // also of what is in flight
}

TEST_F(LogMove, TargetThatHoldsAnythingIsRefused) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
    FakeSession to{kPartitions};
    to.backend.log.Of(topic)[3].push_back({"1", "x", 0});
    EXPECT_EQ(Import(to), ExitCode::kRefused);
    EXPECT_TRUE(Said(to, "partition 3 of ")) << to.err.text();
    EXPECT_EQ(to.backend.log.appends, 0);
  }
}

TEST_F(LogMove, TargetWithAProjectorIsRefused) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.projectors[projections::kFollowing] = 2;
  EXPECT_EQ(Import(to_), ExitCode::kRefused);
  EXPECT_TRUE(Said(to_, "projectors of following run, 2 by their consumer group"));
  EXPECT_EQ(to_.backend.log.appends, 0);

  FakeSession unknown{kPartitions};
  unknown.backend.projectors[projections::kFans] = Fail(ErrorCode::kUnavailable, "no coordinator");
  EXPECT_EQ(Import(unknown), ExitCode::kError);
  EXPECT_EQ(unknown.backend.log.appends, 0);
}

TEST_F(LogMove, NameThatAKilledProjectorLeftSaysNothing) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.shard_states[0].lanes = {testing::RunningLane(projections::kFans, 2, 0)};
  ASSERT_FALSE(to_.backend.shard_states[0].lanes[0].owner.empty());
  EXPECT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
}

TEST_F(LogMove, TargetWithRowsThatNoLaneTellsOfIsRefused) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.shard_states[0].rows[projections::kFans] = {{}};
  EXPECT_EQ(Import(to_), ExitCode::kRefused);
  EXPECT_TRUE(Said(to_, "the table of fans on shard 0 has rows")) << to_.err.text();
  EXPECT_EQ(to_.backend.log.appends, 0);
}

TEST_F(LogMove, RecordAboveWhatTheTopicTakesIsNamedBeforeAnythingIsAppended) {
  const std::string key = "1";
  const std::string value(1'048'576, 'x');
  from_.backend.log.Of(topics::kRelationEvents)[2].push_back({key, value, 0});
  ASSERT_EQ(Export(), ExitCode::kFine);
  to_.backend.log_facts->topics[topics::kRelationOutcomes].settings["max.message.bytes"] =
      "10000000";
  to_.backend.log_facts->topics[topics::kRelationEvents].settings["max.message.bytes"] = "1048588";
  EXPECT_EQ(Import(to_), ExitCode::kRefused);
  EXPECT_TRUE(Said(to_, "relation-events 2:"));
  EXPECT_TRUE(Said(to_, "and the topic takes 1048588: raise its max.message.bytes first"));
  EXPECT_EQ(to_.backend.log.appends, 0);
  to_.backend.log_facts->topics[topics::kRelationEvents].settings["max.message.bytes"] = "1048700";
  EXPECT_EQ(Import(to_), ExitCode::kFine) << to_.err.text();
}

TEST_F(LogMove, TargetWithFoldedTablesIsRefused) {
  ASSERT_EQ(Export(), ExitCode::kFine);
  FakeSession folded{kPartitions};
  folded.backend.shard_states[0].lanes = {testing::RunningLane(projections::kFollowing, 1, 9)};
  EXPECT_EQ(Import(folded), ExitCode::kRefused);
  EXPECT_TRUE(Said(folded, "a new log needs new tables"));
}

TEST_F(LogMove, RecordWithoutKeyOrValueIsExportedAndItsImportRefused) {
  from_.backend.log.Of(topics::kRelationEvents)[2].push_back({std::nullopt, "x", 0});
  ASSERT_EQ(Export(), ExitCode::kFine);
  EXPECT_EQ(Import(to_), ExitCode::kRefused);
  EXPECT_TRUE(Said(to_, "relation-events 2:")) << to_.err.text();
  EXPECT_EQ(to_.backend.log.appends, 0);
}

TEST_F(LogMove, IntoOtherPartitionsGoTheEventsAlone) {
  for (std::uint64_t user = 1; user <= 10; ++user) {
    const auto p = static_cast<std::size_t>(PartitionOf(UserId(user), kPartitions).value);
    UserDeleted deleted;
    deleted.ends[streams::kRelations].assign(kPartitions, Offset(7));
    from_.backend.log.Of(topics::kUserEvents)[p].push_back(
        {std::to_string(user), EncodeProfileEvent({"e", UserId(user), 5, deleted}), 5});
  }
  // Nobody says that they are erased.
  ASSERT_EQ(Export(), ExitCode::kFine);
  FakeSession early{8};
  EXPECT_EQ(Import(early), ExitCode::kRefused);
  EXPECT_TRUE(Said(early, "accounts were being erased"));
  EXPECT_EQ(early.backend.log.appends, 0);
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    from_.backend.shard_states[0].lanes.push_back(
        testing::RunningLane(Projection::Find("profiles").value(), p, 10));
  }
  ASSERT_EQ(Export(), ExitCode::kFine);
  for (const std::int32_t partitions : {1, 2, 8}) {
    FakeSession to{partitions};
    EXPECT_EQ(Import(to), ExitCode::kFine) << to.err.text();
    EXPECT_TRUE(Said(to, "a new log"));
    std::size_t events = 0;
    for (std::size_t p = 0; p < to.backend.log.Of(topics::kRelationEvents).size(); ++p) {
      EXPECT_TRUE(to.backend.log.Of(topics::kRelationOutcomes)[p].empty());
      for (const FakeRecord& record : to.backend.log.Of(topics::kRelationEvents)[p]) {
        const Partition partition(static_cast<std::int32_t>(p));
        EXPECT_TRUE(ReadEventRecord(record.key, record.value, partition, partitions));
        ++events;
      }
      for (const FakeRecord& record : to.backend.log.Of(topics::kUserEvents)[p]) {
        const Partition partition(static_cast<std::int32_t>(p));
        EXPECT_TRUE(ReadProfileRecord(record.key, record.value, partition, partitions));
        ++events;
      }
    }
    EXPECT_EQ(events, 50U);
  }
}

TEST_F(LogMove, InterruptedExportIsNoWholeFile) {
  from_.interrupt.interrupt_at = 2;
  EXPECT_EQ(Export(), ExitCode::kError);
  EXPECT_EQ(Import(to_), ExitCode::kError);
  EXPECT_EQ(to_.backend.log.appends, 0);
}

}  // namespace
}  // namespace fanfold
