#include "operations/log/import_line.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold::operations {
namespace {

constexpr auto kTsv = ImportFormat::kTsv;
constexpr auto kJsonl = ImportFormat::kJsonl;

ImportLine Follow(std::uint64_t subject, std::uint64_t object,
                  std::optional<std::int64_t> at_ms = std::nullopt) {
  return {EventType::kFollow, UserId(subject), UserId(object), AskedBy::kSubject, at_ms};
}

ParsedLine Parse(ImportFormat format, const char* line) {
  return format == kTsv ? ParseTsvLine(line) : ParseJsonLine(line);
}

struct AcceptedCase {
  const char* name;
  ImportFormat format;
  const char* line;
  ImportLine expected;
  friend void PrintTo(const AcceptedCase& test, std::ostream* out) { *out << test.line; }
};

class ImportLineAccepts : public ::testing::TestWithParam<AcceptedCase> {};

TEST_P(ImportLineAccepts, AsWritten) {
  const auto parsed = Parse(GetParam().format, GetParam().line);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(*parsed, GetParam().expected);
}

const AcceptedCase kAccepted[] = {
    {"Tab", kTsv, "1\t2", Follow(1, 2)},
    {"Since", kTsv, "1\t2\t1655884250592", Follow(1, 2, 1655884250592)},
    {"SinceZero", kTsv, "1\t2\t0", Follow(1, 2, 0)},
    {"Spaces", kTsv, "  1   2 \t 3  ", Follow(1, 2, 3)},
    {"LargestIds", kTsv, "9223372036854775807\t1\t9223372036854775807",
     Follow(9223372036854775807, 1, 9223372036854775807)},
    {"CarriageReturn", kTsv, "1\t2\r", Follow(1, 2)},
    {"QuotedIds", kTsv, "\"1\"\t\"2\" \"5\"", Follow(1, 2, 5)},
    {"JsonAtText", kJsonl, R"({"type":"follow","subject":"1","object":"2","at":"5"})",
     Follow(1, 2, 5)},
    {"Json", kJsonl, R"({"type":"follow","subject":"1","object":"2","at":5})", Follow(1, 2, 5)},
    {"JsonIntegerIds", kJsonl, R"({"type":"follow","subject":1,"object":2})", Follow(1, 2)},
    {"JsonUnfollow",
     kJsonl,
     R"({"type":"unfollow","subject":"1","object":"2"})",
     {EventType::kUnfollow, UserId(1), UserId(2), AskedBy::kSubject, std::nullopt}},
    {"JsonRemoveFan",
     kJsonl,
     R"({"type":"remove_fan","subject":"1","object":"2"})",
     {EventType::kUnfollow, UserId(1), UserId(2), AskedBy::kObject, std::nullopt}},
};
INSTANTIATE_TEST_SUITE_P(Lines, ImportLineAccepts, ::testing::ValuesIn(kAccepted),
                         [](const auto& param_info) { return param_info.param.name; });

struct RefusedCase {
  const char* name;
  ImportFormat format;
  const char* line;
  const char* why;
  friend void PrintTo(const RefusedCase& test, std::ostream* out) { *out << test.line; }
};

class ImportLineRefuses : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(ImportLineRefuses, SayingWhy) {
  const auto parsed = Parse(GetParam().format, GetParam().line);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().find(GetParam().why), std::string::npos) << parsed.error();
}

