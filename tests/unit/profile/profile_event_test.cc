#include "common/profile/profile_event.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/profile/printing.h"
#include "tests/unit/relation/golden_files.h"

namespace fanfold {
namespace {

TEST(ProfileEventGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("user_event.v1.jsonl", DecodeProfileEvent, EncodeProfileEvent);
}

TEST(ProfileEventGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("user_event", DecodeProfileEvent, EncodeProfileEvent);
}

TEST(ProfileEventGolden, WhatForeignProducersWriteIsReadAsTheCanonicalText) {
  ExpectGoldenAccepted("accepted_user_events.tsv", DecodeProfileEvent, EncodeProfileEvent);
}

TEST(ProfileEventGolden, EachRefusedLineHasItsReason) {
  ExpectGoldenRefused("refused_user_events.tsv", DecodeProfileEvent);
}

// A field swapped in both writer and reader would pass the round trip.
TEST(ProfileEventGolden, FieldsMeanWhatTheirNamesSay) {
  const auto set = DecodeProfileEvent(
      R"({"v":1,"event_id":"e","type":"profile_set","user":"3","at":7,"profile":)"
      R"({"name":"n","avatar_url":"a","bio":"b","verified":true}})");
  ASSERT_TRUE(set.has_value()) << set.error();
  EXPECT_EQ(set->event_id, "e");
  EXPECT_EQ(set->user, UserId(3));
  EXPECT_EQ(set->at_ms, 7);
  EXPECT_EQ(set->what, decltype(set->what)(ProfileSet{{"n", "a", "b", true}}));
  const auto deleted = DecodeProfileEvent(
      R"({"v":1,"type":"user_deleted","user":"3","at":7,"ends":{"relation-events":[5,0]}})");
  ASSERT_TRUE(deleted.has_value()) << deleted.error();
  const auto& ends = std::get<UserDeleted>(deleted->what).ends;
  EXPECT_EQ(ends[streams::kRelations], (std::vector{Offset(5), Offset(0)}));
  EXPECT_TRUE(ends[streams::kUsers].empty());
}

TEST(ProfileEvent, UnreadableOnesKeepTheirId) {
  for (const std::string_view value :
       {R"({"v":1,"event_id":"e","type":"post"})", R"({"v":1,"event_id":"e","type":"profile_set"})",
        R"({"v":1,"event_id":"e","type":"user_deleted","user":"0","at":1})",
        R"({"v":2,"event_id":"e"})"}) {
    const auto event = DecodeProfileEvent(value);
    ASSERT_FALSE(event.has_value()) << value;
    EXPECT_EQ(event.error().event_id, "e") << value;
  }
}

ProfileEvent Deleted(std::size_t partitions) {
  UserDeleted deleted;
  for (const Stream stream : kErasedStreams) {
    deleted.ends[stream].assign(partitions, Offset(std::numeric_limits<std::int64_t>::max()));
  }
  return {std::string(64, 'e'), UserId(kUserIdMax), std::numeric_limits<std::int64_t>::max(),
          deleted};
}

TEST(ProfileEvent, EndsOfThreeStreamsOfTheMostPartitionsFit) {
  ProfileEvent event = Deleted(kPartitionsMax);
  const std::string value = EncodeProfileEvent(event);
  EXPECT_EQ(DecodeProfileEvent(value).value(), event);
  EXPECT_LE(3 * value.size() / kErasedStreams.size(), kRecordBytesMax);
}

TEST(ProfileEvent, TheLongestProfileFits) {
  Profile profile{.verified = true};
  for (const ProfileText& text : kProfileTexts) {
    profile.*text.text = std::string(text.bytes_max, '\x01');
  }
  const ProfileEvent event{std::string(64, 'e'), UserId(kUserIdMax), 0, ProfileSet{profile}};
  const std::string value = EncodeProfileEvent(event);
  EXPECT_LE(value.size(), kRecordBytesMax);
  EXPECT_EQ(DecodeProfileEvent(value).value(), event);
}

class ProfileRecordTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kSet =
      R"({"v":1,"event_id":"e","type":"profile_set","user":"7","at":1,"profile":{}})";

