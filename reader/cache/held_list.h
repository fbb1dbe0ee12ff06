// One user's list in one direction, as the cache holds it: whole, or its newest rows when there are
// very many. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/projection_reader.h"
#include "common/relation/cursor.h"
#include "common/stream/ids.h"
#include "reader/cache/edge_move.h"
#include "reader/cache/row_block.h"

namespace fanfold::reader {

// A list of more rows than this is held by its newest kHeadRows only.
inline constexpr std::size_t kWholeRowsMax = 16'384;
inline constexpr std::size_t kHeadRows = 2'048;

// A list as the tables told it.
struct ListRows {
  std::vector<ListedUser> rows;  // newest first
  bool whole = true;             // nothing older was left out
  EdgeCount count;               // as the count's row says
};

// Thread-compatible.
class HeldList {
 public:
  // A list that is not whole has every row down to `floor`, or without one down to its last row.
  explicit HeldList(const ListRows& list, std::optional<ListedUser> floor = std::nullopt);

  [[nodiscard]] EdgeCount count() const noexcept { return count_; }
  // Are all rows held? If not, a row that is not found may be there all the same.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  // Too few of the newest rows are left: the list is of no use any more.
  [[nodiscard]] bool IsSpent() const noexcept { return !whole_ && rows_.live() < kHeadRows / 4; }
  [[nodiscard]] std::size_t bytes() const noexcept { return rows_.bytes(); }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.live(); }

  [[nodiscard]] bool Contains(UserId user) const noexcept { return rows_.Find(user).has_value(); }
  [[nodiscard]] std::optional<std::int64_t> SinceOf(UserId user) const noexcept;

  // At most `limit` rows, newest first. Nothing when the rows held end before the page does.
  [[nodiscard]] std::optional<std::vector<ListedUser>> Page(const PageStart& start,
                                                            std::size_t limit) const;
  // Calls visit(row) for each, newest first.
  template <class Visit>
  void VisitNewestFirst(const Visit& visit) const {
    for (std::size_t place = rows_.places(); place-- > 0;) {
      if (rows_.IsLive(place)) visit(rows_.At(place));
    }
  }

  // Somebody joins or leaves; `list` is which of its owner's lists this one is. Moves of an edge
  // come in the log's order. A move that the rows hold already changes nothing. Rows that are not
  // held cannot tell: each move of them counts, so none may come twice.
  void Move(Direction list, const EdgeMove& move);

 private:
  void Join(const ListedUser& row);
  void Leave(UserId user);
  [[nodiscard]] std::vector<ListedUser> Rows() const;
  void Rebuild(std::vector<ListedUser> rows);
  // The place behind the rows that `after` precedes: they stand at lower places.
  [[nodiscard]] std::size_t PlaceAfter(const Cursor& after) const noexcept;

  RowBlock rows_;
  EdgeCount count_;
  std::optional<ListedUser> floor_;  // the oldest row that was held when rows were left out
  bool whole_;
};

}  // namespace fanfold::reader
