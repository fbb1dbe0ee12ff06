#include "common/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace fanfold {

std::size_t LettersBetween(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string_view NearestOf(std::string_view word, std::span<const std::string> words) {
  return *std::ranges::min_element(
      words, {}, [word](std::string_view other) { return LettersBetween(word, other); });
}

}  // namespace fanfold
