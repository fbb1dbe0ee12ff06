#include "tests/unit/layering/text_rules.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::layering {
namespace {

struct PrintCase {
  std::string name;
  std::string path;
  std::string line;
  bool prints;
};

void PrintTo(const PrintCase& c, std::ostream* out) { *out << c.path << ": " << c.line; }

class PrintsTest : public ::testing::TestWithParam<PrintCase> {};

TEST_P(PrintsTest, JudgesOneLine) {
  const PrintCase& c = GetParam();
  EXPECT_EQ(Prints(c.path, "int a;\n" + c.line + "\n").size(), c.prints ? 1U : 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, PrintsTest,
    ::testing::Values(
        PrintCase{"Stream", "operations/a.cc", "  std::cout << 1;", true},
        PrintCase{"Errors", "operations/a.cc", "std::cerr << 1;", true},
        PrintCase{"Format", "operations/a.cc", "fmt::print(\"{}\", 1);", true},
        PrintCase{"StandardFormat", "operations/a.h", "std::println(\"x\");", true},
        PrintCase{"Printf", "reader/a.cc", "std::printf(\"x\");", true},
        PrintCase{"File", "operations/a.cc", "std::fwrite(p, 1, n, stdout);", true},
        PrintCase{"Descriptor", "operations/a.cc", "dup(STDOUT_FILENO)", true},
        PrintCase{"AfterAText", "operations/a.cc", "f(\"// \\\"\"); std::puts(p);", true},
        PrintCase{"AfterADigitsQuote", "operations/a.cc", "f(1'000); std::puts(p);", true},
        PrintCase{"OfAService", "writer/main.cc", "std::cout << 1;", true},
        PrintCase{"OfTheTerminal", "cli/terminal/a.cc", "std::cout << 1;", false},
        PrintCase{"OfABenchmark", "bench/a.cc", "std::cout << 1;", false},
        PrintCase{"LastWords", "common/base/check.cc", "std::fprintf(stderr, s);", false},
        PrintCase{"Comment", "operations/a.cc", "f();  // of stdout", false},
        PrintCase{"Text", "operations/a.cc", "f(\"stdout\");", false},
        PrintCase{"OtherWord", "operations/a.cc", "std::snprintf(b, n, s); fingerprint(b);", false},
        PrintCase{"FileOfItsOwn", "operations/a.cc", "std::fwrite(p, 1, n, file_.get());", false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(TextRules, AFileHas300LinesAtMost) {
  const std::string lines(kLinesMax, '\n');
  EXPECT_EQ(TooLong("reader/a.cc", lines), "");
  EXPECT_EQ(TooLong("reader/a.cc", lines + "\n"), "reader/a.cc has 301 lines, above 300");
  EXPECT_EQ(TooLong("tests/unit/a_test.cc", lines + "\n"), "") << "tables of cases are long";
}

}  // namespace
}  // namespace fanfold::layering
