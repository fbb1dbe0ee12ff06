#include "common/profile/profile.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <string_view>

#include "tests/unit/profile/printing.h"

namespace fanfold {
namespace {

std::string Encoded(const Profile& profile) {
  std::string text;
  AppendProfile(text, profile);
  return text;
}

std::string Named(const std::string& name) { return R"({"name":")" + name + "\"}"; }

struct ProfileCase {
  std::string name;
  std::string json;
  Profile profile;
  std::string wrong;  // begins so, where it is refused
};
void PrintTo(const ProfileCase& profile, std::ostream* out) {
  *out << std::string_view(profile.json).substr(0, 100);
}

class ParseProfileTest : public ::testing::TestWithParam<ProfileCase> {};

TEST_P(ParseProfileTest, TakesItOrSaysWhatIsWrong) {
  const auto profile = ParseProfile(GetParam().json);
  if (GetParam().wrong.empty()) {
    ASSERT_TRUE(profile.has_value()) << profile.error().message;
    EXPECT_EQ(*profile, GetParam().profile);
  } else {
    ASSERT_FALSE(profile.has_value());
    EXPECT_EQ(profile.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(profile.error().message.starts_with(GetParam().wrong)) << profile.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ParseProfileTest,
    ::testing::Values(
        ProfileCase{"Whole",
                    R"({"name":"Ann","avatar_url":"u","bio":"b","verified":true})",
                    {"Ann", "u", "b", true},
                    ""},
        ProfileCase{"Nothing", "{}", {}, ""},
        ProfileCase{"Nulls", R"({"name":null,"avatar_url":null,"bio":null})", {}, ""},
        ProfileCase{"EmptyTextIsNotNone", R"({"name":""})", {.name = ""}, ""},
        ProfileCase{"AnyLayout", "\n{ \"bio\" : \"b\" }\t", {.bio = "b"}, ""},
        ProfileCase{"Escapes", R"({"name":"\u00e9\n"})", {.name = "é\n"}, ""},
        ProfileCase{"ANulIsAByte", R"({"name":"a\u0000b"})", {.name = std::string("a\0b", 3)}, ""},
        ProfileCase{
            "LongestName", Named(std::string(256, 'n')), {.name = std::string(256, 'n')}, ""},
        ProfileCase{
            "LongerName", Named(std::string(257, 'n')), {}, "name has 257 bytes, at most 256"},
        ProfileCase{"BytesCount", Named(std::string(255, 'n') + "é"), {}, "name has 257 bytes"},
        ProfileCase{"LongestAvatar",
                    R"({"avatar_url":")" + std::string(2048, 'a') + "\"}",
                    {.avatar_url = std::string(2048, 'a')},
                    ""},
        ProfileCase{"LongerAvatar",
                    R"({"avatar_url":")" + std::string(2049, 'a') + "\"}",
                    {},
                    "avatar_url has 2049 bytes, at most 2048"},
        ProfileCase{"LongestBio",
                    R"({"bio":")" + std::string(4096, 'b') + "\"}",
                    {.bio = std::string(4096, 'b')},
                    ""},
        ProfileCase{"LongerBio",
                    R"({"bio":")" + std::string(4097, 'b') + "\"}",
                    {},
                    "bio has 4097 bytes, at most 4096"},
        ProfileCase{"NameIsNoText", R"({"name":7})", {}, "name must be"},
        ProfileCase{"NameIsAList", R"({"name":["Ann"]})", {}, "name must be"},
        ProfileCase{"VerifiedIsNull", R"({"verified":null})", {}, "verified must be"},
        ProfileCase{"VerifiedIsText", R"({"verified":"true"})", {}, "verified must be"},
        ProfileCase{"UnknownMember", R"({"nick":"A"})", {}, "unknown member \"nick\""},
        ProfileCase{"NamesAreExact", R"({"Name":"A"})", {}, "unknown member"},
        ProfileCase{
            "MemberTwice", R"({"name":"A","name":"B"})", {}, "the profile names \"name\" twice"},
        ProfileCase{"TooDeep", R"({"name":[[1]]})", {}, "the profile is nested deeper"},
        ProfileCase{
            "TooMuch", "{\"name\":[" + std::string(200, ',') + "]}", {}, "the profile has more"},
        ProfileCase{"Empty", "", {}, "the profile is not"},
        ProfileCase{"NotAnObject", "[]", {}, "the profile is not"},
        ProfileCase{"NotJson", "name=Ann", {}, "the profile is not"},
        ProfileCase{"TextBehind", "{}x", {}, "the profile is not"},
        ProfileCase{"NulBehind", std::string("{}\0x", 4), {}, "the profile has a NUL"},
        ProfileCase{"NotUtf8", Named("\xff"), {}, "the profile is not"},
        ProfileCase{"Overlong", Named("\xc0\xaf"), {}, "the profile is not"},
        ProfileCase{"Surrogate", Named("\xed\xa0\x80"), {}, "the profile is not"},
        ProfileCase{"HalfASurrogatePair", Named("\\ud800"), {}, "the profile is not"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Profile, IsWrittenWithAllItsMembers) {
  EXPECT_EQ(Encoded({}), R"({"name":null,"avatar_url":null,"bio":null,"verified":false})");
  EXPECT_EQ(Encoded({"A\"", "", "é", true}),
            R"({"name":"A\"","avatar_url":"","bio":"é","verified":true})");
}

TEST(Profile, IsReadAsItIsWritten) {
  for (const Profile& profile : {Profile{}, Profile{"A\"\\\n\x01", "", "é 😀", true},
                                 Profile{std::string("\0", 1), std::nullopt, "b", false}}) {
    const auto read = ParseProfile(Encoded(profile));
    ASSERT_TRUE(read.has_value()) << profile;
    EXPECT_EQ(*read, profile);
  }
}

}  // namespace
}  // namespace fanfold
