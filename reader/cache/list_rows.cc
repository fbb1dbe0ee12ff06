#include "reader/cache/list_rows.h"

#include <algorithm>

namespace fanfold {

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

void BringRows(std::vector<ListedUser>& rows, ProjectionKind list, std::span<const EdgeMove> moves,
               const std::optional<Cursor>& from, const std::optional<Cursor>& to) {
  for (const EdgeMove& move : moves) {
    const ListedUser row{OtherIn(list, move), move.since_ms};
    if (!move.joins) {
      std::erase_if(rows, [&](const ListedUser& held) { return held.user == row.user; });
      continue;
    }
    const bool shown = (!from || ListedBefore(*from, row)) && (!to || !ListedBefore(*to, row));
    if (shown) rows.insert(std::ranges::lower_bound(rows, row, ListedBefore), row);
  }
}

}  // namespace fanfold
