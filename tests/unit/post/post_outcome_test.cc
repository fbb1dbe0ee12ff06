#include "common/post/post_outcome.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "common/post/post_row.h"
#include "tests/unit/post/printing.h"
#include "tests/unit/relation/golden_files.h"

namespace fanfold {
namespace {

TEST(PostOutcomeGolden, EveryLineIsReadAndWrittenAsItStands) {
  ExpectGoldenLines("post_outcome.v1.jsonl", DecodePostOutcome, EncodePostOutcome);
}

TEST(PostOutcomeGolden, PastOnesAreReadToday) {
  ExpectPastGoldens("post_outcome", DecodePostOutcome, EncodePostOutcome);
}

TEST(PostOutcomeGolden, EachRefusedLineHasItsReason) {
  for (const auto& [reason, raw] : GoldenPairs("refused_post_outcomes.tsv")) {
    const auto outcome = DecodePostOutcome(raw);
    ASSERT_FALSE(outcome.has_value()) << raw;
    EXPECT_EQ(ToString(outcome.error().reason), reason) << raw << '\n' << outcome.error();
  }
}

TEST(PostOutcomeGolden, FieldsMeanWhatTheirNamesSay) {
  const auto outcome = DecodePostOutcome(
      R"({"v":1,"position":"3:9","event_id":"e","outcome":"posted","author":"5","post_id":"6",)"
      R"("at":7,"score":8,"post_type":4,"content":"c"})");
  ASSERT_TRUE(outcome.has_value()) << outcome.error();
  EXPECT_EQ(*outcome, (PostOutcome{PostOutcomeKind::kPosted,
                                   {Partition(3), Offset(9)},
                                   "e",
                                   UserId(5),
                                   PostId(6),
                                   7,
                                   8,
                                   4,
                                   "c",
                                   {}}));
}

// A space before it takes the general way: both say the same.
TEST(PostOutcomeCut, TheShortWaySaysWhatTheGeneralOneDoes) {
  const std::string good =
      R"({"v":1,"position":"3:9","event_id":"e","outcome":"posted","author":"5","post_id":"6",)"
      R"("at":7,"score":8,"post_type":4})";
  const std::pair<const char*, const char*> changes[] = {
      {"", ""},
      {"posted", "post_deleted"},
      {"posted", "unchanged"},
      {"posted", "parked"},
      {"posted", "rejected"},
      {R"("v":1)", R"("v":2)"},
      {"3:9", "3:9223372036854775807"},
      {"3:9", "3:9223372036854775808"},
      {"3:9", "03:9"},
      {"3:9", "3"},
      {R"("e")", R"("")"},
      {R"("e")", R"(" ")"},
      {R"("e")", R"("\u0065")"},
      {R"("e")", R"("é")"},
      {R"("event_id":"e",)", ""},
      {R"("author":"5")", R"("author":"0")"},
      {R"("author":"5")", R"("author":"05")"},
      {R"("author":"5")", R"("author":5)"},
      {R"("author":"5")", R"("author":"9223372036854775808")"},
      {R"("post_id":"6")", R"("post_id":"0")"},
      {R"("post_id":"6")", R"("post_id":"9223372036854775807")"},
      {R"("post_id":"6")", R"("post_id":"-6")"},
      {R"("at":7)", R"("at":07)"},
      {R"("at":7)", R"("at":-7)"},
      {R"("at":7)", R"("at":7.0)"},
      {R"("score":8)", R"("score":9223372036854775807)"},
      {R"("score":8)", R"("score":9223372036854775808)"},
      {R"("post_type":4)", R"("post_type":2147483647)"},
      {R"("post_type":4)", R"("post_type":2147483648)"},
      {"}", R"(,"more":1})"},
      {"}", "} "},
      {"}", "}}"},
      {"}", ""},
  };
  for (const auto& [from, to] : changes) {
    std::string value = good;
    value.replace(value.find(from), std::string(from).size(), to);
    const auto said = DecodePostOutcome(value);
    const auto general = DecodePostOutcome(' ' + value);
    ASSERT_EQ(said.has_value(), general.has_value()) << value;
    if (said) {
      EXPECT_EQ(*said, *general) << value;
    } else {
      EXPECT_EQ(said.error().reason, general.error().reason) << value;
    }
  }
}

TEST(PostOutcomeRecord, ItsPositionIsOfItsPartition) {
  const std::string value =
      R"({"v":1,"position":"3:9","event_id":"e","outcome":"parked","reason":"malformed"})";
  EXPECT_TRUE(ReadPostOutcomeRecord(value, Partition(3), kWholeOutcome));
  const auto other = ReadPostOutcomeRecord(value, Partition(4), kWholeOutcome);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason, ParkReason::kWrongPartition);
  EXPECT_EQ(other.error().event_id, "e");
  EXPECT_FALSE(ReadPostOutcomeRecord(std::nullopt, Partition(3), kWholeOutcome));
}

class CutPostOutcomeTest : public ::testing::Test {
 protected:
  // What is decided about the post at 3:9, which nobody had posted.
  static std::string Whole(const PostEvent& event) {
    return EncodePostOutcome(Decide({}, event, {Partition(3), Offset(9)}));
  }
  static PostEvent Post(std::string content) {
    return {"e", PostEventType::kPost, UserId(5), PostId(6), 7, 4, std::move(content)};
  }
};

TEST_F(CutPostOutcomeTest, CutAndJoinedIsTheWhole) {
  for (const std::string content : {"", "Hello", R"(,"content":")", "\"}\\", "\x01é😀\n"}) {
    const std::string whole = Whole(Post(content));
    const std::string cut = CutPostOutcome(whole);
    EXPECT_EQ(cut, R"({"v":1,"position":"3:9","event_id":"e","outcome":"posted","author":"5",)"
                   R"("post_id":"6","at":7,"score":7,"post_type":4})");
    EXPECT_EQ(LacksContentOf(whole), std::nullopt);
    EXPECT_EQ(LacksContentOf(cut), (Position{Partition(3), Offset(9)}));
    EXPECT_EQ(JoinPostOutcome(cut, EncodePostEvent(Post(content))), whole);
  }
}

