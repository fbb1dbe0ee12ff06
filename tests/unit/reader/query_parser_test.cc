#include "reader/query_parser.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace fanfold::reader {
namespace {

using Json = nlohmann::json;

http::Request RequestOf(const std::string& query, const std::string& body = "",
                        const http::Headers* headers = nullptr) {
  http::Request request;
  request.query = query;
  request.body = body;
  request.headers = headers;
  return request;
}

http::Headers HeadersWith(std::string_view min_position) {
  http::Headers headers;
  EXPECT_TRUE(headers.Add("fanfold-min-position", min_position));
  return headers;
}

using Parse = ParsedRead (*)(const http::Routed&);

ParsedRead Following(const http::Routed& routed) { return ParseList(ListKind::kFollowing, routed); }
ParsedRead Fans(const http::Routed& routed) { return ParseList(ListKind::kFans, routed); }
ParsedRead Common(const http::Routed& routed) { return ParseCommon(routed); }
ParsedRead Known(const http::Routed& routed) { return ParseKnown(routed); }
ParsedRead Suggested(const http::Routed& routed) { return ParseSuggestions(routed); }
ParsedRead Friends(const http::Routed& routed) { return ParseList(ListKind::kFriends, routed); }

ParsedRead ParsedBy(Parse parse, const http::Request& request, const std::string& user = "10") {
  auto query = http::Query::Parse(request.query);
  if (!query) return std::unexpected(query.error());
  return parse(http::Routed{request, {user}, *query});
}

std::string CodeOf(const http::Response& response) {
  return Json::parse(response.body).at("code").get<std::string>();
}

struct Case {
  const char* name;
  Parse parse;
  std::string query;
  std::string code;  // empty: accepted
  std::string body = "";
  std::string user = "10";
};
void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

class QueryParserTest : public ::testing::TestWithParam<Case> {};

TEST_P(QueryParserTest, AcceptsOrRefuses) {
  const Case& test = GetParam();
  const ParsedRead parsed = ParsedBy(test.parse, RequestOf(test.query, test.body), test.user);
  if (test.code.empty()) {
    EXPECT_TRUE(parsed.has_value()) << parsed.error().body;
    return;
  }
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().status, 400);
  EXPECT_EQ(CodeOf(parsed.error()), test.code);
}

std::string Ids(int n) {
  std::string ids;
  for (int i = 1; i <= n; ++i) ids += (i == 1 ? "" : ",") + std::to_string(i);
  return ids;
}
std::string ToBody(int n) { return "{\"to\":[" + Ids(n) + "]}"; }

const std::string kCursor = EncodeCursor(Cursor{UserId(7), 5});
constexpr auto kArgument = "invalid_argument";
constexpr auto kUnknown = "unknown_parameter";

INSTANTIATE_TEST_SUITE_P(
    Lists, QueryParserTest,
    ::testing::Values(
        Case{"Plain", Following, "", ""}, Case{"LimitLowest", Following, "limit=1", ""},
        Case{"LimitHighest", Following, "limit=200", ""},
        Case{"LimitZero", Following, "limit=0", kArgument},
        Case{"LimitTooHigh", Following, "limit=201", kArgument},
        Case{"LimitSigned", Following, "limit=%2B5", kArgument},
        Case{"LimitText", Following, "limit=many", kArgument},
        Case{"LimitEmpty", Following, "limit=", kArgument},
        Case{"LimitTwice", Following, "limit=1&limit=2", kArgument},
        Case{"Cursor", Fans, "cursor=" + kCursor, ""},
        Case{"CursorGarbage", Fans, "cursor=abc", "invalid_cursor"},
        Case{"CursorEmpty", Friends, "cursor=", "invalid_cursor"},
        Case{"Offset", Friends, "offset=100000", ""},
        Case{"OffsetTooHigh", Friends, "offset=100001", kArgument},
        Case{"OffsetNegative", Following, "offset=-1", kArgument},
        Case{"OffsetWithCursor", Following, "offset=1&cursor=" + kCursor, kArgument},
        Case{"NoOffsetWithCursor", Following, "offset=0&cursor=" + kCursor, ""},
        Case{"EveryDefault", Following, "limit=20&offset=0&timeout_ms=1000&cursor=" + kCursor, ""},
        Case{"ViewerTwice", Following, "viewer=1&viewer=1", kArgument},
        Case{"CursorTwice", Fans, "cursor=" + kCursor + "&cursor=" + kCursor, "invalid_cursor"},
        Case{"OffsetOnFans", Fans, "offset=1", kUnknown},
        Case{"Viewer", Fans, "viewer=9223372036854775807", ""},
        Case{"ViewerTooLarge", Fans, "viewer=9223372036854775808", kArgument},
        Case{"ViewerZero", Fans, "viewer=0", kArgument},
        Case{"ViewerLeadingZero", Fans, "viewer=01", kArgument},
        Case{"UnknownParameter", Following, "foo=1", kUnknown},
        Case{"UnknownBesideBad", Following, "limit=0&foo=1", kUnknown},
        Case{"PathNotANumber", Following, "", kArgument, "", "abc"},
        Case{"PathZero", Fans, "", kArgument, "", "0"},
        Case{"PathTooLarge", Fans, "", kArgument, "", "9223372036854775808"}));

