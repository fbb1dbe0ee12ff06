// The lines of schemas/events/golden. Tests run in the repository's root.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/stream/unreadable_printing.h"

namespace fanfold {

inline std::vector<std::string> GoldenLines(std::string_view name) {
  std::ifstream file("schemas/events/golden/" + std::string(name), std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

// Lines of two columns: what is expected, and the raw text up to the line's end.
inline std::vector<std::pair<std::string, std::string>> GoldenPairs(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& line : GoldenLines(name)) {
    const std::size_t tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << line;
    if (tab != std::string::npos) pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return pairs;
}

// Each line is read, and written as it stands.
template <class Decode, class Encode>
void ExpectGoldenLines(std::string_view name, const Decode& decode, const Encode& encode) {
  for (const std::string& line : GoldenLines(name)) {
    const auto read = decode(line);
    ASSERT_TRUE(read.has_value()) << line << '\n' << read.error();
    EXPECT_EQ(encode(*read), line);
  }
}

// Each record that was a golden of `kind`, of any version, is read, and written anew says the same.
template <class Decode, class Encode>
void ExpectPastGoldens(std::string_view kind, const Decode& decode, const Encode& encode) {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator("schemas/events/golden/past")) {
    const std::string name = file.path().filename();
    if (!name.starts_with(std::string(kind) + ".")) continue;
    ++files;
    for (const std::string& line : GoldenLines("past/" + name)) {
      const auto read = decode(line);
      ASSERT_TRUE(read.has_value()) << line << '\n' << read.error();
      const auto again = decode(encode(*read));
      ASSERT_TRUE(again.has_value()) << line << '\n' << again.error();
      EXPECT_EQ(*again, *read) << line;
    }
  }
  EXPECT_GE(files, 1U) << kind;
}

// What foreign producers write is read as the canonical text beside it.
template <class Decode, class Encode>
void ExpectGoldenAccepted(std::string_view name, const Decode& decode, const Encode& encode) {
  for (const auto& [canonical, raw] : GoldenPairs(name)) {
    const auto read = decode(raw);
    ASSERT_TRUE(read.has_value()) << raw << '\n' << read.error();
    EXPECT_EQ(encode(*read), canonical) << raw;
  }
}

// Each line is refused for the reason beside it, in words.
template <class Decode>
void ExpectGoldenRefused(std::string_view name, const Decode& decode) {
  for (const auto& [reason, raw] : GoldenPairs(name)) {
    const auto read = decode(raw);
    ASSERT_FALSE(read.has_value()) << raw;
    EXPECT_EQ(ToString(read.error().reason), reason) << raw << '\n' << read.error();
    EXPECT_FALSE(read.error().detail.empty()) << raw;
  }
}

}  // namespace fanfold
