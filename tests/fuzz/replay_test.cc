// Every kept input of every target, in one program. Where a property does not hold it stops, and
// the input's file and line are its last word.
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

const std::filesystem::path kCorpora = "tests/fuzz/corpus";

// The bytes that Python's unicode_escape writes as this line; nothing where it writes no such line.
std::optional<std::string> Unescaped(std::string_view line) {
  constexpr std::string_view kLetters = "\\tnr";
  constexpr std::string_view kBytes = "\\\t\n\r";
  std::string bytes;
  while (!line.empty()) {
    unsigned char byte = TakeByte(line);
    if (byte < ' ' || byte > '~') return std::nullopt;
    if (byte == '\\') {
      const unsigned char letter = TakeByte(line);
      const std::string_view digits = line.substr(0, 2);
      if (const auto at = kLetters.find(static_cast<char>(letter)); at != std::string_view::npos) {
        byte = static_cast<unsigned char>(kBytes[at]);
      } else if (letter == 'x' && digits.size() == 2 &&
                 std::from_chars(digits.begin(), digits.end(), byte, 16).ptr == digits.end()) {
        line.remove_prefix(2);
      } else {
        return std::nullopt;
      }
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

TEST(Unescaped, IsWhatPythonEscaped) {
  using namespace std::string_literals;
  EXPECT_EQ(Unescaped(""), "");
  EXPECT_EQ(Unescaped(R"(a '"b"' ~)"), R"(a '"b"' ~)");
  EXPECT_EQ(Unescaped(R"(\t\n\r\\)"), "\t\n\r\\");
  EXPECT_EQ(Unescaped(R"(\x00a\x1f\x7f\xe9\xff)"), "\0a\x1f\x7f\xe9\xff"s);
  EXPECT_EQ(Unescaped(R"(\\x41\\u0041\\\\n)"), R"(\x41\u0041\\n)");
}

TEST(Unescaped, RefusesWhatPythonNeverWrites) {
  for (const char* line : {R"(\)", R"(\\\)", R"(\x)", R"(\x4)", R"(\x4g)", R"(\x-1)", R"(\')",
                           R"(\q)", R"(\u0041)", "\t", "\x7f", "\xe9"}) {
    EXPECT_EQ(Unescaped(line), std::nullopt) << line;
  }
}

std::string reached;

void TellReached(int) { std::fprintf(stderr, "aborted at %s\n", reached.c_str()); }

// What it throws stops the process, too.
void Call(Fuzz fuzz, std::string_view input) noexcept { fuzz(input); }

class FuzzReplay : public testing::TestWithParam<std::string> {};

TEST_P(FuzzReplay, Holds) {
  std::signal(SIGABRT, TellReached);
  const std::filesystem::path file = kCorpora / (GetParam() + ".txt");
  std::ifstream corpus(file);
  int number = 0;
  for (std::string line; std::getline(corpus, line);) {
    reached = file.string() + ":" + std::to_string(++number);
    const std::optional<std::string> input = Unescaped(line);
    ASSERT_TRUE(input) << reached << " is not as Python's unicode_escape writes it";
    Call(FuzzTargets().at(GetParam()), *input);
  }
  EXPECT_GT(number, 0) << file << " is not there, or empty";
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, fuzz] : FuzzTargets()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Corpus, FuzzReplay, testing::ValuesIn(Names()),
                         [](const auto& param_info) { return param_info.param; });

TEST(FuzzCorpora, AreOfTargets) {
  for (const auto& entry : std::filesystem::directory_iterator(kCorpora)) {
    EXPECT_TRUE(FuzzTargets().contains(entry.path().stem())) << entry.path();
  }
}

}  // namespace
}  // namespace fanfold
