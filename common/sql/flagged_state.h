#pragma once

#include <cstdint>

#include "common/ports/row_image.h"

namespace fanfold {

// The state of a row whose column `active` says this. Readers and counts ask for 1: one that has
// neither 0 nor 1, as only a hand writes it, says nothing to them, and is as no event leaves it.
[[nodiscard]] constexpr RowState FlaggedState(std::int64_t active, const RowState& state) noexcept {
  return active == 0 || active == 1 ? state : RowState{Version(-1), 0};
}

}  // namespace fanfold
