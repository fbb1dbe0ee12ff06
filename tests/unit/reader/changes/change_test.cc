#include "reader/changes/change.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "common/post/post_outcome.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "reader/changes/change_place.h"
#include "reader/changes/event_stream.h"
#include "tests/unit/reader/changes/told.h"

namespace fanfold::reader {
namespace {

using testing::kPartitions;

constexpr Position kFifth{Partition(1), Offset(5)};
// Of partition 1 of two.
UserId Home() {
  UserId user(1);
  while (PartitionOf(user, kPartitions) != kFifth.partition) ++user.value;
  return user;
}
const std::string kHome = std::to_string(Home().value);

std::string Relation(OutcomeKind kind) {
  Outcome outcome{.kind = kind,
                  .position = kFifth,
                  .event_id = "e",
                  .subject = UserId(3),
                  .object = UserId(4),
                  .at_ms = 9,
                  .since_ms = 7,
                  .rejected = std::nullopt,
                  .parked = std::nullopt,
                  .trace = {}};
  if (kind == OutcomeKind::kRejected) outcome.rejected = RejectReason::kFollowLimit;
  if (kind == OutcomeKind::kParked) outcome.parked = ParkReason::kMalformed;
  return EncodeOutcome(outcome);
}
std::string Post(PostOutcomeKind kind) {
  PostOutcome outcome{.kind = kind,
                      .position = kFifth,
                      .event_id = "e",
                      .author = UserId(3),
                      .post_id = PostId(8),
                      .at_ms = 9,
                      .score = 7,
                      .post_type = 2,
                      .content = std::nullopt,
                      .parked = std::nullopt};
  if (kind == PostOutcomeKind::kRejected) outcome.rejected = PostRejection::kUserDeleted;
  if (kind == PostOutcomeKind::kParked) outcome.parked = ParkReason::kMalformed;
  return EncodePostOutcome(outcome);
}
std::string User(decltype(ProfileEvent::what) what) {
  return EncodeProfileEvent({"e", Home(), 9, std::move(what)});
}

struct RecordCase {
  std::string name;
  Stream stream;
  std::string value;
  std::string type;  // "": it changes nothing
  std::string json;
  std::vector<std::uint64_t> of;
};
void PrintTo(const RecordCase& record, std::ostream* out) { *out << record.name; }

class Records : public ::testing::TestWithParam<RecordCase> {};

TEST_P(Records, TellWhatTheyChanged) {
  const RecordCase& given = GetParam();
  const LogRecord record{kFifth.partition, Offset(5), 0, kHome, given.value};
  const auto read = ReadRecord(given.stream, record, kPartitions);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->position, kFifth);
  ASSERT_EQ(read->change.has_value(), !given.type.empty());
  if (given.type.empty()) return;
  const Change& change = *read->change;
  EXPECT_EQ(change.event, (StreamPosition{given.stream, kFifth}));
  EXPECT_EQ(change.type.name(), given.type);
  EXPECT_EQ(change.Json(), given.json);
  for (const std::uint64_t user : given.of) EXPECT_TRUE(change.IsOf(UserId(user))) << user;
  EXPECT_FALSE(change.IsOf(UserId(99)));
}

INSTANTIATE_TEST_SUITE_P(
    All, Records,
    ::testing::Values(
        RecordCase{"Followed",
                   streams::kRelations,
                   Relation(OutcomeKind::kFollowed),
                   "followed",
                   R"({"position":"1:5","subject":"3","object":"4","since":7})",
                   {3, 4}},
        RecordCase{"Unfollowed",
                   streams::kRelations,
                   Relation(OutcomeKind::kUnfollowed),
                   "unfollowed",
                   R"({"position":"1:5","subject":"3","object":"4","since":7})",
                   {3, 4}},
        RecordCase{"Unchanged", streams::kRelations, Relation(OutcomeKind::kUnchanged), "", "", {}},
        RecordCase{"Rejected",
                   streams::kRelations,
                   Relation(OutcomeKind::kRejected),
                   "rejected",
                   R"({"position":"1:5","subject":"3","object":"4","reason":"follow_limit"})",
                   {3, 4}},
        RecordCase{"Parked", streams::kRelations, Relation(OutcomeKind::kParked), "", "", {}},
        RecordCase{
            "Posted",
            streams::kPosts,
            Post(PostOutcomeKind::kPosted),
            "posted",
            R"({"position":"post-events/1:5","author":"3","post_id":"8","score":7,"type":2})",
            {3}},
        RecordCase{"PostDeleted",
                   streams::kPosts,
                   Post(PostOutcomeKind::kPostDeleted),
                   "post_deleted",
                   R"({"position":"post-events/1:5","author":"3","post_id":"8"})",
                   {3}},
        RecordCase{"PostRejected",
                   streams::kPosts,
                   Post(PostOutcomeKind::kRejected),
                   "rejected",
                   R"({"position":"post-events/1:5","author":"3","post_id":"8",)"
                   R"("reason":"user_deleted"})",
                   {3}},
        RecordCase{"PostUnchanged", streams::kPosts, Post(PostOutcomeKind::kUnchanged), "", "", {}},
        RecordCase{"PostParked", streams::kPosts, Post(PostOutcomeKind::kParked), "", "", {}},
        RecordCase{
            "Profile",
            streams::kUsers,
            User(ProfileSet{Profile{.name = "A\nn"}}),
            "profile_changed",
            R"({"position":"user-events/1:5","user_id":")" + kHome +
                R"(","profile":{"name":"A\nn","avatar_url":null,"bio":null,"verified":false}})",
            {Home().value}},
        RecordCase{"UserDeleted",
                   streams::kUsers,
                   User(UserDeleted()),
                   "user_deleted",
                   R"({"position":"user-events/1:5","user_id":")" + kHome + R"("})",
                   {Home().value}},
        RecordCase{"UnreadableUser", streams::kUsers, "garbage", "", "", {}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Change, IsRejectedForThoseAloneWhoNameIt) {
  const std::string value = Relation(OutcomeKind::kRejected);
  const auto rejected =
      ReadRecord(streams::kRelations, {kFifth.partition, Offset(5), 0, kHome, value}, kPartitions);
  ChangeFilter filter;
  EXPECT_FALSE(filter.Wants(*rejected->change));
  filter.types.set(ChangeType::Find("rejected")->index());
  EXPECT_TRUE(filter.Wants(*rejected->change));
}

