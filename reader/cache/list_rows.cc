#include "reader/cache/list_rows.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

namespace fanfold::reader {

PartlyAmong AmongHeld(const HeldList& list, std::span<const UserId> others) {
  PartlyAmong among;
  for (const UserId other : others) {
    if (const auto since = list.SinceOf(other)) {
      among.found.push_back({other, *since});
    } else if (!list.whole()) {
      among.unknown.push_back(other);
    }
  }
  return among;
}

void SortUnique(std::vector<ListedUser>& rows) {
  std::ranges::sort(rows, ListedBefore);
  const auto repeats = std::ranges::unique(rows);
  rows.erase(repeats.begin(), repeats.end());
}

std::vector<ListedUser> CutPage(std::vector<ListedUser> rows, const PageStart& start,
                                std::size_t limit) {
  auto from = rows.begin();
  if (start.after) {
    from = std::ranges::upper_bound(rows, *start.after, ListedBefore);
  } else {
    from += std::min<std::int64_t>(start.offset, std::ssize(rows));
  }
  const auto to =
      from + std::min<std::int64_t>(static_cast<std::int64_t>(limit), rows.end() - from);
  return {from, to};
}

void BringRows(std::vector<ListedUser>& rows, Direction list, std::span<const EdgeMove> moves) {
  std::unordered_map<UserId, const EdgeMove*> last;
  for (const EdgeMove& move : moves) last[OtherIn(list, move)] = &move;
  std::erase_if(rows, [&](const ListedUser& row) { return last.contains(row.user); });
  const auto kept = std::ssize(rows);
  for (const auto& [user, move] : last) {
    if (move->joins) rows.push_back({user, move->since_ms});
  }
  std::sort(rows.begin() + kept, rows.end(), ListedBefore);
  std::inplace_merge(rows.begin(), rows.begin() + kept, rows.end(), ListedBefore);
}

void BringList(std::unique_ptr<HeldList>& held, ListRows rows, Direction list,
               std::span<const EdgeMove> moves) {
  if (moves.size() <= kMovesOneByOneMax || (!rows.whole && rows.rows.empty())) {
    for (const EdgeMove& move : moves) held->Move(list, move);
    return;
  }
  std::optional<ListedUser> floor;
  if (!rows.whole) floor = rows.rows.back();
  const auto before = std::ssize(rows.rows);
  std::vector<EdgeMove> shown;
  std::ranges::copy_if(moves, std::back_inserter(shown), [&](const EdgeMove& move) {
    return !floor || !ListedBefore(*floor, {OtherIn(list, move), move.since_ms});
  });
  BringRows(rows.rows, list, shown);
  if (rows.whole) {
    rows.count.value += std::ssize(rows.rows) - before;
  } else {
    for (const EdgeMove& move : moves) rows.count.value += move.joins ? 1 : -1;
  }
  held = std::make_unique<HeldList>(rows, floor);
}

}  // namespace fanfold::reader
