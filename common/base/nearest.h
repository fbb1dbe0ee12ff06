// Finds the known words that an unknown one may mean.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fanfold {

// How many letters have to be put in, taken out or changed to make one of the other (Levenshtein).
[[nodiscard]] std::size_t LettersBetween(std::string_view one, std::string_view other);

// The first of the nearest. Requires: there is a word.
[[nodiscard]] std::string_view NearestOf(std::string_view word, std::span<const std::string> words);

}  // namespace fanfold
