#pragma once

#include <cstdint>

#include "common/base/result.h"

namespace fanfold {

enum class ExitCode : std::uint8_t {
  kFine = 0,
  kError = 1,
  kDifferent = 2,  // differences found, bad lines under --strict, or time out
  kRefused = 3,    // state forbids it: an operator has to act
};

[[nodiscard]] constexpr ExitCode ExitCodeOf(ErrorCode code) noexcept {
  return code == ErrorCode::kRefused ? ExitCode::kRefused : ExitCode::kError;
}

}  // namespace fanfold
