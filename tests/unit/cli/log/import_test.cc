#include "cli/log/import.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;

class ImportTest : public ::testing::Test {
 protected:
  ImportTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    options_.source.file =
        (std::filesystem::temp_directory_path() /
         ("fanfold-" + std::string(test->name()) + "-" + std::to_string(::getpid())))
            .string();
    options_.waits = false;
  }
  ~ImportTest() override { std::filesystem::remove(options_.source.file); }

  ExitCode Import(const std::string& text) {
    std::ofstream(options_.source.file, std::ios::binary) << text;
    return RunImport(fake_.session, options_);
  }

  // All events of the log, by partition and offset.
  std::vector<Event> Events() {
    std::vector<Event> events;
    const std::int32_t partitions = fake_.backend.partitions();
    for (std::size_t p = 0; p < fake_.backend.log.Of(topics::kRelationEvents).size(); ++p) {
      for (const auto& record : fake_.backend.log.Of(topics::kRelationEvents)[p]) {
        const auto event = ReadEventRecord(record.key, record.value,
                                           Partition(static_cast<std::int32_t>(p)), partitions);
        EXPECT_TRUE(event) << event.error().detail;
        if (event) events.push_back(*event);
      }
    }
    return events;
  }

  [[nodiscard]] bool Said(const std::string& text) const {
    return fake_.err.text().find(text) != std::string::npos;
  }

  FakeSession fake_{4};
  ImportOptions options_;
};

TEST_F(ImportTest, AppendsEachLineWithKeyPartitionAndTime) {
  EXPECT_EQ(Import("# head\n1\t2\t55\n\n3 4\n"), ExitCode::kFine);
  const auto events = Events();
  ASSERT_EQ(events.size(), 2U);
  for (const Event& event : events) {
    EXPECT_EQ(event.event_id.size(), 32U);
    const bool first = event.subject == UserId(1);
    EXPECT_EQ(event.object, first ? UserId(2) : UserId(4));
    EXPECT_EQ(event.at_ms, first ? 55 : fake_.clock.now_ms);
  }
  EXPECT_EQ(fake_.out.text().find("appended 2, bad 0, "), 0U);
}

TEST_F(ImportTest, KeepsTheFilesOrderWithinASubject) {
  std::string text;
  for (int i = 2; i < 500; ++i) text += "1\t" + std::to_string(i) + "\n";
  EXPECT_EQ(Import(text), ExitCode::kFine);
  const auto events = Events();
  ASSERT_EQ(events.size(), 498U);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].object.value, i + 2);
}

TEST_F(ImportTest, EventIdsAreDistinct) {
  std::string text;
  for (int i = 2; i < 5000; ++i) text += "1\t" + std::to_string(i) + "\n";
  EXPECT_EQ(Import(text), ExitCode::kFine);
  std::set<std::string> ids;
  for (const Event& event : Events()) ids.insert(event.event_id);
  EXPECT_EQ(ids.size(), 4998U);
}

TEST_F(ImportTest, BadLinesAreToldByNumberAndStopNothing) {
  EXPECT_EQ(Import("1\t2\n5\t5\nx\n3\t4\n"), ExitCode::kFine);
  EXPECT_EQ(Events().size(), 2U);
  EXPECT_TRUE(Said("line 2: "));
  EXPECT_TRUE(Said("line 3: "));
  EXPECT_NE(fake_.out.text().find("appended 2, bad 2"), std::string::npos);
}

TEST_F(ImportTest, OnlyTheFirstTwentyBadLinesAreTold) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "x\n";
  EXPECT_EQ(Import(text + "1 2\n"), ExitCode::kFine);
  EXPECT_TRUE(Said("line 20: "));
  EXPECT_FALSE(Said("line 21: "));
  EXPECT_TRUE(Said("25 bad lines in all"));
}

TEST_F(ImportTest, StrictEndsInTwoOnlyWithBadLines) {
  options_.strict = true;
  EXPECT_EQ(Import("1\t2\n"), ExitCode::kFine);
  EXPECT_EQ(Import("1\t2\nx\n"), ExitCode::kDifferent);
}

TEST_F(ImportTest, EveryLineBadIsAnError) {
  EXPECT_EQ(Import("x\n5 5\n"), ExitCode::kError);
  EXPECT_EQ(Import("# nothing\n\n"), ExitCode::kFine);
}

TEST_F(ImportTest, FirstLineChoosesTheFormat) {
  EXPECT_EQ(Import("# json\n{\"type\":\"remove_fan\",\"subject\":\"1\",\"object\":\"2\"}\n1\t2\n"),
            ExitCode::kFine);
  const auto events = Events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, EventType::kUnfollow);
  EXPECT_EQ(events[0].by, AskedBy::kObject);
  EXPECT_TRUE(Said("line 3: not a JSON object"));
}

TEST_F(ImportTest, ByteOrderMarkHidesNeitherFormatNorFirstLine) {
  EXPECT_EQ(Import("\xEF\xBB\xBF{\"type\":\"unfollow\",\"subject\":\"1\",\"object\":\"2\"}\n"),
            ExitCode::kFine);
  ASSERT_EQ(Events().size(), 1U);
  EXPECT_EQ(Events()[0].type, EventType::kUnfollow);
  EXPECT_EQ(Import("\xEF\xBB\xBF"
                   "3\t4\n"),
            ExitCode::kFine);
  EXPECT_EQ(Events().size(), 2U);
}

TEST_F(ImportTest, FormatOptionOverridesTheContent) {
  options_.source.layout.format = operations::ImportFormat::kTsv;
  EXPECT_EQ(Import("{\"subject\":\"1\",\"object\":\"2\"}\n1\t2\n"), ExitCode::kFine);
  EXPECT_EQ(Events().size(), 1U);
  EXPECT_TRUE(Said("line 1: "));
}

