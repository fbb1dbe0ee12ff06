#include "reader/cache/list_rows.h"

#include <algorithm>
#include <unordered_map>

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
  std::unordered_map<UserId, const EdgeMove*> last;
  for (const EdgeMove& move : moves) last[OtherIn(list, move)] = &move;
  std::erase_if(rows, [&](const ListedUser& row) { return last.contains(row.user); });
  const auto kept = std::ssize(rows);
  for (const auto& [user, move] : last) {
    const ListedUser row{user, move->since_ms};
    const bool shown = (!from || ListedBefore(*from, row)) && (!to || !ListedBefore(*to, row));
    if (move->joins && shown) rows.push_back(row);
  }
  std::sort(rows.begin() + kept, rows.end(), ListedBefore);
  std::inplace_merge(rows.begin(), rows.begin() + kept, rows.end(), ListedBefore);
}

}  // namespace fanfold