TEST_F(CutPostOutcomeTest, WhatHasNoContentIsWhole) {
  const PostEvent deletes{"e", PostEventType::kDeletePost, UserId(5), PostId(6), 7};
  const PostRow row{4, "c", 7, true, Version(1)};
  for (const PostOutcome& outcome :
       {Decide({}, deletes, {}), Decide(row, deletes, {}), Decide(row, Post("x"), {}),
        ParkPost({}, ParkReason::kMalformed, "e")}) {
    const std::string value = EncodePostOutcome(outcome);
    EXPECT_EQ(CutPostOutcome(value), value);
    EXPECT_EQ(LacksContentOf(value), std::nullopt) << value;
  }
}

TEST_F(CutPostOutcomeTest, AnotherEventIsNotJoined) {
  const std::string cut = CutPostOutcome(Whole(Post("c")));
  PostEvent other_author = Post("c");
  other_author.author = UserId(6);
  PostEvent other_id = Post("c");
  other_id.post_id = PostId(7);
  PostEvent deletes = Post("");
  deletes.type = PostEventType::kDeletePost;
  for (const PostEvent& event : {other_author, other_id, deletes}) {
    EXPECT_EQ(JoinPostOutcome(cut, EncodePostEvent(event)), cut) << event;
  }
  EXPECT_EQ(JoinPostOutcome(cut, "garbage"), cut);
}

TEST_F(CutPostOutcomeTest, WhoWantsItWholeCannotReadACutOne) {
  const std::string cut = CutPostOutcome(Whole(Post("c")));
  EXPECT_TRUE(ReadPostOutcomeRecord(cut, Partition(3), !kWholeOutcome));
  const auto read = ReadPostOutcomeRecord(cut, Partition(3), kWholeOutcome);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().reason, ParkReason::kMissingField);
  EXPECT_EQ(read.error().event_id, "e");
}

TEST_F(CutPostOutcomeTest, TheLongestWholeOneCanBeRead) {
  PostEvent longest = Post(std::string(kContentBytesMax, '\x01'));
  longest.event_id = std::string(64, 'e');
  const std::string whole = Whole(longest);
  EXPECT_LE(whole.size(), kRecordBytesMax);
  EXPECT_TRUE(DecodePostOutcome(whole));
}

}  // namespace
}  // namespace fanfold
