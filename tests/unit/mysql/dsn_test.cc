#include "common/mysql/dsn.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold {
namespace {

struct DsnCase {
  const char* name;
  std::string text;
  Dsn expected;
};
void PrintTo(const DsnCase& test, std::ostream* out) { *out << test.name; }

class ParseDsnTest : public ::testing::TestWithParam<DsnCase> {};

TEST_P(ParseDsnTest, Accepted) {
  const Result<Dsn> dsn = ParseDsn(GetParam().text);
  ASSERT_TRUE(dsn) << dsn.error().message;
  EXPECT_EQ(*dsn, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Dsn, ParseDsnTest,
    ::testing::Values(
        DsnCase{"Least", "mysql://u@h/s", {"u", "", "h", 3306, "", "s"}},
        DsnCase{"Full", "mysql://u:p@h:13306/s", {"u", "p", "h", 13306, "", "s"}},
        DsnCase{"Socket",
                "mysql://root@localhost/a_b-1?socket=/run/m.sock",
                {"root", "", "localhost", 3306, "/run/m.sock", "a_b-1"}},
        DsnCase{"Encoded", "mysql://u%40x:p%2f%3A@h/s", {"u@x", "p/:", "h", 3306, "", "s"}},
        DsnCase{"AtInPassword", "mysql://u:p@q@h/s", {"u", "p@q", "h", 3306, "", "s"}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ParseDsn, RefusedWithoutTheirPassword) {
  for (const std::string text :
       {"", "postgres://u:secret@h/s", "mysql://h/s", "mysql://u:secret@h", "mysql://:secret@h/s",
        "mysql://u:secret@/s", "mysql://u:secret@h/", "mysql://u:secret@h:0/s",
        "mysql://u:secret@h:65536/s", "mysql://u:secret@h:1x/s", "mysql://u:secret@h:/s",
        "mysql://u:secret@h/s`x", "mysql://u:secret@h/s?tls=1", "mysql://u:secret@h/s?socket=x",
        "mysql://u:secret%4@h/s", "mysql://u:secret%zz@h/s"}) {
    const Result<Dsn> dsn = ParseDsn(text);
    ASSERT_FALSE(dsn) << text;
    EXPECT_EQ(dsn.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(dsn.error().message.find("secret"), std::string::npos) << text;
  }
  EXPECT_TRUE(ParseDsn("mysql://u@h/" + std::string(kSchemaBytesMax, 's')));
  EXPECT_FALSE(ParseDsn("mysql://u@h/" + std::string(kSchemaBytesMax + 1, 's')));
}

}  // namespace
}  // namespace fanfold
