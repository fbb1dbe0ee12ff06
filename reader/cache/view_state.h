#pragma once

#include <cstdint>

namespace fanfold::reader {

// How a view of the tables relates to the reader's position.
enum class ViewState : std::uint8_t {
  kAtReader,    // brought there
  kAhead,       // some lane is past the reader, which has not seen yet what the rows hold
  kBelowFloor,  // some lane is so far behind that the recent moves no longer hold what it lacks
  kTooLarge,  // at the reader's position, but larger than the cache, or it moves on faster than it
              // can be brought
  kStale,     // of tables from before a repair, or of others than those that are read
  kRewound,   // some lane folds again what the rows hold already: they are of no one position
};

// Are the rows of such a view answered as they are, with the lag of the tables?
[[nodiscard]] constexpr bool IsAsTablesAre(ViewState state) noexcept {
  return state == ViewState::kBelowFloor || state == ViewState::kStale ||
         state == ViewState::kRewound;
}

}  // namespace fanfold::reader
