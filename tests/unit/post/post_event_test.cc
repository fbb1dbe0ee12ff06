#include "common/post/post_event.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>

#include "tests/unit/post/printing.h"
#include "tests/unit/relation/golden_files.h"

namespace fanfold {
namespace {

TEST(PostEventGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("post_event.v1.jsonl", DecodePostEvent, EncodePostEvent);
}

TEST(PostEventGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("post_event", DecodePostEvent, EncodePostEvent);
}

TEST(PostEventGolden, WhatForeignProducersWriteIsReadAsTheCanonicalText) {
  ExpectGoldenAccepted("accepted_post_events.tsv", DecodePostEvent, EncodePostEvent);
}

TEST(PostEventGolden, EachRefusedLineHasItsReason) {
  ExpectGoldenRefused("refused_post_events.tsv", DecodePostEvent);
}

// A field swapped in both writer and reader would pass the round trip.
TEST(PostEventGolden, FieldsMeanWhatTheirNamesSay) {
  const auto post = DecodePostEvent(
      R"({"v":1,"event_id":"e","type":"post","author":"3","post_id":"4","at":7,"post_type":5,)"
      R"("content":"c"})");
  ASSERT_TRUE(post.has_value()) << post.error();
  EXPECT_EQ(*post, (PostEvent{"e", PostEventType::kPost, UserId(3), PostId(4), 7, 5, "c"}));
  const auto deleted =
      DecodePostEvent(R"({"v":1,"type":"delete_post","author":"3","post_id":"4","at":7})");
  ASSERT_TRUE(deleted.has_value()) << deleted.error();
  EXPECT_EQ(*deleted, (PostEvent{"", PostEventType::kDeletePost, UserId(3), PostId(4), 7}));
}

TEST(PostEvent, ContentIsUtf8) {
  EXPECT_FALSE(
      DecodePostEvent("{\"v\":1,\"type\":\"post\",\"author\":\"3\",\"post_id\":\"4\","
                      "\"at\":7,\"content\":\"\xff\"}"));
}

TEST(PostEvent, UnreadableOnesKeepTheirId) {
  for (const std::string_view value :
       {R"({"v":1,"event_id":"e","type":"follow"})", R"({"v":1,"event_id":"e","type":"post"})",
        R"({"v":1,"event_id":"e","type":"delete_post","author":"1","post_id":"0","at":1})",
        R"({"v":2,"event_id":"e"})"}) {
    const auto event = DecodePostEvent(value);
    ASSERT_FALSE(event.has_value()) << value;
    EXPECT_EQ(event.error().event_id, "e") << value;
  }
}

TEST(PostEvent, TheLongestContentFits) {
  const PostEvent event{std::string(64, 'e'),
                        PostEventType::kPost,
                        UserId(kUserIdMax),
                        PostId(kPostIdMax),
                        std::numeric_limits<std::int64_t>::max(),
                        kPostTypeMax,
                        std::string(kContentBytesMax, '\x01')};
  const std::string value = EncodePostEvent(event);
  EXPECT_LE(value.size(), kRecordBytesMax);
  EXPECT_EQ(DecodePostEvent(value).value(), event);
}

class PostRecordTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kPost =
      R"({"v":1,"event_id":"e","type":"post","author":"7","post_id":"1","at":1})";

  std::optional<ParkReason> Reason(std::optional<std::string_view> key,
                                   std::optional<std::string_view> value, Partition partition) {
    const auto event = ReadPostRecord(key, value, partition, kPartitions);
    if (event) return std::nullopt;
    event_id_ = event.error().event_id;
    return event.error().reason;
  }

  static constexpr std::int32_t kPartitions = 4;
  const Partition home_ = PartitionOf(UserId(7), kPartitions);
  std::string event_id_;
};

TEST_F(PostRecordTest, KeyAndPartitionAreThoseOfItsAuthor) {
  EXPECT_EQ(Reason("7", kPost, home_), std::nullopt);
  for (const char* key : {"8", "", "07", "seven"}) {
    EXPECT_EQ(Reason(key, kPost, home_), ParkReason::kKeyMismatch) << key;
    EXPECT_EQ(event_id_, "e");
  }
  EXPECT_EQ(Reason(std::nullopt, kPost, home_), ParkReason::kKeyMismatch);
  EXPECT_EQ(Reason("7", kPost, Partition((home_.value + 1) % 4)), ParkReason::kWrongPartition);
  EXPECT_EQ(event_id_, "e");
}

TEST_F(PostRecordTest, ValueIsJudgedBeforeTheKey) {
  EXPECT_EQ(Reason("8", std::nullopt, home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", "garbage", home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", std::string(kRecordBytesMax + 1, ' '), home_), ParkReason::kTooLarge);
}

// Random events, in bytes that mean something to JSON more often than others.
PostEvent AnyPostEvent() {
  PostEvent event;
  if (*rc::gen::arbitrary<bool>()) event.event_id = "e";
  event.author = UserId(*rc::gen::element<std::uint64_t>(1, 42, kUserIdMax));
  event.post_id = PostId(*rc::gen::element<std::uint64_t>(1, 42, kPostIdMax));
  event.at_ms = *rc::gen::element<std::int64_t>(0, 1, std::numeric_limits<std::int64_t>::max());
  if (*rc::gen::arbitrary<bool>()) event.type = PostEventType::kDeletePost;
  if (event.type == PostEventType::kDeletePost) return event;
  event.post_type = *rc::gen::element<std::int64_t>(0, 1, kPostTypeMax);
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    event.content += *rc::gen::element<std::string>("a", "\"", "\\", "\n", "{", R"(,"content":)",
                                                    std::string("\0", 1), "é", "😀", "\x7f");
  }
  return event;
}

RC_GTEST_PROP(PostEventModel, ReadsWhatItWrites, ()) {
  const PostEvent event = AnyPostEvent();
  const std::string text = EncodePostEvent(event);
  // What is not as this project writes it goes the general way.
  for (const std::string& value : {text, ' ' + text}) {
    const auto read = DecodePostEvent(value);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == event);
  }
}

}  // namespace
}  // namespace fanfold