TEST_F(ImportTest, CsvIsReadByItsHeader) {
  options_.source.layout.columns = operations::CsvColumns{"fan", "star", "made"};
  options_.source.layout.time = operations::TimeUnit::kSeconds;
  options_.strict = true;
  EXPECT_EQ(Import("id;made;fan;star;bio\n1;7;\"1\";\"2\";\"two\nlines\"\n2;9;3;4;\n"),
            ExitCode::kFine);
  ASSERT_EQ(Events().size(), 2U);
  for (const Event& event : Events()) {
    EXPECT_EQ(event.at_ms, event.subject == UserId(1) ? 7'000 : 9'000);
  }
  EXPECT_NE(fake_.out.text().find("\nsince 1970-01-01T00:00:07.000Z to 1970-01-01T00:00:09.000Z\n"),
            std::string::npos)
      << fake_.out.text();
  EXPECT_EQ(Import("id;made;fan;star\n1;7;1;2\n\n2;9;3;x\n"), ExitCode::kDifferent);
  EXPECT_TRUE(Said("line 4: object is no id"));
}

TEST_F(ImportTest, TimesOfWhatWasNotAppendedAreNotTold) {
  fake_.backend.log.fail_from = 0;
  EXPECT_EQ(Import("1 2 7000\n"), ExitCode::kError);
  EXPECT_TRUE(fake_.out.text().contains("appended 0"));
  EXPECT_FALSE(fake_.out.text().contains("since")) << fake_.out.text();
}

TEST_F(ImportTest, CsvWithoutTheColumnsIsRefusedWhole) {
  EXPECT_EQ(Import("# accounts\nAccount address,Show boosts\n1,2\n"), ExitCode::kError);
  EXPECT_TRUE(Events().empty());
  EXPECT_TRUE(Said("no column subject, but Account address, Show boosts"));
  EXPECT_TRUE(Said("nothing was appended"));
}

TEST_F(ImportTest, CsvNeedsNoWordWhereItIsPlain) {
  EXPECT_EQ(Import("1,2,5\n\"3\",\"4\"\n"), ExitCode::kFine);
  EXPECT_EQ(Events().size(), 1U);
  EXPECT_TRUE(Said("line 2: has 2 fields, column 3 is wanted"));
  EXPECT_EQ(Import("since,object,subject\n,6,5\n"), ExitCode::kFine);
  EXPECT_EQ(Events().size(), 2U);
}

TEST_F(ImportTest, WhatIsNoTextAppendsNothing) {
  EXPECT_EQ(Import(std::string("1\t2\n\0", 5)), ExitCode::kError);
  EXPECT_TRUE(Events().empty());
  EXPECT_TRUE(Said("is no text"));
}

TEST_F(ImportTest, ProfilesGoWhereProfilesAre) {
  options_.source.layout.of = operations::ImportOf::kProfiles;
  EXPECT_EQ(Import("{\"user\":\"1\",\"name\":\"Ann\"}\n{\"user\":\"1\",\"at\":7}\n{\"user\":0}\n"),
            ExitCode::kFine);
  EXPECT_TRUE(Said("line 3: user is no id"));
  std::vector<ProfileEvent> events;
  const auto& of_topic = fake_.backend.log.Of(topics::kUserEvents);
  for (std::size_t p = 0; p < of_topic.size(); ++p) {
    for (const auto& record : of_topic[p]) {
      const auto event =
          ReadProfileRecord(record.key, record.value, Partition(static_cast<std::int32_t>(p)),
                            fake_.backend.partitions());
      ASSERT_TRUE(event);
      events.push_back(*event);
    }
  }
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<ProfileSet>(events[0].what).profile.name, "Ann");
  EXPECT_EQ(events[0].at_ms, fake_.clock.now_ms);
  EXPECT_EQ(events[1].at_ms, 7);
}

TEST_F(ImportTest, StopsAtTheFirstFailureAndSaysHowFar) {
  fake_.backend.log.fail_from = 3;
  std::string text = "x\n";  // the fourth append is line 5
  for (int i = 2; i < 100; ++i) text += "1\t" + std::to_string(i) + "\n";
  EXPECT_EQ(Import(text), ExitCode::kError);
  EXPECT_EQ(Events().size(), 3U);
  EXPECT_EQ(fake_.backend.log.appends, 4);
  EXPECT_TRUE(Said("line 5 is not known to be in the log: the broker is away"));
  EXPECT_TRUE(Said("3 events in all"));
  EXPECT_TRUE(fake_.backend.log.asked.stop_on_failure);  // also of what is in flight
}

TEST_F(ImportTest, InterruptStopsAndSaysHowFar) {
  fake_.interrupt.interrupt_at = 1;
  std::string text;
  for (int i = 2; i < 5000; ++i) text += "1\t" + std::to_string(i) + "\n";
  EXPECT_EQ(Import(text), ExitCode::kError);
  EXPECT_EQ(Events().size(), 1023U);
  EXPECT_TRUE(Said("everything before line 1024 is in the log"));
}

TEST_F(ImportTest, JsonAnswer) {
  fake_.session.json = true;
  EXPECT_EQ(Import("1\t2\nx\n"), ExitCode::kFine);
  EXPECT_NE(fake_.out.text().find(R"("appended":1,"bad":1,"complete":true)"), std::string::npos);
}

TEST_F(ImportTest, MissingFileIsAnError) {
  EXPECT_EQ(RunImport(fake_.session, options_), ExitCode::kError);
  EXPECT_TRUE(Said("cannot open"));
}

}  // namespace
}  // namespace fanfold
