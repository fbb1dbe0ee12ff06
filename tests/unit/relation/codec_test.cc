// What a golden file cannot hold: bytes that are no text, sizes, nesting, and records with their
// key and partition.
#include "common/relation/codec.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

using std::string_literals::operator""s;

constexpr std::string_view kFollowText =
    R"({"v":1,"event_id":"e","type":"follow","subject":"1","object":"2","at":3,"by":"subject"})";

// kFollowText with one more field in front, whose value is `json`.
std::string WithUnknown(std::string_view json) {
  return R"({"unknown":)" + std::string(json) + "," + std::string(kFollowText.substr(1));
}

ParkReason ReasonOf(std::string_view value) {
  const auto event = DecodeEvent(value);
  EXPECT_FALSE(event.has_value()) << value.substr(0, 100);
  return event ? ParkReason::kUnreadableOutcome : event.error().reason;
}

TEST(Codec, RecordOfTheLargestSizeIsRead) {
  const std::size_t frame = WithUnknown("\"\"").size();
  const std::string filler(kRecordBytesMax - frame, 'x');
  const std::string largest = WithUnknown("\"" + filler + "\"");
  ASSERT_EQ(largest.size(), kRecordBytesMax);
  EXPECT_TRUE(DecodeEvent(largest).has_value());
  EXPECT_EQ(ReasonOf(WithUnknown("\"" + filler + "x\"")), ParkReason::kTooLarge);
}

TEST(Codec, SizeIsJudgedBeforeContent) {
  EXPECT_EQ(ReasonOf(std::string(kRecordBytesMax, '{')), ParkReason::kMalformed);
  EXPECT_EQ(ReasonOf(std::string(kRecordBytesMax + 1, '{')), ParkReason::kTooLarge);
  std::string large;
  large.resize(10'000'000, 'x');
  EXPECT_EQ(ReasonOf(large), ParkReason::kTooLarge);
  const auto outcome = DecodeOutcome(std::string(kRecordBytesMax + 1, '{'));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, ParkReason::kTooLarge);
}

TEST(Codec, DeepNestingIsReadOrRefusedButNeverOverflows) {
  constexpr std::size_t kDepth = 30'000;
  const std::string open(kDepth, '[');
  EXPECT_EQ(ReasonOf(open), ParkReason::kMalformed);
  EXPECT_EQ(ReasonOf(open + std::string(kDepth, ']')), ParkReason::kMalformed);
  EXPECT_TRUE(DecodeEvent(WithUnknown(open + std::string(kDepth, ']'))).has_value());
}

TEST(Codec, NulBytesAreMalformed) {
  EXPECT_EQ(ReasonOf("\0"s), ParkReason::kMalformed);
  EXPECT_EQ(ReasonOf(std::string(kFollowText) + "\0"s), ParkReason::kMalformed);
  EXPECT_EQ(ReasonOf(WithUnknown("\"a\0b\""s)), ParkReason::kMalformed);
  std::string in_id(kFollowText);
  in_id[in_id.find("\"e\"") + 1] = '\0';
  EXPECT_EQ(ReasonOf(in_id), ParkReason::kMalformed);
}

