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
        DsnCase{"Least", "mysql://u@localhost/s", {"u", "", "localhost", 3306, "", "s"}},
        DsnCase{"Full", "mysql://u:p@127.0.0.1:13306/s", {"u", "p", "127.0.0.1", 13306, "", "s"}},
        DsnCase{"Tls",
                "mysql://u@h/s?ssl_ca=/ca&password_file=/p&ssl_cert=/c&ssl_key=/k",
                {"u", "", "h", 3306, "", "s", "/p", "/ca", "/c", "/k"}},
        DsnCase{"Socket",
                "mysql://root@localhost/a_b-1?socket=/run/m.sock",
                {"root", "", "localhost", 3306, "/run/m.sock", "a_b-1"}},
        DsnCase{"Encoded",
                "mysql://u%40x:p%2f%3A@localhost/s",
                {"u@x", "p/:", "localhost", 3306, "", "s"}},
        DsnCase{
            "AtInPassword", "mysql://u:p@q@localhost/s", {"u", "p@q", "localhost", 3306, "", "s"}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ParseDsn, RefusedWithoutTheirPassword) {
  for (const std::string text : {"",
                                 "postgres://u:secret@localhost/s",
                                 "mysql://h/s",
                                 "mysql://u:secret@localhost",
                                 "mysql://:secret@localhost/s",
                                 "mysql://u:secret@/s",
                                 "mysql://u:secret@localhost/",
                                 "mysql://u:secret@localhost:0/s",
                                 "mysql://u:secret@localhost:65536/s",
                                 "mysql://u:secret@localhost:1x/s",
                                 "mysql://u:secret@localhost:/s",
                                 "mysql://u:secret@localhost/s`x",
                                 "mysql://u:secret@localhost/s?tls=1",
                                 "mysql://u:secret@localhost/s?socket=x",
                                 "mysql://u:secret%4@localhost/s",
                                 "mysql://u:secret%zz@localhost/s",
                                 "mysql://u:secret@localhost/s?password_file=/p",
                                 "mysql://u:secret@h/s",
                                 "mysql://u:secret@h/s?ssl_ca=ca",
                                 "mysql://u:secret@h/s?ssl_ca=/a&ssl_ca=/b",
                                 "mysql://u:secret@h/s?ssl_ca=/a&ssl_cert=/c",
                                 "mysql://u:secret@h/s?ssl_ca=/a&ssl_key=/k",
                                 "mysql://u:secret@localhost/s?ssl_cert=/c&ssl_key=/k",
                                 "mysql://u:secret@h/s?ssl_ca=/a&",
                                 "mysql://u:secret@h/s?ssl_ca=/a&ssl_verify=/no"}) {
    const Result<Dsn> dsn = ParseDsn(text);
    ASSERT_FALSE(dsn) << text;
    EXPECT_EQ(dsn.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(dsn.error().message.find("secret"), std::string::npos) << text;
  }
  EXPECT_TRUE(ParseDsn("mysql://u@localhost/" + std::string(kSchemaBytesMax, 's')));
  EXPECT_FALSE(ParseDsn("mysql://u@localhost/" + std::string(kSchemaBytesMax + 1, 's')));
}

}  // namespace
}  // namespace fanfold
