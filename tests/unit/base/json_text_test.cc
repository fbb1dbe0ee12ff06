#include "common/base/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace fanfold {
namespace {

constexpr JsonBounds kBounds{.depth_max = 3, .values_max = 8};
constexpr std::size_t kMillion = 1'000'000;

struct TextCase {
  std::string name;
  std::string text;
  std::string wrong;  // empty: nothing
  friend void PrintTo(const TextCase& of, std::ostream* out) { *out << of.name; }
};
class CheckJsonTest : public ::testing::TestWithParam<TextCase> {};

TEST_P(CheckJsonTest, TakesItOrSaysWhatIsWrong) {
  const Status status = CheckJson(GetParam().text, kBounds);
  EXPECT_EQ(status ? "" : status.error().message, GetParam().wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckJsonTest,
    ::testing::Values(
        TextCase{"ANulByte", std::string("{}\0x", 4), "has a NUL byte"},
        TextCase{"Number", "1", ""}, TextCase{"Empty", "", ""},
        TextCase{"BrokenIsTheParsersToTell", "[1,]]}\"", ""},
        TextCase{"NoEndOfAString", R"({"a\)", ""},
        TextCase{"WhatStandsInStrings", R"(["[[[[","{,,,,,,,,,","\"[[[["])", ""},
        TextCase{"ValuesOfTheSameText", R"({"a":"b","b":"a","c":["a","a"]})", ""},
        TextCase{"DifferentMembers", R"({"a":1,"b":{"a":2},"c":{"a":3}})", ""},
        TextCase{"AMemberTwice", R"({"a":1,"b":2,"a":3})", R"(names "a" twice in one object)"},
        TextCase{"TwiceWithTheSameValue", R"({"a":1,"a":1})", R"(names "a" twice in one object)"},
        TextCase{"TwiceEscaped", R"({"a":1,"\u0061":3})", R"(names "a" twice in one object)"},
        TextCase{"TwiceInside", R"([{"b":{"a":1,"a":2}}])", R"(names "a" twice in one object)"},
        TextCase{"TwiceBehindAnObject", R"({"a":{"x":1},"a":2})",
                 R"(names "a" twice in one object)"},
        TextCase{"OtherCaseIsAnother", R"({"a":1,"A":3})", ""},
        TextCase{"AtTheDepth", "[[[]]]", ""}, TextCase{"Deeper", "[[[[", "is nested deeper than 3"},
        TextCase{"FarDeeper", std::string(kMillion, '['), "is nested deeper than 3"},
        TextCase{"ObjectsDeeper", R"({"a":{"a":{"a":{)", "is nested deeper than 3"},
        TextCase{"AtTheValues", "[1,2,3,4,5,6,7,8]", ""},
        TextCase{"MoreValues", "[1,2,3,4,5,6,7,8,9]", "has more than 8 values"},
        TextCase{"MoreValuesInside", "[[1,2],[3,4],[5,6]]", "has more than 8 values"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckJson, TooManyValuesHaveTheirOwnCode) {
  EXPECT_EQ(CheckJson("[1,2,3,4,5,6,7,8,9]", kBounds).error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(CheckJson("[[[[", kBounds).error().code, ErrorCode::kInvalidArgument);
}

TEST(JsonQuoted, QuotesEscapesAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(JsonQuoted("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(JsonQuoted("é"), "\"é\"");
  EXPECT_EQ(JsonQuoted("\xff"), "\"\xef\xbf\xbd\"");
  // As the library has it, at every place among others.
  for (int c = 0; c < 256; ++c) {
    for (const std::string_view around : {"", "a", "\xc3", "\xa9", "\xc3\xa9", "\n"}) {
      const std::string text = std::string(around) + static_cast<char>(c) + std::string(around);
      EXPECT_EQ(JsonQuoted(text), OneLine(nlohmann::json(text))) << c;
    }
  }
}

}  // namespace
}  // namespace fanfold