TEST(Codec, InvalidUtf8IsMalformed) {
  for (const std::string_view bytes :
       {"\xff", "\xc3", "\xc3\x28", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(ReasonOf(WithUnknown("\"" + std::string(bytes) + "\"")), ParkReason::kMalformed);
    std::string in_id(kFollowText);
    in_id.replace(in_id.find("\"e\"") + 1, 1, bytes);
    EXPECT_EQ(ReasonOf(in_id), ParkReason::kMalformed);
  }
}

TEST(Codec, LineEndsAroundAValueAreWhiteSpace) {
  EXPECT_TRUE(DecodeEvent("\r\n\t" + std::string(kFollowText) + "\n").has_value());
}

// A caller who waits for the outcome of an event knows it by its id.
TEST(Codec, UnreadableEventKeepsTheIdThatCouldBeRead) {
  for (const std::string_view value :
       {R"({"v":1,"event_id":"e","type":"block","subject":"1","object":"2","at":3})",
        R"({"v":1,"event_id":"e","type":"follow","subject":"0","object":"2","at":3})",
        R"({"v":1,"event_id":"e"})", R"({"v":2,"event_id":"e"})", R"({"v":0,"event_id":"e"})",
        R"({"event_id":"e"})"}) {
    const auto event = DecodeEvent(value);
    ASSERT_FALSE(event.has_value()) << value;
    EXPECT_EQ(event.error().event_id, "e") << value;
  }
  for (const std::string_view value : {R"({"v":2,"event_id":7})", R"({"v":2,"event_id":"a b"})",
                                       R"({"v":2})", R"({"v":1,"event_id":""})", "garbage"}) {
    const auto event = DecodeEvent(value);
    ASSERT_FALSE(event.has_value()) << value;
    EXPECT_EQ(event.error().event_id, "") << value;
  }
}

TEST(Codec, AppendAddsToWhatIsThere) {
  const Event event = DecodeEvent(kFollowText).value();
  std::string lines = "before\n";
  AppendEvent(lines, event);
  EXPECT_EQ(lines, "before\n" + std::string(kFollowText));
}

class EventRecordTest : public ::testing::Test {
 protected:
  static constexpr std::int32_t kPartitions = 16;
  const Partition home_ = PartitionOf(UserId(1), kPartitions);

  ParkReason Reason(std::optional<std::string_view> key, std::optional<std::string_view> value,
                    Partition partition) {
    const auto event = ReadEventRecord(key, value, partition, kPartitions);
    EXPECT_FALSE(event.has_value());
    if (!event) event_id_ = event.error().event_id;
    return event ? ParkReason::kUnreadableOutcome : event.error().reason;
  }

  std::string event_id_;
};

TEST_F(EventRecordTest, KeyAndPartitionOfItsSubjectAreAccepted) {
  const auto event = ReadEventRecord("1", kFollowText, home_, kPartitions);
  ASSERT_TRUE(event.has_value()) << event.error();
  EXPECT_EQ(event->subject, UserId(1));
}

TEST_F(EventRecordTest, KeyMustBeItsSubject) {
  for (const std::string_view key : {"2", "", "01", "1 ", "one", "0"}) {
    EXPECT_EQ(Reason(key, kFollowText, home_), ParkReason::kKeyMismatch) << key;
    EXPECT_EQ(event_id_, "e");
  }
  EXPECT_EQ(Reason(std::nullopt, kFollowText, home_), ParkReason::kKeyMismatch);
}

TEST_F(EventRecordTest, PartitionMustBeItsSlots) {
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    if (Partition(p) == home_) continue;
    EXPECT_EQ(Reason("1", kFollowText, Partition(p)), ParkReason::kWrongPartition) << p;
    EXPECT_EQ(event_id_, "e");
  }
}

TEST_F(EventRecordTest, MissingAndEmptyValuesAreMalformed) {
  EXPECT_EQ(Reason("1", std::nullopt, home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("1", "", home_), ParkReason::kMalformed);
}

TEST_F(EventRecordTest, ValueIsJudgedBeforeTheKey) {
  EXPECT_EQ(Reason("2", "garbage", home_), ParkReason::kMalformed);
}

TEST(OutcomeRecord, PositionMustBeOfItsOwnPartition) {
  constexpr std::string_view kParkedText = R"({"v":1,"position":"3:4","outcome":"parked",)"
                                           R"("reason":"malformed"})";
  EXPECT_TRUE(ReadOutcomeRecord(kParkedText, Partition(3)).has_value());
  const auto elsewhere = ReadOutcomeRecord(kParkedText, Partition(4));
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_EQ(elsewhere.error().reason, ParkReason::kWrongPartition);
  const auto absent = ReadOutcomeRecord(std::nullopt, Partition(3));
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().reason, ParkReason::kMalformed);
}

}  // namespace
}  // namespace fanfold
