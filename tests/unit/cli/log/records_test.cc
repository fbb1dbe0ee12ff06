#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/inspect/record_text.h"
#include "cli/inspect/tail.h"
#include "cli/parked/parked.h"
#include "common/relation/codec.h"
#include "operations/log/record_reader.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;

std::string EventValue() {
  Event event;
  event.event_id = "e1";
  event.subject = UserId(1);
  event.object = UserId(2);
  event.at_ms = 1'655'884'250'592;
  return EncodeEvent(event);
}

LogRecord RecordOf(std::string_view key, std::string_view value) {
  return {Partition(0), Offset(7), 1'655'884'250'592, key, value};
}

constexpr std::int32_t kOnePartition = 1;

TEST(RecordText, EventReadsAsASentence) {
  const std::string value = EventValue();
  EXPECT_EQ(RecordText(topics::kRelationEvents, RecordOf("1", value), kOnePartition),
            "2022-06-22T07:50:50.592Z  0:7         follow     1 → 2  at 2022-06-22T07:50:50.592Z");
}

TEST(RecordText, RejectedAndParkedOutcomesSayWhy) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kRejected;
  outcome.position = {Partition(0), Offset(3)};
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  outcome.rejected = RejectReason::kFollowLimit;
  const std::string rejected = EncodeOutcome(outcome);
  EXPECT_NE(RecordText(topics::kRelationOutcomes, RecordOf("1", rejected), kOnePartition)
                .find("rejected   1 → 2  (follow_limit)  event 0:3"),
            std::string::npos);
  Outcome parked;
  parked.kind = OutcomeKind::kParked;
  parked.parked = ParkReason::kMalformed;
  const std::string value = EncodeOutcome(parked);
  EXPECT_NE(RecordText(topics::kRelationOutcomes, RecordOf("1", value), kOnePartition)
                .find("parked     (malformed)"),
            std::string::npos);
}

// A reader skips it; a line of JSON may not hold it.
TEST(RecordText, AByteOrderMarkIsNoPartOfALine) {
  const std::string value = "\xEF\xBB\xBF" + EventValue();
  const std::string line = RecordJson(topics::kRelationEvents, RecordOf("1", value), kOnePartition);
  EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(line.find('\xEF'), std::string::npos);
}

TEST(RecordText, WhatCannotBeReadIsShownAsSuch) {
  const std::string text =
      RecordText(topics::kRelationEvents, RecordOf("1", "\x01garbage"), kOnePartition);
  EXPECT_NE(text.find("unreadable (malformed"), std::string::npos) << text;
  EXPECT_NE(text.find("\"\\x01garbage\""), std::string::npos) << text;
  const std::string value = EventValue();
  EXPECT_NE(
      RecordText(topics::kRelationEvents, RecordOf("9", value), kOnePartition).find("key_mismatch"),
      std::string::npos);
  const LogRecord nothing{Partition(0), Offset(0), 0, std::nullopt, std::nullopt};
  EXPECT_NE(
      RecordText(topics::kRelationEvents, nothing, kOnePartition).find("key null  value null"),
      std::string::npos);
}

TEST(RecordText, JsonCarriesTheValueAsItStands) {
  const std::string value = EventValue();
  EXPECT_EQ(RecordJson(topics::kRelationEvents, RecordOf("1", value), kOnePartition),
            R"({"topic":"relation-events","position":"0:7","appended_ms":1655884250592,)"
            R"("key":"1","value":)" +
                value + "}");
  EXPECT_NE(RecordJson(topics::kRelationEvents, RecordOf("1", "x\"y"), kOnePartition)
                .find(R"("unreadable":{)"),
            std::string::npos);
}

TEST(ReadRecords, FindsEachInTheOrderAskedAndLeavesOutTheAbsent) {
  testing::FakeLogState state(2);
  for (int i = 0; i < 500; ++i)
    state.Of(topics::kRelationEvents)[0].push_back({"k", std::to_string(i), i});
  state.Of(topics::kRelationEvents)[1].push_back({"k", "other", 0});
  testing::FakeLog log(state);
  const auto at = [](int partition, int offset) {
    return Position{Partition(partition), Offset(offset)};
  };
  const auto records = operations::ReadRecords(
      log, topics::kRelationEvents, {at(0, 400), at(1, 0), at(0, 3), at(0, 500), at(0, 400)});
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 5U);
  EXPECT_EQ((*records)[0]->value, "400");
  EXPECT_EQ((*records)[1]->value, "other");
  EXPECT_EQ((*records)[2]->value, "3");
  EXPECT_FALSE((*records)[3]);
  EXPECT_EQ((*records)[4]->value, "400");
}

