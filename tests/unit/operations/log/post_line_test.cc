#include "operations/log/post_line.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold::operations {
namespace {

TEST(PostLine, APostIsReadAsItIsSaid) {
  const auto line = ParsePostLine(
      R"({"author":"7","post_id":9,"content":"Hé","post_type":3,"at":9223372036854775807})");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->event, (PostEvent{"", PostEventType::kPost, UserId(7), PostId(9), 0, 3, "Hé"}));
  EXPECT_EQ(line->at_ms, 9223372036854775807);
}

TEST(PostLine, WhatMayBeAbsentIs) {
  const auto line = ParsePostLine(R"({"author":7,"post_id":"9"})");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->event, (PostEvent{"", PostEventType::kPost, UserId(7), PostId(9), 0, 0, ""}));
  EXPECT_EQ(line->at_ms, std::nullopt);
  EXPECT_EQ(ParsePostLine(R"({"author":7,"post_id":"9","delete":false})")->event.type,
            PostEventType::kPost);
}

TEST(PostLine, AnEndIsRead) {
  const auto line = ParsePostLine(R"({"author":"7","post_id":"9","delete":true,"at":5})");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->event, (PostEvent{"", PostEventType::kDeletePost, UserId(7), PostId(9)}));
  EXPECT_EQ(line->at_ms, 5);
}

TEST(PostLine, TheLongestContentFits) {
  std::string content;
  for (int i = 0; i < 4'096; ++i) content += R"(\u0001)";
  const std::string text = R"({"author":"7","post_id":"9","content":")" + content + "\"}";
  EXPECT_LE(text.size(), kPostLineBytesMax);
  ASSERT_TRUE(ParsePostLine(text));
}

struct BadCase {
  std::string name;
  std::string line;
  std::string why;
};
void PrintTo(const BadCase& bad, std::ostream* out) { *out << bad.name; }

class BadPostLineTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadPostLineTest, IsToldWhy) {
  const auto line = ParsePostLine(GetParam().line);
  ASSERT_FALSE(line);
  EXPECT_NE(line.error().find(GetParam().why), std::string::npos) << line.error();
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadPostLineTest,
    ::testing::Values(
        BadCase{"NoJson", "7 9 Hello", "not a JSON object"},
        BadCase{"NoObject", "[]", "not a JSON object"},
        BadCase{"NoAuthor", R"({"post_id":"9"})", "author is missing"},
        BadCase{"NoPostId", R"({"author":"7"})", "post_id is missing"},
        BadCase{"AuthorIsZero", R"({"author":"0","post_id":"9"})",
                "author is no id: an id is a decimal number from 1 to 2^63−1"},
        BadCase{"PostIdIsTooLarge", R"({"author":"7","post_id":9223372036854775808})",
                "post_id is no id"},
        BadCase{"UnknownMember", R"({"author":"7","post_id":"9","type":3})", "unknown member"},
        BadCase{"TwiceNamed", R"({"author":"7","post_id":"9","post_id":"8"})", "the line"},
        BadCase{"ContentIsNoText", R"({"author":"7","post_id":"9","content":5})",
                "content is not a string"},
        BadCase{"ContentIsTooLong",
                R"({"author":"7","post_id":"9","content":")" + std::string(4'097, 'c') + "\"}",
                "4097 bytes"},
        BadCase{"TypeIsTooLarge", R"({"author":"7","post_id":"9","post_type":2147483648})",
                "post_type is not"},
        BadCase{"AtIsNegative", R"({"author":"7","post_id":"9","at":-1})", "at is not"},
        BadCase{"DeleteIsNoFlag", R"({"author":"7","post_id":"9","delete":1})", "delete is not"},
        BadCase{"AnEndWithContent", R"({"author":"7","post_id":"9","delete":true,"content":"c"})",
                "neither content"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::operations
