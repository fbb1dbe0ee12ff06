#include "writer/batch_parser.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

struct EventCase {
  std::string name;
  std::string event;
  std::optional<Command> command;
  std::string detail;  // contains this, where it is refused
};
void PrintTo(const EventCase& event, std::ostream* out) { *out << event.name; }

Command Make(EventType type, AskedBy by, std::optional<std::int64_t> at_ms = {}) {
  return Command{type, by, UserId(1), UserId(2), at_ms};
}
const Command kFollow12 = Make(EventType::kFollow, AskedBy::kSubject);

Command MakeReplay(std::int64_t if_version, Position replay_of) {
  Command command = kFollow12;
  command.if_version = Version(if_version);
  command.replay_of = replay_of;
  return command;
}

Command MakeNamed(std::string event_id) {
  Command command = kFollow12;
  command.event_id = std::move(event_id);
  return command;
}

class ParseBatchEventTest : public ::testing::TestWithParam<EventCase> {};

TEST_P(ParseBatchEventTest, GivesTheCommandOrSaysWhatIsWrong) {
  const EventCase& event = GetParam();
  const auto batch = ParseBatch(R"({"events":[)" + event.event + "]}");
  ASSERT_TRUE(batch.has_value()) << batch.error().detail;
  ASSERT_EQ(batch->size(), 1U);
  const ParsedCommand& parsed = batch->front();
  ASSERT_EQ(parsed.has_value(), event.command.has_value());
  if (parsed) {
    EXPECT_EQ(std::optional(*parsed), event.command);
  } else {
    EXPECT_EQ(parsed.error().code, RefusalCode::kInvalidArgument);
    EXPECT_NE(parsed.error().detail.find(event.detail), std::string::npos) << parsed.error().detail;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ParseBatchEventTest,
    ::testing::Values(
        EventCase{"Follow", R"({"type":"follow","subject":"1","object":"2"})", kFollow12, ""},
        EventCase{"Unfollow", R"({"type":"unfollow","subject":"1","object":"2"})",
                  Make(EventType::kUnfollow, AskedBy::kSubject), ""},
        EventCase{"RemoveFanKeepsTheSubject", R"({"type":"remove_fan","subject":"1","object":"2"})",
                  Make(EventType::kUnfollow, AskedBy::kObject), ""},
        EventCase{"IntegersAsIds", R"({"type":"follow","subject":1,"object":2})", kFollow12, ""},
        EventCase{"OtherOrderAndSpaces", R"( { "object" : "2" , "subject": 1,"type":"follow" } )",
                  kFollow12, ""},
        EventCase{"EscapedText", R"({"type":"\u0066ollow","subject":"\u0031","object":"2"})",
                  kFollow12, ""},
        EventCase{"At", R"({"type":"follow","subject":"1","object":"2","at":1655884250592})",
                  Make(EventType::kFollow, AskedBy::kSubject, 1'655'884'250'592), ""},
        EventCase{"AtZero", R"({"type":"follow","subject":"1","object":"2","at":0})",
                  Make(EventType::kFollow, AskedBy::kSubject, 0), ""},
        EventCase{"AtLargest",
                  R"({"type":"follow","subject":"1","object":"2","at":9223372036854775807})",
                  Make(EventType::kFollow, AskedBy::kSubject, 9'223'372'036'854'775'807), ""},
        EventCase{"AtTooLarge",
                  R"({"type":"follow","subject":"1","object":"2","at":9223372036854775808})",
                  {},
                  "at must"},
        EventCase{
            "AtNegative", R"({"type":"follow","subject":"1","object":"2","at":-1})", {}, "at must"},
        EventCase{
            "AtText", R"({"type":"follow","subject":"1","object":"2","at":"5"})", {}, "at must"},
        EventCase{"AtFraction",
                  R"({"type":"follow","subject":"1","object":"2","at":1.5})",
                  {},
                  "at must"},
        EventCase{
            "AtNull", R"({"type":"follow","subject":"1","object":"2","at":null})", {}, "at must"},
        EventCase{"Replay",
                  R"({"type":"follow","subject":"1","object":"2","if_version":7,)"
                  R"("replay_of":"3:4"})",
                  MakeReplay(7, {Partition(3), Offset(4)}), ""},
        EventCase{"EventId",
                  R"({"type":"follow","subject":"1","object":"2",)"
                  R"("event_id":"0123456789abcdef0000000000000001"})",
                  MakeNamed("0123456789abcdef0000000000000001"), ""},
        EventCase{"EventIdShort",
                  R"({"type":"follow","subject":"1","object":"2","event_id":"0123456789abcdef"})",
                  {},
                  "event_id must"},
        EventCase{"EventIdOfOtherLetters",
                  R"({"type":"follow","subject":"1","object":"2",)"
                  R"("event_id":"0123456789ABCDEF0000000000000001"})",
                  {},
                  "event_id must"},
        EventCase{"EventIdNumber",
                  R"({"type":"follow","subject":"1","object":"2","event_id":1})",
                  {},
                  "event_id must"},
        EventCase{"IfVersionNegative",
                  R"({"type":"follow","subject":"1","object":"2","if_version":-1})",
                  {},
                  "if_version must"},
        EventCase{"IfVersionText",
                  R"({"type":"follow","subject":"1","object":"2","if_version":"7"})",
                  {},
                  "if_version must"},
        EventCase{"ReplayOfNoPosition",
                  R"({"type":"follow","subject":"1","object":"2","replay_of":"3"})",
                  {},
                  "replay_of must"},
        EventCase{"ReplayOfNumber",
                  R"({"type":"follow","subject":"1","object":"2","replay_of":3})",
                  {},
                  "replay_of must"},
        EventCase{"NotAnObject", R"("follow")", {}, "not an object"},
        EventCase{"TypeMissing", R"({"subject":"1","object":"2"})", {}, "type is missing"},
        EventCase{"SubjectMissing", R"({"type":"follow","object":"2"})", {}, "subject is missing"},
        EventCase{"ObjectMissing", R"({"type":"follow","subject":"2"})", {}, "object is missing"},
        EventCase{
            "TypeUnknown", R"({"type":"Follow","subject":"1","object":"2"})", {}, "type must"},
        EventCase{"TypeNumber", R"({"type":1,"subject":"1","object":"2"})", {}, "type must"},
        EventCase{
            "SubjectZero", R"({"type":"follow","subject":0,"object":"2"})", {}, "subject is no id"},
        EventCase{"SubjectLeadingZero",
                  R"({"type":"follow","subject":"01","object":"2"})",
                  {},
                  "subject is no id"},
        EventCase{"ObjectTooLarge",
                  R"({"type":"follow","subject":"1","object":9223372036854775808})",
                  {},
                  "object is no id"},
        EventCase{"ObjectNegative",
                  R"({"type":"follow","subject":"1","object":-2})",
                  {},
                  "object is no id"},
        EventCase{"ObjectFraction",
                  R"({"type":"follow","subject":"1","object":2.0})",
                  {},
                  "object is no id"},
        EventCase{"UnknownField",
                  R"({"type":"follow","subject":"1","object":"2","att":5})",
                  {},
                  "unknown member \"att\""}),
    [](const auto& param_info) { return param_info.param.name; });

struct BodyCase {
  std::string name;
  std::string body;
  std::string detail;
};
void PrintTo(const BodyCase& body, std::ostream* out) { *out << body.name; }

class ParseBatchBodyTest : public ::testing::TestWithParam<BodyCase> {};

TEST_P(ParseBatchBodyTest, IsRefusedAsAWhole) {
  const auto batch = ParseBatch(GetParam().body);
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, RefusalCode::kInvalidArgument);
  EXPECT_NE(batch.error().detail.find(GetParam().detail), std::string::npos)
      << batch.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Table, ParseBatchBodyTest,
    ::testing::Values(BodyCase{"Empty", "", "not JSON"},
                      BodyCase{"BrokenSaysWhere", R"({"events":[}})", "byte 12 of 13"},
                      BodyCase{"TrailingText", R"({"events":[]} x)", "not JSON"},
                      BodyCase{"NotUtf8", "{\"events\":[\"\xff\"]}", "not JSON"},
                      BodyCase{"NumberTooLarge", R"({"events":[{"at":1e999}]})", "a number"},
                      BodyCase{"Deep", std::string(1'000'000, '['), "nested deeper than 4"},
                      BodyCase{"AFieldTwice",
                               R"({"events":[{"type":"follow","type":"unfollow","subject":"1",)"
                               R"("object":"2"}]})",
                               "names \"type\" twice"},
                      BodyCase{"EventsTwice", R"({"events":[1],"events":[2]})",
                               "names \"events\" twice"},
                      BodyCase{"List", "[]", "must be an object"},
                      BodyCase{"NoEvents", "{}", "events is missing"},
                      BodyCase{"EventsNotAList", R"({"events":{}})", "events must be a list"},
                      BodyCase{"NoEvent", R"({"events":[]})", "events is empty"},
                      BodyCase{"FieldBesideEvents", R"({"events":[1],"wait":1})", "beside events"}),
    [](const auto& param_info) { return param_info.param.name; });