INSTANTIATE_TEST_SUITE_P(
    Meetings, QueryParserTest,
    ::testing::Values(Case{"Common", Common, "with=3&limit=5&cursor=" + kCursor, ""},
                      Case{"CommonWithoutWith", Common, "", kArgument},
                      Case{"CommonBadWith", Common, "with=-3", kArgument},
                      Case{"CommonOffset", Common, "with=3&offset=1", kUnknown},
                      Case{"CommonViewer", Common, "with=3&viewer=1", kUnknown},
                      Case{"Known", Known, "viewer=3", ""},
                      Case{"KnownWithoutViewer", Known, "limit=3", kArgument},
                      Case{"KnownBadCursor", Known, "viewer=3&cursor=x", "invalid_cursor"}));

INSTANTIATE_TEST_SUITE_P(
    CountsAndRelations, QueryParserTest,
    ::testing::Values(
        Case{"Counts", ParseCounts, "", ""}, Case{"CountsLimit", ParseCounts, "limit=1", kUnknown},
        Case{"Many", ParseCountsOfMany, "ids=" + Ids(100), ""},
        Case{"ManyTooMany", ParseCountsOfMany, "ids=" + Ids(101), kArgument},
        Case{"ManyNone", ParseCountsOfMany, "", kArgument},
        Case{"ManyEmpty", ParseCountsOfMany, "ids=", kArgument},
        Case{"ManyTrailingComma", ParseCountsOfMany, "ids=1,", kArgument},
        Case{"ManyRepeats", ParseCountsOfMany, "ids=1,1", ""},
        Case{"To", ParseRelations, "to=" + Ids(100), ""},
        Case{"ToRepeated", ParseRelations, "to=1&to=2,3", ""},
        Case{"ToRepeatedTooOften", ParseRelations, "to=" + Ids(99) + "&to=1&to=1", kArgument},
        Case{"ToRepeatedEmpty", ParseRelations, "to=1&to=", kArgument},
        Case{"ManyRepeated", ParseCountsOfMany, "ids=1&ids=2", ""},
        Case{"ToTooMany", ParseRelations, "to=" + Ids(101), kArgument},
        Case{"ToMissing", ParseRelations, "", kArgument},
        Case{"ToBad", ParseRelations, "to=1,x", kArgument},
        Case{"Body", ParseRelationsBody, "", "", R"({"to":["1",2]})"},
        Case{"BodyMost", ParseRelationsBody, "", "", ToBody(1000)},
        Case{"BodyTooMany", ParseRelationsBody, "", kArgument, ToBody(1001)},
        Case{"BodyNone", ParseRelationsBody, "", kArgument, R"({"to":[]})"},
        Case{"BodyEmpty", ParseRelationsBody, "", kArgument, ""},
        Case{"BodyNotJson", ParseRelationsBody, "", kArgument, "{"},
        Case{"BodyDeep", ParseRelationsBody, "", kArgument, std::string(1'000'000, '[')},
        Case{"BodyToTwice", ParseRelationsBody, "", kArgument, R"({"to":[1],"to":[2]})"},
        Case{"BodyNotAnObject", ParseRelationsBody, "", kArgument, "[1]"},
        Case{"BodyToNotAList", ParseRelationsBody, "", kArgument, R"({"to":"1"})"},
        Case{"BodyZero", ParseRelationsBody, "", kArgument, R"({"to":[0]})"},
        Case{"BodyNegative", ParseRelationsBody, "", kArgument, R"({"to":[-1]})"},
        Case{"BodyFraction", ParseRelationsBody, "", kArgument, R"({"to":[1.0]})"},
        Case{"BodyLargest", ParseRelationsBody, "", "", R"({"to":[9223372036854775807]})"},
        Case{"BodyTooLarge", ParseRelationsBody, "", kArgument, R"({"to":[9223372036854775808]})"},
        Case{"BodyNull", ParseRelationsBody, "", kArgument, R"({"to":[null]})"},
        Case{"BodyToInQuery", ParseRelationsBody, "to=1", kUnknown, R"({"to":[1]})"}));