  std::optional<ParkReason> Reason(std::optional<std::string_view> key,
                                   std::optional<std::string_view> value, Partition partition) {
    const auto event = ReadProfileRecord(key, value, partition, kPartitions);
    if (event) return std::nullopt;
    event_id_ = event.error().event_id;
    return event.error().reason;
  }

  static constexpr std::int32_t kPartitions = 4;
  const Partition home_ = PartitionOf(UserId(7), kPartitions);
  std::string event_id_;
};

TEST_F(ProfileRecordTest, KeyAndPartitionAreThoseOfItsUser) {
  EXPECT_EQ(Reason("7", kSet, home_), std::nullopt);
  for (const char* key : {"8", "", "07", "seven"}) {
    EXPECT_EQ(Reason(key, kSet, home_), ParkReason::kKeyMismatch) << key;
    EXPECT_EQ(event_id_, "e");
  }
  EXPECT_EQ(Reason(std::nullopt, kSet, home_), ParkReason::kKeyMismatch);
  EXPECT_EQ(Reason("7", kSet, Partition((home_.value + 1) % 4)), ParkReason::kWrongPartition);
  EXPECT_EQ(event_id_, "e");
}

TEST_F(ProfileRecordTest, ValueIsJudgedBeforeTheKey) {
  EXPECT_EQ(Reason("8", std::nullopt, home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", "garbage", home_), ParkReason::kMalformed);
  EXPECT_EQ(Reason("8", std::string(kRecordBytesMax + 1, ' '), home_), ParkReason::kTooLarge);
}

TEST_F(ProfileRecordTest, EndsAreOfAllPartitionsOrNone) {
  const auto with = [](std::string_view ends) {
    return R"({"v":1,"event_id":"e","type":"user_deleted","user":"7","at":1,"ends":{)" +
           std::string(ends) + "}}";
  };
  EXPECT_EQ(Reason("7", with(""), home_), std::nullopt);
  EXPECT_EQ(Reason("7", with(R"("relation-events":[1,2,3,4])"), home_), std::nullopt);
  EXPECT_EQ(Reason("7", with(R"("relation-events":[])"), home_), std::nullopt);
  for (const char* ends : {R"("relation-events":[1,2,3])", R"("relation-events":[1,2,3,4,5])",
                           R"("relation-events":[1,2,3,4],"user-events":[1])"}) {
    EXPECT_EQ(Reason("7", with(ends), home_), ParkReason::kInvalidField) << ends;
    EXPECT_EQ(event_id_, "e");
  }
}

// Random events, in bytes that mean something to JSON more often than others.
std::optional<std::string> AnyText() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  std::string text;
  for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
    text += *rc::gen::element<std::string>("a", "\"", "\\", "\n", "{", std::string("\0", 1), "é",
                                           "😀", "\x7f", "null");
  }
  return text;
}

ProfileEvent AnyProfileEvent() {
  const auto number = [] {
    return *rc::gen::element<std::int64_t>(0, 1, 1'655'884'250'592,
                                           std::numeric_limits<std::int64_t>::max());
  };
  ProfileEvent event;
  if (*rc::gen::arbitrary<bool>()) event.event_id = "e";
  event.user = UserId(*rc::gen::element<std::uint64_t>(1, 42, kUserIdMax));
  event.at_ms = number();
  if (*rc::gen::arbitrary<bool>()) {
    event.what = ProfileSet{{AnyText(), AnyText(), AnyText(), *rc::gen::arbitrary<bool>()}};
    return event;
  }
  UserDeleted deleted;
  for (const Stream stream : Stream::All()) {
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) deleted.ends[stream].emplace_back(number());
  }
  event.what = deleted;
  return event;
}

RC_GTEST_PROP(ProfileEventModel, ReadsWhatItWrites, ()) {
  const ProfileEvent event = AnyProfileEvent();
  const auto read = DecodeProfileEvent(EncodeProfileEvent(event));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == event);
}

}  // namespace
}  // namespace fanfold
