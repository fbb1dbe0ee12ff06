#include "cli/terminal/text_table.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"

namespace fanfold {

TextTable::TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void TextTable::Add(std::vector<std::string> cells) {
  FANFOLD_CHECK(cells.size() == rows_.front().size(), "cells of a table's row");
  rows_.push_back(std::move(cells));
}

std::string TextTable::Text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace fanfold
