// Rows of lists, cut, searched and brought forward. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "common/ports/projection_reader.h"
#include "common/relation/cursor.h"
#include "reader/cache/edge_move.h"
#include "reader/cache/held_list.h"

namespace fanfold::reader {

// The users found in a held list, and those about whom it says nothing.
struct PartlyAmong {
  std::vector<ListedUser> found;
  std::vector<UserId> unknown;
};
[[nodiscard]] PartlyAmong AmongHeld(const HeldList& list, std::span<const UserId> others);

// Newest first, each once.
void SortUnique(std::vector<ListedUser>& rows);

// A page of rows that are all there, newest first.
[[nodiscard]] std::vector<ListedUser> CutPage(std::vector<ListedUser> rows, const PageStart& start,
                                              std::size_t limit);

// Brings rows of a table forward by these moves. Moves of one edge come in the log's order, and
// each is of a row that the rows would show. Moves that the rows hold already change nothing.
void BringRows(std::vector<ListedUser>& rows, Direction list, std::span<const EdgeMove> moves);

// Brings `held`, which was made of these rows, forward: move by move, or made anew where the moves
// are many, since each that is not the newest makes the list anew.
inline constexpr std::size_t kMovesOneByOneMax = 64;
void BringList(std::unique_ptr<HeldList>& held, ListRows rows, Direction list,
               std::span<const EdgeMove> moves);

}  // namespace fanfold::reader
