#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/relation/codec.h"
#include "tests/unit/relation/golden_files.h"
#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

TEST(EventGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("relation_event.v1.jsonl", DecodeEvent, EncodeEvent);
}

TEST(OutcomeGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("relation_outcome.v1.jsonl", DecodeOutcome, EncodeOutcome);
}

TEST(EventGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("relation_event", DecodeEvent, EncodeEvent);
}

TEST(OutcomeGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("relation_outcome", DecodeOutcome, EncodeOutcome);
}

TEST(OutcomeGolden, HoldsEveryKindAndReason) {
  std::set<OutcomeKind> kinds;
  std::set<RejectReason> rejections;
  std::set<ParkReason> parkings;
  for (const std::string& line : GoldenLines("relation_outcome.v1.jsonl")) {
    const auto outcome = DecodeOutcome(line);
    ASSERT_TRUE(outcome.has_value()) << line;
    kinds.insert(outcome->kind);
    if (outcome->rejected) rejections.insert(*outcome->rejected);
    if (outcome->parked) parkings.insert(*outcome->parked);
  }
  EXPECT_EQ(kinds.size(), 5U);
  EXPECT_EQ(rejections.size(), 4U);
  EXPECT_EQ(parkings.size(), 10U);
}

// The values a golden line stands for, read by eye: a field swapped in both writer and reader would
// pass the round trip.
TEST(EventGolden, FieldsMeanWhatTheirNamesSay) {
  const auto event = DecodeEvent(
      R"({"v":1,"event_id":"e","type":"unfollow","subject":"3","object":"1","at":7,"by":"object",)"
      R"("if_version":5,"replay_of":"2:9"})");
  ASSERT_TRUE(event.has_value()) << event.error();
  EXPECT_EQ(event->event_id, "e");
  EXPECT_EQ(event->type, EventType::kUnfollow);
  EXPECT_EQ(event->subject, UserId(3));
  EXPECT_EQ(event->object, UserId(1));
  EXPECT_EQ(event->at_ms, 7);
  EXPECT_EQ(event->by, AskedBy::kObject);
  EXPECT_EQ(event->if_version, Version(5));
  EXPECT_EQ(event->replay_of, (Position{Partition(2), Offset(9)}));
}

TEST(OutcomeGolden, FieldsMeanWhatTheirNamesSay) {
  const auto outcome = DecodeOutcome(
      R"({"v":1,"position":"2:9","event_id":"e","outcome":"unfollowed","subject":"3","object":"1",)"
      R"("at":7,"since":5})");
  ASSERT_TRUE(outcome.has_value()) << outcome.error();
  EXPECT_EQ(outcome->kind, OutcomeKind::kUnfollowed);
  EXPECT_EQ(outcome->position, (Position{Partition(2), Offset(9)}));
  EXPECT_EQ(outcome->event_id, "e");
  EXPECT_EQ(outcome->subject, UserId(3));
  EXPECT_EQ(outcome->object, UserId(1));
  EXPECT_EQ(outcome->at_ms, 7);
  EXPECT_EQ(outcome->since_ms, 5);
}

TEST(OutcomeGolden, ALimitThatIsNoneIsNotRead) {
  const std::string outcome =
      R"({"v":1,"position":"2:9","outcome":"rejected","subject":"3","object":"1","at":7,)"
      R"("reason":"follow_limit","limit":)";
  EXPECT_EQ(DecodeOutcome(outcome + "1000}")->limit, 1000);
  EXPECT_FALSE(DecodeOutcome(outcome + "\"1000\"}"));
}

TEST(EventGolden, WhatForeignProducersWriteIsReadAsTheCanonicalText) {
  ExpectGoldenAccepted("accepted_events.tsv", DecodeEvent, EncodeEvent);
}

TEST(EventGolden, EachRefusedLineHasItsReason) {
  for (const auto& [reason, raw] : GoldenPairs("refused_events.tsv")) {
    const auto event = DecodeEvent(raw);
    ASSERT_FALSE(event.has_value()) << raw;
    EXPECT_EQ(ToString(event.error().reason), reason) << raw << '\n' << event.error().detail;
    EXPECT_FALSE(event.error().detail.empty()) << raw;
  }
}

TEST(OutcomeGolden, EachRefusedLineHasItsReason) {
  for (const auto& [reason, raw] : GoldenPairs("refused_outcomes.tsv")) {
    const auto outcome = DecodeOutcome(raw);
    ASSERT_FALSE(outcome.has_value()) << raw;
    EXPECT_EQ(ToString(outcome.error().reason), reason) << raw << '\n' << outcome.error().detail;
  }
}

// The same golden records with a field more take the general path; what they say must not change.
TEST(EventGolden, BothWaysOfReadingAgree) {
  for (const std::string& line : GoldenLines("relation_event.v1.jsonl")) {
    const auto general = DecodeEvent(R"({"unknown":[0],)" + line.substr(1));
    ASSERT_TRUE(general.has_value()) << line;
    EXPECT_EQ(*general, DecodeEvent(line).value());
  }
}

TEST(OutcomeGolden, BothWaysOfReadingAgree) {
  for (const std::string& line : GoldenLines("relation_outcome.v1.jsonl")) {
    const auto general = DecodeOutcome(R"({"unknown":[0],)" + line.substr(1));
    ASSERT_TRUE(general.has_value()) << line;
    EXPECT_EQ(*general, DecodeOutcome(line).value());
  }
}

// Names of reasons are a public contract: the schema's list and the code's are one.
TEST(OutcomeGolden, SchemaNamesTheSameReasons) {
  std::ifstream file("schemas/events/relation_outcome.v1.json");
  const auto schema = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(schema.is_object());
  const auto& shapes = schema["oneOf"];
  for (const auto& name : shapes[1]["properties"]["reason"]["enum"]) {
    EXPECT_TRUE(ParseRejectReason(name.get<std::string>())) << name;
  }
  for (const auto& name : shapes[2]["properties"]["reason"]["enum"]) {
    EXPECT_TRUE(ParseParkReason(name.get<std::string>())) << name;
  }
  for (const auto& name : schema["properties"]["outcome"]["enum"]) {
    EXPECT_TRUE(ParseOutcomeKind(name.get<std::string>())) << name;
  }
  EXPECT_EQ(shapes[1]["properties"]["reason"]["enum"].size(), 4U);
  EXPECT_EQ(shapes[2]["properties"]["reason"]["enum"].size(), 11U);
}

}  // namespace
}  // namespace fanfold
