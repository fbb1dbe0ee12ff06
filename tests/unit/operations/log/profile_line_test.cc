#include "operations/log/profile_line.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::operations {
namespace {

TEST(ProfileLine, IsTheWholeProfile) {
  const auto line = ParseProfileLine(
      R"({"user":"7","name":"Ann","avatar_url":null,"bio":"ü","verified":true,"at":"5"})");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(*line, (ProfileLine{UserId(7), {"Ann", std::nullopt, "ü", true}, 5}));
  EXPECT_EQ(ParseProfileLine(R"({"user":7})"), (ProfileLine{UserId(7), {}, std::nullopt}));
  EXPECT_EQ(ParseProfileLine(R"({"user":7,"at":5})", TimeUnit::kSeconds)->at_ms, 5'000);
}

TEST(ProfileLine, TheLongestFitsInALine) {
  std::string text = R"({"user":"9223372036854775807","at":"9223372036854775807")";
  for (const ProfileText& of : kProfileTexts) {
    text.append(",\"").append(of.name).append("\":\"");
    for (std::size_t i = 0; i < of.bytes_max; ++i) text += "\\u0041";
    text += '"';
  }
  text += '}';
  EXPECT_LT(text.size(), kProfileLineBytesMax);
  EXPECT_TRUE(ParseProfileLine(text));
}

TEST(ProfileLine, OthersAreToldWhy) {
  struct Case {
    const char* line;
    const char* why;
  };
  for (const Case& wrong :
       {Case{"[]", "not a JSON object"}, Case{R"({"name":"Ann"})", "user is missing"},
        Case{R"({"user":"0"})", "user is no id"}, Case{R"({"user":"7","at":-1})", "at is not"},
        Case{R"({"user":"7","nick":"a"})", "unknown member"},
        Case{R"({"user":"7","name":5})", "name must be"},
        Case{R"({"user":"7","user":"8"})", "twice"},
        Case{R"({"user":"7","verified":1})", "verified must be"}}) {
    const auto line = ParseProfileLine(wrong.line);
    ASSERT_FALSE(line) << wrong.line;
    EXPECT_NE(line.error().find(wrong.why), std::string::npos) << line.error();
  }
}

}  // namespace
}  // namespace fanfold::operations