INSTANTIATE_TEST_SUITE_P(
    SuggestionsAndExport, QueryParserTest,
    ::testing::Values(Case{"Suggestions", Suggested, "limit=200", ""},
                      Case{"SuggestionsPosition", Suggested, "min_position=0:1&timeout_ms=5", ""},
                      Case{"SuggestionsLimitZero", Suggested, "limit=0", kArgument},
                      Case{"SuggestionsTooMany", Suggested, "limit=201", kArgument},
                      Case{"SuggestionsCursor", Suggested, "cursor=" + kCursor, kUnknown},
                      Case{"SuggestionsViewer", Suggested, "viewer=1", kUnknown},
                      Case{"Export", ParseFansExport, "min_position=0:1&timeout_ms=5", ""},
                      Case{"ExportLimit", ParseFansExport, "limit=1", kUnknown},
                      Case{"ExportOfNobody", ParseFansExport, "", kArgument, "", "0"},
                      Case{"SuggestionsOfNobody", Suggested, "", kArgument, "", "0"}));

INSTANTIATE_TEST_SUITE_P(
    Positions, QueryParserTest,
    ::testing::Values(
        Case{"Position", ParseProjections, "min_position=3:1042,4:0", ""},
        Case{"PositionRepeated", ParseCounts, "min_position=3:1&min_position=4:1", ""},
        Case{"TimeoutTwice", ParseCounts, "timeout_ms=5&timeout_ms=5", kArgument},
        Case{"Timeout", ParseCounts, "min_position=3:1&timeout_ms=5000", ""},
        Case{"TimeoutZero", ParseCounts, "min_position=3:1&timeout_ms=0", ""},
        Case{"TimeoutTooLong", ParseCounts, "timeout_ms=5001", kArgument},
        Case{"PositionEmpty", ParseCounts, "min_position=", kArgument},
        Case{"PositionText", ParseCounts, "min_position=3", kArgument},
        Case{"PositionTwiceAPartition", ParseCounts, "min_position=3:1,3:2", kArgument}));

TEST(QueryParser, TakesEveryPartOfAList) {
  const ParsedRead parsed =
      ParsedBy(Following, RequestOf("limit=7&viewer=4&offset=3&min_position=1:2&timeout_ms=9"));
  ASSERT_TRUE(parsed.has_value());
  const auto& list = std::get<ListQuery>(parsed->query);
  EXPECT_EQ(list.list, ListKind::kFollowing);
  EXPECT_EQ(list.user, UserId(10));
  EXPECT_EQ(list.limit, 7U);
  EXPECT_EQ(list.viewer, UserId(4));
  EXPECT_EQ(list.start.offset, 3);
  EXPECT_EQ(parsed->timeout_ms, 9);
  EXPECT_EQ(parsed->min_position,
            std::vector<StreamPosition>({{streams::kRelations, {Partition(1), Offset(2)}}}));
}

TEST(QueryParser, TakesTheHeadersPositionsBesideTheQuerys) {
  const http::Headers headers = HeadersWith("2:8");
  const std::string query = "min_position=1:2";
  const ParsedRead both = ParsedBy(ParseCounts, RequestOf(query, "", &headers));
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->min_position.size(), 2U);
  EXPECT_EQ(both->timeout_ms, kPositionTimeoutDefaultMs);
  for (const char* bad : {"2", "", "2:8,2:9"}) {
    const http::Headers refused = HeadersWith(bad);
    EXPECT_FALSE(ParsedBy(ParseCounts, RequestOf("", "", &refused)).has_value()) << bad;
  }
}

TEST(QueryParser, WhatIsNoPositionIsToldHowOneIsWritten) {
  const ParsedRead refused = ParsedBy(ParseCounts, RequestOf("min_position=3"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().body.contains(
      "min_position is PARTITION:OFFSET, or STREAM/PARTITION:OFFSET for another stream than "
      "relation-events; several are joined with commas"))
      << refused.error().body;
}

TEST(QueryParser, ARepeatedListIsTheJoinedOne) {
  const ParsedRead parsed = ParsedBy(ParseRelations, RequestOf("to=3&timeout_ms=5&to=1,3"));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(std::get<RelationsQuery>(parsed->query).targets,
            std::vector<UserId>({UserId(3), UserId(1), UserId(3)}));
}

TEST(QueryParser, KeepsOrderAndRepeats) {
  const std::string body = R"({"to":["3",1,"3"]})";
  const ParsedRead parsed = ParsedBy(ParseRelationsBody, RequestOf("", body));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(std::get<RelationsQuery>(parsed->query).targets,
            std::vector<UserId>({UserId(3), UserId(1), UserId(3)}));
}

}  // namespace
}  // namespace fanfold::reader
