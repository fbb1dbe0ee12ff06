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

// Those found among a held list, and those of whom it says nothing.
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

// Brings rows of a table forward by these moves, those of an edge in the log's order, all of them
// of rows that the rows would show. Moves that they hold already change nothing.
void BringRows(std::vector<ListedUser>& rows, Direction list, std::span<const EdgeMove> moves);

// Brings a list forward that was made of these rows: move by move, or made anew where they are
// many, since each that is not the newest makes it anew.
inline constexpr std::size_t kMovesOneByOneMax = 64;
void BringList(std::unique_ptr<HeldList>& held, ListRows rows, Direction list,
               std::span<const EdgeMove> moves);

}  // namespace fanfold::reader
