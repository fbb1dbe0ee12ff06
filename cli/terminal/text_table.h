// A table for people. Pure.
#pragma once

#include <string>
#include <vector>

namespace fanfold {

// Columns as wide as their widest cell, two spaces between, no spaces at the end of a line.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  // Requires: as many cells as the header has.
  void Add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const noexcept { return rows_.size() == 1; }
  [[nodiscard]] std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace fanfold
