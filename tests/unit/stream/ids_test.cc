#include "common/stream/ids.h"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

struct IdCase {
  std::string_view name;
  std::string_view text;
  std::optional<std::uint64_t> id;
};

void PrintTo(const IdCase& id_case, std::ostream* out) { *out << '"' << id_case.text << '"'; }

class ParseUserIdTest : public ::testing::TestWithParam<IdCase> {};

TEST_P(ParseUserIdTest, AcceptsItsGrammarOnly) {
  const auto user = ParseUserId(GetParam().text);
  ASSERT_EQ(user.has_value(), GetParam().id.has_value());
  if (user) {
    EXPECT_EQ(user->value, *GetParam().id);
    EXPECT_EQ(ToString(*user), GetParam().text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParseUserIdTest,
    ::testing::Values(
        IdCase{"One", "1", 1}, IdCase{"Ten", "10", 10},
        IdCase{"Largest", "9223372036854775807", kUserIdMax}, IdCase{"Zero", "0", std::nullopt},
        IdCase{"TwoTo63", "9223372036854775808", std::nullopt},
        IdCase{"TwoTo64PlusOne", "18446744073709551617", std::nullopt},
        IdCase{"TwentyDigits", "99999999999999999999", std::nullopt},
        IdCase{"Empty", "", std::nullopt}, IdCase{"Minus", "-1", std::nullopt},
        IdCase{"Plus", "+1", std::nullopt}, IdCase{"LeadingZero", "01", std::nullopt},
        IdCase{"TwoZeros", "00", std::nullopt}, IdCase{"SpaceBefore", " 1", std::nullopt},
        IdCase{"SpaceAfter", "1 ", std::nullopt}, IdCase{"Newline", "1\n", std::nullopt},
        IdCase{"NulAfter", std::string_view("1\0", 2), std::nullopt},
        IdCase{"Fraction", "1.0", std::nullopt}, IdCase{"Exponent", "1e3", std::nullopt},
        IdCase{"Hexadecimal", "0x1", std::nullopt}, IdCase{"Letters", "one", std::nullopt},
        IdCase{"FullWidthDigit", "\xef\xbc\x91", std::nullopt}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ParseNonNegative, TakesZeroAndThatGrammar) {
  EXPECT_EQ(ParseNonNegative("0"), 0);
  EXPECT_EQ(ParseNonNegative("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const std::string_view text : {"", "-0", "-1", "+0", "00", "9223372036854775808", "1 "}) {
    EXPECT_FALSE(ParseNonNegative(text)) << text;
  }
}

TEST(Ids, SequentialIdsHashApart) {
  std::unordered_set<std::size_t> hashes;
  for (std::uint64_t id = 1; id <= 100'000; ++id) hashes.insert(std::hash<UserId>()(UserId(id)));
  EXPECT_EQ(hashes.size(), 100'000U);
}

TEST(Ids, NextOffsetIsOneMore) { EXPECT_EQ(Next(Offset(41)), Offset(42)); }

}  // namespace
}  // namespace fanfold