TEST(ReadFirstFrom, FindsTheFirstThatIsThereAtOrBehindEach) {
  testing::FakeLogState state(1);
  for (int i = 0; i < 5; ++i)
    state.Of(topics::kRelationEvents)[0].push_back({"k", std::to_string(i), i});
  state.Of(topics::kRelationEvents)[0][2].missing = true;
  testing::FakeLog log(state);
  const std::vector<Position> asked = {{Partition(0), Offset(2)}, {Partition(0), Offset(3)}};
  const auto first = operations::ReadFirstFrom(log, topics::kRelationEvents, asked);
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)[0]->value, "3");
  EXPECT_EQ((*first)[1]->value, "3");
  const auto exactly = operations::ReadRecords(log, topics::kRelationEvents, asked);
  ASSERT_TRUE(exactly);
  EXPECT_FALSE((*exactly)[0]);
  EXPECT_EQ((*exactly)[1]->value, "3");
}

class TailTest : public ::testing::Test {
 protected:
  TailTest() {
    fake_.interrupt.interrupt_at = 5;
    for (int i = 0; i < 3; ++i)
      fake_.backend.log.Of(topics::kRelationEvents)[0].push_back({"1", EventValue(), 0});
  }
  [[nodiscard]] long Lines() const { return std::ranges::count(fake_.out.text(), '\n'); }
  FakeSession fake_{1};
};

TEST_F(TailTest, StartsAtTheEnd) {
  EXPECT_EQ(RunTail(fake_.session, {}), ExitCode::kFine);
  EXPECT_EQ(Lines(), 0);
}

TEST_F(TailTest, PrintsFromTheStartWhenAsked) {
  EXPECT_EQ(
      RunTail(fake_.session, {.topic = topics::kRelationEvents, .from_start = true, .count = {}}),
      ExitCode::kFine);
  EXPECT_EQ(Lines(), 3);
}

TEST_F(TailTest, EndsAfterTheCount) {
  EXPECT_EQ(
      RunTail(fake_.session, {.topic = topics::kRelationEvents, .from_start = true, .count = 2}),
      ExitCode::kFine);
  EXPECT_EQ(Lines(), 2);
}

class ParkedTest : public ::testing::Test {
 protected:
  ParkedTest() {
    fake_.backend.log.Of(topics::kRelationEvents)[0].push_back({"1", "\x01garbage", 5});
    ParkedRow row;
    row.lane = {projections::kFollowing, Generation(1), Partition(0)};
    row.offset = Offset(0);
    row.reason = ParkReason::kMalformed;
    row.detail = "not a JSON object";
    fake_.backend.shard_states[0].parked = {row};
  }
  [[nodiscard]] bool Printed(const std::string& text) const {
    return fake_.out.text().find(text) != std::string::npos;
  }
  FakeSession fake_{1};
};

TEST_F(ParkedTest, ListNamesPositionAndReason) {
  EXPECT_EQ(RunParkedList(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("relation-events  0:0       malformed"));
}

TEST_F(ParkedTest, ListOfTheOtherProjectionIsEmpty) {
  EXPECT_EQ(RunParkedList(fake_.session, {.projection = projections::kFans}), ExitCode::kFine);
  EXPECT_TRUE(Printed("nothing is parked"));
}

TEST_F(ParkedTest, ListSaysWhenThereAreMore) {
  auto& parked = fake_.backend.shard_states[0].parked;
  parked.push_back(parked.front());
  parked.back().lane.projection = projections::kFans;
  fake_.session.json = true;
  EXPECT_EQ(RunParkedList(fake_.session, {.projection = {}, .limit = 1}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("more":true)"));
}

TEST_F(ParkedTest, ListOfOneTableSaysWhenThereAreMore) {
  auto& parked = fake_.backend.shard_states[0].parked;
  parked.push_back(parked.front());
  fake_.session.json = true;
  EXPECT_EQ(RunParkedList(fake_.session, {.projection = {}, .limit = 2}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("more":false)"));
  EXPECT_EQ(RunParkedList(fake_.session, {.projection = {}, .limit = 1}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("more":true)"));
}

TEST_F(ParkedTest, AsManyAsAreReadAtOnceAreNotAll) {
  auto& parked = fake_.backend.shard_states[0].parked;
  for (std::size_t i = 1; i <= ProjectionReader::kPageMax; ++i) {
    parked.push_back(parked.front());
    parked.back().offset = Offset(static_cast<std::int64_t>(i));
  }
  fake_.session.json = true;
  const ParkedListOptions most{.projection = {}, .limit = ProjectionReader::kPageMax};
  EXPECT_EQ(RunParkedList(fake_.session, most), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("more":true)"));
}

TEST_F(ParkedTest, ShowPrintsTheRecordsBytes) {
  EXPECT_EQ(RunParkedShow(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("value       \"\\x01garbage\""));
}

TEST_F(ParkedTest, ShowOfAnotherPositionIsAnError) {
  EXPECT_EQ(RunParkedShow(fake_.session, {.projection = {}, .position = {{}, Offset(1)}}),
            ExitCode::kError);
}

}  // namespace
}  // namespace fanfold
