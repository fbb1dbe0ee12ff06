// The names of an enum's values, as they stand in records, tables and answers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace fanfold {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view NameOf(const Names<Enum, N>& names, Enum value) noexcept {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> ValueOf(const Names<Enum, N>& names, std::string_view text) noexcept {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace fanfold