TEST(Change, SaysThatFriendsWereMade) {
  const std::string value = Relation(OutcomeKind::kFollowed);
  const LogRecord record{kFifth.partition, Offset(5), 0, kHome, value};
  auto read = ReadRecord(streams::kRelations, record, kPartitions);
  read->change->became_friends = true;
  EXPECT_EQ(read->change->Json(),
            R"({"position":"1:5","subject":"3","object":"4","since":7,"became_friends":true})");
}

TEST(ChangePlace, IsReadAsItIsWritten) {
  ChangePlace place(kPartitions);
  place.Pass({streams::kRelations, {Partition(1), Offset(5)}}, 11);
  place.Pass({streams::kPosts, {Partition(0), Offset((std::int64_t{1} << 62) - 1)}}, 12);
  const auto id = DecodeChangeId(EncodeChangePlace(place), kPartitions);
  ASSERT_TRUE(id.has_value());
  EXPECT_TRUE(id->place.Reaches(place) && place.Reaches(id->place));
  EXPECT_EQ(id->proof, place.Proof());
  EXPECT_EQ(DecodeChangeId(EncodeChangePlace(place), kPartitions + 1), std::nullopt);
  for (const std::string_view wrong : {"", "x", "1", "1-0-0-0-0-0", "1-0-0-0-0-0-0-0", "2",
                                       "2-0-0-0-0-0-0", "2-0-0-0-0-0-0-0-0", "3-0-0-0-0-0-0-0"}) {
    EXPECT_EQ(DecodeChangeId(wrong, kPartitions), std::nullopt) << wrong;
  }
}

