// How people are told that a text is no id: in one way everywhere.
#pragma once

#include <string>
#include <string_view>

namespace fanfold {

// `shown`: what stands there, where that helps.
[[nodiscard]] inline std::string NoId(std::string_view name, std::string_view shown = {}) {
  std::string text = std::string(name) + " is no id";
  if (!shown.empty()) text.append(" (").append(shown).append(")");
  return text + ": an id is a decimal number from 1 to 2^63−1";
}

}  // namespace fanfold
