// The lines of schemas/events/golden. Tests run in the repository's root.
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace fanfold