TEST(ChangePlace, OneThatWasCutIsNone) {
  ChangePlace place(kPartitions);
  place.Pass({streams::kUsers, {Partition(0), Offset(1)}}, 11);
  const std::string proved = EncodeChangePlace(place);
  place.At(streams::kUsers, Partition(0)).before = 0;
  for (const std::string& id : {proved, EncodeChangePlace(place)}) {
    EXPECT_TRUE(DecodeChangeId(id, kPartitions));
    for (std::size_t length = 0; length < id.size(); ++length) {
      EXPECT_EQ(DecodeChangeId(id.substr(0, length), kPartitions), std::nullopt) << length;
    }
  }
}

// As releases before gave it, and as it is where a record is not known.
TEST(ChangePlace, ProvesNothingWithoutTheRecordBefore) {
  ChangePlace place(kPartitions);
  place.Pass({streams::kUsers, {Partition(0), Offset(1)}}, 0);
  EXPECT_EQ(EncodeChangePlace(place), "c1-0-0-2-0-0-0-664cf8bf");
  const auto id = DecodeChangeId("1-0-0-2-0-0-0", kPartitions);
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->place, place);
  EXPECT_EQ(id->proof, std::nullopt);
}

TEST(ChangePlace, EachRecordAndOffsetIsOfTheProof) {
  ChangePlace place(kPartitions);
  place.Pass({streams::kUsers, {Partition(0), Offset(1)}}, 11);
  ChangePlace record = place;
  record.At(streams::kUsers, Partition(0)).before = 12;
  ChangePlace offset = place;
  offset.At(streams::kUsers, Partition(0)).next = Offset(3);
  ChangePlace partition(kPartitions);
  partition.Pass({streams::kUsers, {Partition(1), Offset(1)}}, 11);
  for (const ChangePlace& other : {record, offset, partition, ChangePlace(kPartitions)}) {
    EXPECT_NE(other.Proof(), place.Proof());
  }
}

TEST(ChangePlace, GoesOnToTheFurther) {
  ChangePlace one(kPartitions);
  ChangePlace other(kPartitions);
  const StreamPosition mine{streams::kUsers, {Partition(0), Offset(3)}};
  const StreamPosition theirs{streams::kUsers, {Partition(1), Offset(4)}};
  one.Pass(mine, 11);
  other.Pass(theirs, 12);
  EXPECT_FALSE(one.Reaches(other));
  EXPECT_FALSE(one.Reaches(other, streams::kUsers));
  EXPECT_TRUE(one.Reaches(other, streams::kPosts));
  one.Raise(other);
  ChangePlace both(kPartitions);
  both.Pass(mine, 11);
  both.Pass(theirs, 12);
  EXPECT_EQ(one, both);
  ChangePlace unknown = both;
  unknown.At(streams::kUsers, Partition(1)).before = 0;
  unknown.Raise(both);
  EXPECT_EQ(unknown, both) << "what is not known is learned";
}

TEST(EventStream, IsWrittenAsTheStandardHasIt) {
  const std::string value = Relation(OutcomeKind::kFollowed);
  const LogRecord record{kFifth.partition, Offset(5), 0, kHome, value};
  const Change change = *ReadRecord(streams::kRelations, record, kPartitions)->change;
  std::string text;
  AppendGreeting(text, ChangePlace(1));
  AppendChange(text, change, "1-6");
  AppendChange(text, change, "");
  AppendLogChanged(text, 1);
  AppendWhy(text, "enough");
  const std::string data =
      "event: followed\ndata: "
      "{\"position\":\"1:5\",\"subject\":\"3\",\"object\":\"4\",\"since\":7}\n\n";
  const std::string first = "id: " + EncodeChangePlace(ChangePlace(1)) + "\n";
  EXPECT_EQ(text, "retry: 1000\n" + first + "\nid: 1-6\n" + data + data + first +
                      "event: log_changed\ndata: {\"from\":\"earliest\"}\n\n: enough\n\n");
  EXPECT_EQ(IdOf(ChangePlace(kPartitionsWithIdsMax + 1)), "");
}

}  // namespace
}  // namespace fanfold::reader