std::string BodyOf(std::size_t events) {
  std::string body = R"({"events":[)";
  for (std::size_t i = 0; i < events; ++i) {
    if (i > 0) body += ',';
    body += R"({"type":"follow","subject":"1","object":")" + std::to_string(i + 2) + R"("})";
  }
  return body + "]}";
}

TEST(ParseBatch, KeepsTheOrderUpToTheLimit) {
  const auto batch = ParseBatch(BodyOf(kBatchEventsMax));
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), kBatchEventsMax);
  for (std::size_t i = 0; i < batch->size(); ++i) {
    EXPECT_EQ((*batch)[i].value().object, UserId(i + 2));
  }
}

TEST(ParseBatch, AboveTheLimitIsTooLarge) {
  const auto batch = ParseBatch(BodyOf(kBatchEventsMax + 1));
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, RefusalCode::kBatchTooLarge);
}

TEST(ParseBatch, FarAboveTheLimitIsNotReadToItsEnd) {
  std::string body = R"({"events":[{})";
  for (std::size_t i = 0; i < 20 * kBatchEventsMax; ++i) body += ",{}";
  const auto batch = ParseBatch(body + "not JSON");
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, RefusalCode::kBatchTooLarge);
}

TEST(ParseBatch, AWrongEventDoesNotSpoilTheOthers) {
  const auto batch = ParseBatch(R"({"events":[{"type":"follow","subject":1,"object":2},7,)"
                                R"({"type":"unfollow","subject":1,"object":2}]})");
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 3U);
  EXPECT_TRUE((*batch)[0].has_value());
  EXPECT_FALSE((*batch)[1].has_value());
  EXPECT_TRUE((*batch)[2].has_value());
}

}  // namespace
}  // namespace fanfold::writer
