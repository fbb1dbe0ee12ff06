#include "writer/command_parser.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold::writer {
namespace {

struct EdgeCase {
  std::string name;
  EdgeRequest request;
  std::string owner;
  std::string other;
  std::optional<Command> command;
  std::string detail;  // begins so, where it is refused
};
void PrintTo(const EdgeCase& edge, std::ostream* out) { *out << edge.name; }

Command Make(EventType type, AskedBy by, std::uint64_t subject, std::uint64_t object) {
  return Command{type, by, UserId(subject), UserId(object), std::nullopt};
}

class ParseEdgeCommandTest : public ::testing::TestWithParam<EdgeCase> {};

TEST_P(ParseEdgeCommandTest, GivesTheCommandOrNamesTheSegment) {
  const EdgeCase& edge = GetParam();
  const ParsedCommand parsed = ParseEdgeCommand(edge.request, edge.owner, edge.other);
  ASSERT_EQ(parsed.has_value(), edge.command.has_value());
  if (parsed) {
    EXPECT_EQ(std::optional(*parsed), edge.command);
  } else {
    EXPECT_EQ(parsed.error().code, RefusalCode::kInvalidArgument);
    EXPECT_TRUE(parsed.error().detail.starts_with(edge.detail)) << parsed.error().detail;
  }
}

constexpr auto kFollow = EdgeRequest::kFollow;
constexpr auto kUnfollow = EdgeRequest::kUnfollow;
constexpr auto kRemoveFan = EdgeRequest::kRemoveFan;

INSTANTIATE_TEST_SUITE_P(
    Table, ParseEdgeCommandTest,
    ::testing::Values(
        EdgeCase{"Follow", kFollow, "1", "2", Make(EventType::kFollow, AskedBy::kSubject, 1, 2),
                 ""},
        EdgeCase{"Unfollow", kUnfollow, "1", "2",
                 Make(EventType::kUnfollow, AskedBy::kSubject, 1, 2), ""},
        EdgeCase{"RemoveFanIsAnUnfollowByTheObject", kRemoveFan, "1", "2",
                 Make(EventType::kUnfollow, AskedBy::kObject, 2, 1), ""},
        EdgeCase{"LargestId", kFollow, "9223372036854775807", "1",
                 Make(EventType::kFollow, AskedBy::kSubject, kUserIdMax, 1), ""},
        EdgeCase{"SelfFollowIsThePolicysBusiness", kFollow, "7", "7",
                 Make(EventType::kFollow, AskedBy::kSubject, 7, 7), ""},
        EdgeCase{"AboveTheLargestId", kFollow, "9223372036854775808", "1", {}, "subject is no id"},
        EdgeCase{"Zero", kFollow, "0", "1", {}, "subject is no id"},
        EdgeCase{"LeadingZero", kFollow, "01", "1", {}, "subject is no id"},
        EdgeCase{"Sign", kFollow, "+1", "1", {}, "subject is no id"},
        EdgeCase{"Negative", kUnfollow, "1", "-2", {}, "object is no id"},
        EdgeCase{"Empty", kUnfollow, "1", "", {}, "object is no id"},
        EdgeCase{"Space", kUnfollow, "1", " 2", {}, "object is no id"},
        EdgeCase{"NotDecimal", kRemoveFan, "0x1", "2", {}, "user is no id"},
        EdgeCase{"FanIsNamed", kRemoveFan, "1", "2.0", {}, "fan is no id"}),
    [](const auto& param_info) { return param_info.param.name; });

struct WaitCase {
  std::string name;
  std::optional<std::string> wait;
  std::optional<std::string> timeout_ms;
  bool accepted;
  std::optional<std::int64_t> expected_ms;
};
void PrintTo(const WaitCase& wait, std::ostream* out) { *out << wait.name; }

class ParseWaitTest : public ::testing::TestWithParam<WaitCase> {};

TEST_P(ParseWaitTest, GivesTheTimeOrRefuses) {
  const WaitCase& wait = GetParam();
  const auto parsed = ParseWait(wait.wait, wait.timeout_ms);
  ASSERT_EQ(parsed.has_value(), wait.accepted);
  if (parsed) {
    EXPECT_EQ(*parsed, wait.expected_ms);
  } else {
    EXPECT_EQ(parsed.error().code, RefusalCode::kInvalidArgument);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ParseWaitTest,
    ::testing::Values(WaitCase{"NoWait", {}, {}, true, {}},
                      WaitCase{"DefaultTime", "decided", {}, true, 1000},
                      WaitCase{"ShortestTime", "decided", "1", true, 1},
                      WaitCase{"LongestTime", "decided", "10000", true, 10'000},
                      WaitCase{"TimeZero", "decided", "0", false, {}},
                      WaitCase{"TimeTooLong", "decided", "10001", false, {}},
                      WaitCase{"TimeNegative", "decided", "-1", false, {}},
                      WaitCase{"TimeNotANumber", "decided", "1s", false, {}},
                      WaitCase{"TimeEmpty", "decided", "", false, {}},
                      WaitCase{"TimeWithoutWait", {}, "999", false, {}},
                      WaitCase{"DefaultTimeWithoutWait", {}, "1000", true, {}},
                      WaitCase{"NoTimeWithoutWait", {}, "soon", false, {}},
                      WaitCase{"WaitForSomethingElse", "applied", {}, false, {}},
                      WaitCase{"WaitEmpty", "", {}, false, {}}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::writer
