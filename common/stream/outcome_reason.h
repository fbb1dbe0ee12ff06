#pragma once

#include <string_view>

namespace fanfold {

// Why an outcome refuses its event, whatever its stream; empty where it does not.
[[nodiscard]] std::string_view ReasonOf(const auto& outcome) {
  if (outcome.rejected) return ToString(*outcome.rejected);
  return outcome.parked ? ToString(*outcome.parked) : std::string_view();
}

}  // namespace fanfold
