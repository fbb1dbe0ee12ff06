#include "common/feed/feed_event.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>

#include "tests/unit/feed/printing.h"
#include "tests/unit/relation/golden_files.h"

namespace fanfold {
namespace {

TEST(FeedEventGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("feed_event.v1.jsonl", DecodeFeedEvent, EncodeFeedEvent);
}

TEST(FeedEventGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("feed_event", DecodeFeedEvent, EncodeFeedEvent);
}

TEST(FeedEventGolden, WhatForeignProducersWriteIsReadAsTheCanonicalText) {
  ExpectGoldenAccepted("accepted_feed_events.tsv", DecodeFeedEvent, EncodeFeedEvent);
}

TEST(FeedEventGolden, EachRefusedLineHasItsReason) {
  ExpectGoldenRefused("refused_feed_events.tsv", DecodeFeedEvent);
}

// A field swapped in both writer and reader would pass the round trip.
TEST(FeedEventGolden, FieldsMeanWhatTheirNamesSay) {
  const auto shown = DecodeFeedEvent(
      R"({"v":1,"event_id":"e","type":"shown","owner":"3","at":7,"shown_id":"4","author":"5",)"
      R"("post_id":"6"})");
  ASSERT_TRUE(shown.has_value()) << shown.error();
  EXPECT_EQ(*shown, (FeedEvent{"e", FeedEventType::kShown, UserId(3), 7, ShownId(4), UserId(5),
                               PostId(6)}));
  const auto active = DecodeFeedEvent(R"({"v":1,"type":"active","owner":"3","at":7})");
  ASSERT_TRUE(active.has_value()) << active.error();
  EXPECT_EQ(*active, (FeedEvent{"", FeedEventType::kActive, UserId(3), 7, ShownId(0)}));
  const auto forget =
      DecodeFeedEvent(R"({"v":1,"type":"forget","owner":"3","at":7,"shown_id":"4"})");
  ASSERT_TRUE(forget.has_value()) << forget.error();
  EXPECT_EQ(*forget, (FeedEvent{"", FeedEventType::kForget, UserId(3), 7, ShownId(4)}));
}

TEST(FeedEvent, UnreadableOnesKeepTheirId) {
  for (const std::string_view value :
       {R"({"v":1,"event_id":"e","type":"follow"})", R"({"v":1,"event_id":"e","type":"shown"})",
        R"({"v":1,"event_id":"e","type":"forget","owner":"1","shown_id":"0","at":1})",
        R"({"v":2,"event_id":"e"})"}) {
    const auto event = DecodeFeedEvent(value);
    ASSERT_FALSE(event.has_value()) << value;
    EXPECT_EQ(event.error().event_id, "e") << value;
  }
}

class FeedRecordTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kActive =
      R"({"v":1,"event_id":"e","type":"active","owner":"7","at":1})";

  std::optional<ParkReason> Reason(std::optional<std::string_view> key,
                                   std::optional<std::string_view> value, Partition partition) {
    const auto event = ReadFeedRecord(key, value, partition, kPartitions);
    if (event) return std::nullopt;
    event_id_ = event.error().event_id;
    return event.error().reason;
  }

  static constexpr std::int32_t kPartitions = 4;
  const Partition home_ = PartitionOf(UserId(7), kPartitions);
  std::string event_id_;
};

TEST_F(FeedRecordTest, KeyAndPartitionAreThoseOfItsOwner) {
  EXPECT_EQ(Reason("7", kActive, home_), std::nullopt);
  for (const char* key : {"8", "", "07", "seven"}) {
    EXPECT_EQ(Reason(key, kActive, home_), ParkReason::kKeyMismatch) << key;
    EXPECT_EQ(event_id_, "e");
  }
  EXPECT_EQ(Reason(std::nullopt, kActive, home_), ParkReason::kKeyMismatch);
  EXPECT_EQ(Reason("7", kActive, Partition((home_.value + 1) % 4)), ParkReason::kWrongPartition);
  EXPECT_EQ(event_id_, "e");
}

TEST_F(FeedRecordTest, ValueIsJudgedBeforeTheKey) {
  EXPECT_EQ(Reason("8", std::nullopt, home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", "garbage", home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", std::string(kRecordBytesMax + 1, ' '), home_), ParkReason::kTooLarge);
}

FeedEvent AnyFeedEvent() {
  const auto any_id = [] { return *rc::gen::element<std::uint64_t>(1, 42, kUserIdMax); };
  FeedEvent event;
  if (*rc::gen::arbitrary<bool>()) event.event_id = "e";
  event.type =
      *rc::gen::element(FeedEventType::kShown, FeedEventType::kActive, FeedEventType::kForget);
  event.owner = UserId(any_id());
  event.at_ms = *rc::gen::element<std::int64_t>(0, 1, std::numeric_limits<std::int64_t>::max());
  const bool shows = event.type == FeedEventType::kShown;
  const bool forgets = event.type == FeedEventType::kForget;
  if (shows || (forgets && *rc::gen::arbitrary<bool>())) event.shown_id = ShownId(any_id());
  if (!shows) return event;
  event.author = UserId(any_id());
  event.post_id = PostId(any_id());
  return event;
}

RC_GTEST_PROP(FeedEventModel, ReadsWhatItWrites, ()) {
  const FeedEvent event = AnyFeedEvent();
  const auto read = DecodeFeedEvent(EncodeFeedEvent(event));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == event);
}

TEST(FeedRow, IsWhatItsEventSays) {
  const FeedEvent shown{"e", FeedEventType::kShown, UserId(3), 7, ShownId(4), UserId(5), PostId(6)};
  EXPECT_EQ(RowOf(shown, Version(9)), (FeedRow{UserId(5), PostId(6), 7, true, Version(9)}));
  const FeedEvent active{"e", FeedEventType::kActive, UserId(3), 7, ShownId(0)};
  EXPECT_EQ(RowOf(active, Version(9)), (FeedRow{UserId(0), PostId(0), 7, true, Version(9)}));
  const FeedEvent forget{"e", FeedEventType::kForget, UserId(3), 7, ShownId(4)};
  EXPECT_EQ(RowOf(forget, Version(9)), (FeedRow{UserId(0), PostId(0), 0, false, Version(9)}));
}

}  // namespace
}  // namespace fanfold