const RefusedCase kRefused[] = {
    {"SelfFollow", kTsv, "7\t7", "same user"},
    {"OneField", kTsv, "1", "fewer than two"},
    {"FourFields", kTsv, "1 2 3 4", "more than three"},
    {"ZeroId", kTsv, "0\t2", "subject"},
    {"IdAboveLargest", kTsv, "1\t9223372036854775808", "object"},
    {"LeadingZero", kTsv, "01\t2", "subject"},
    {"Sign", kTsv, "+1\t2", "subject"},
    {"Word", kTsv, "alice\tbob", "subject"},
    {"NegativeSince", kTsv, "1\t2\t-1", "since is not"},
    {"FractionalSince", kTsv, "1\t2\t1.5", "since is not"},
    {"SinceAboveLargest", kTsv, "1\t2\t9223372036854775808", "since is not"},
    {"JsonCut", kJsonl, R"({"subject":"1")", "not a JSON object"},
    {"JsonList", kJsonl, "[1,2]", "not a JSON object"},
    {"JsonNoType", kJsonl, R"({"subject":"1","object":"2"})", "type is missing"},
    {"JsonNoObject", kJsonl, R"({"type":"follow","subject":"1"})", "object is missing"},
    {"JsonMistypedName", kJsonl, R"({"typ":"unfollow","subject":"1","object":"2"})",
     "unknown member typ"},
    {"JsonUnknownMember", kJsonl, R"({"type":"follow","subject":"1","object":"2","x":[]})",
     "unknown member x"},
    {"JsonOfPosts", kJsonl, R"({"author":"1","post_id":"7","content":"Hello"})",
     "unknown member author; a file of posts? --posts"},
    {"JsonMemberTwice", kJsonl, R"({"type":"follow","type":"unfollow","subject":"1","object":"2"})",
     "names \"type\" twice"},
    {"JsonUnknownType", kJsonl, R"({"type":"block","subject":"1","object":"2"})", "type"},
    {"JsonTypeNotText", kJsonl, R"({"type":1,"subject":"1","object":"2"})", "type"},
    {"JsonIdZero", kJsonl, R"({"type":"follow","subject":0,"object":"2"})", "subject"},
    {"JsonIdNegative", kJsonl, R"({"type":"follow","subject":-1,"object":"2"})", "subject"},
    {"JsonIdFraction", kJsonl, R"({"type":"follow","subject":1.0,"object":"2"})", "subject"},
    {"JsonAtWord", kJsonl, R"({"type":"follow","subject":"1","object":"2","at":"now"})", "at"},
    {"HalfAQuote", kTsv, "\"1\t2", "subject"},
    {"QuotedSinceOfNothing", kTsv, "1\t2\t\"\"", "since is not"},
    {"JsonAtNegative", kJsonl, R"({"type":"follow","subject":"1","object":"2","at":-5})", "at"},
    {"JsonAtNull", kJsonl, R"({"type":"follow","subject":"1","object":"2","at":null})", "at"},
    {"JsonSelf", kJsonl, R"({"type":"follow","subject":"1","object":1})", "same user"},
};
INSTANTIATE_TEST_SUITE_P(Lines, ImportLineRefuses, ::testing::ValuesIn(kRefused),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(ImportLine, TimesAreOfTheUnitThatIsSaid) {
  EXPECT_EQ(ParseTsvLine("1 2 5", TimeUnit::kSeconds), Follow(1, 2, 5'000));
  EXPECT_EQ(ParseTsvLine("1\t2\t1970-01-02 00:00:01", TimeUnit::kIso8601),
            Follow(1, 2, 86'401'000));
  const char* json = R"({"type":"follow","subject":"1","object":"2","at":{}})";
  const auto with = [&](const std::string& at) {
    return std::string(json).replace(std::string(json).find("{}"), 2, at);
  };
  EXPECT_EQ(ParseJsonLine(with("5"), TimeUnit::kSeconds), Follow(1, 2, 5'000));
  EXPECT_EQ(ParseJsonLine(with("5.25"), TimeUnit::kSeconds), Follow(1, 2, 5'250));
  EXPECT_EQ(ParseJsonLine(with(R"("1970-01-01T00:00:02Z")"), TimeUnit::kIso8601),
            Follow(1, 2, 2'000));
  const ParsedLine wrong = ParseJsonLine(with("5"), TimeUnit::kIso8601);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().find("such as 2022-06-22T07:50:50Z"), std::string::npos);
}

TEST(ImportLine, FieldsOfCsvStandWhereTheirPlacesSay) {
  const CsvPlaces places{2, 0, 1, true};
  EXPECT_EQ(ParseCsvFields({"2", "5", "1"}, places, TimeUnit::kMs), Follow(1, 2, 5));
  EXPECT_EQ(ParseCsvFields({"2", "", "1", "more"}, places, TimeUnit::kMs), Follow(1, 2));
  EXPECT_FALSE(ParseCsvFields({"2", "5"}, places, TimeUnit::kMs));
  EXPECT_FALSE(ParseCsvFields({"1", "5", "1"}, places, TimeUnit::kMs)) << "oneself";
  EXPECT_FALSE(ParseCsvFields({"2", "NULL", "1"}, places, TimeUnit::kMs));
}

TEST(ImportLine, CommasAndSemicolonsAreOfCsv) {
  EXPECT_EQ(FormatOf("1,2"), ImportFormat::kCsv);
  EXPECT_EQ(FormatOf("subject;object"), ImportFormat::kCsv);
  EXPECT_EQ(FormatOf("1\t2"), ImportFormat::kTsv);
  EXPECT_EQ(FormatOf(R"( {"type":"follow","subject":"1"})"), ImportFormat::kJsonl);
}

TEST(ImportLine, BlankAndCommentLinesAreSkipped) {
  for (const char* line : {"", " ", "\t \r", "# a", "  # a"}) EXPECT_TRUE(IsSkippedLine(line));
  for (const char* line : {"1 2", "{}", "1 #"}) EXPECT_FALSE(IsSkippedLine(line));
}

TEST(ImportLine, FormatIsTakenFromTheLine) {
  EXPECT_EQ(FormatOf(" {\"type\":1}"), kJsonl);
  EXPECT_EQ(FormatOf("1\t2"), kTsv);
}

}  // namespace
}  // namespace fanfold::operations
