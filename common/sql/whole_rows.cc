#include "common/sql/whole_rows.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace fanfold {

void WholeRows::Add(std::int32_t kind, std::uint64_t id, std::uint64_t other, std::int64_t number) {
  if (kind == 0) {
    repair_mark_ = id;
    return;
  }
  const bool of_following = std::abs(kind) == static_cast<int>(Direction::kFollowing);
  Table& table = of_following ? following_ : fans_;
  if (kind < 0) {
    table.lanes[Partition(static_cast<std::int32_t>(id))] = {Offset(number), other != 0};
    return;
  }
  table.lists[UserId(id)].push_back({UserId(other), number});
  ++table.rows;
  table.last = std::max(table.last, UserId(id));
}

// Rows that were left out are the last user's, and those of users behind.
std::optional<std::vector<ListedUser>> WholeRows::Whole(Table& table, UserId user,
                                                        const WholeListsLimit& limit) {
  if (table.rows > limit.together && user >= table.last) return std::nullopt;
  std::vector<ListedUser> rows = std::move(table.lists[user]);
  if (rows.size() > limit.each) return std::nullopt;
  std::ranges::sort(rows, ListedBefore);
  return rows;
}

std::vector<WholeView> WholeRows::Told(std::span<const WholeLists> asked,
                                       const WholeListsLimit& limit) {
  ViewPosition of_all;
  of_all.repair_mark = repair_mark_;
  for (const auto& [partition, lane] : fans_.lanes) {
    of_all.fans.resize(static_cast<std::size_t>(partition.value) + 1);
    of_all.fans.back() = lane.position;
    of_all.fans_rewound = of_all.fans_rewound || lane.is_rewound;
  }
  std::vector<WholeView> told;
  for (const WholeLists& lists : asked) {
    WholeView& view = told.emplace_back();
    view.position = of_all;
    const Lane own = following_.lanes[lists.partition];
    view.position.following = own.position;
    view.position.following_rewound = own.is_rewound;
    if (lists.following) view.following = Whole(following_, lists.user, limit);
    if (lists.fans) view.fans = Whole(fans_, lists.user, limit);
  }
  return told;
}

}  // namespace fanfold
