#include "common/sql/view_rows.h"

#include <algorithm>
#include <cstddef>

namespace fanfold {
namespace {

void SetFansPosition(std::size_t partition, Offset position, std::vector<Offset>& fans) {
  if (fans.size() <= partition) fans.resize(partition + 1);
  fans[partition] = position;
}

}  // namespace

void AddViewRow(std::int32_t kind, std::uint64_t id, std::int64_t number, UserView& view) {
  if (kind >= 0) {
    view.answers.at(static_cast<std::size_t>(kind)).push_back({UserId(id), number});
    return;
  }
  switch (static_cast<ViewRow>(kind)) {
    case ViewRow::kFollowingCount:
      view.following = EdgeCount(number);
      break;
    case ViewRow::kFansCount:
      view.fans = EdgeCount(number);
      break;
    case ViewRow::kFollowingRewound:
      view.position.following_rewound = true;
      [[fallthrough]];
    case ViewRow::kFollowingPosition:
      view.position.following = Offset(number);
      break;
    case ViewRow::kFansRewound:
      view.position.fans_rewound = true;
      [[fallthrough]];
    case ViewRow::kFansPosition:
      SetFansPosition(static_cast<std::size_t>(id), Offset(number), view.position.fans);
      break;
    case ViewRow::kRepairMark:
      view.position.repair_mark = id;
      break;
  }
}

void AddEdgeViewRow(std::int32_t part, std::int64_t a, std::int64_t b, std::int64_t c,
                    EdgeView& view) {
  switch (static_cast<EdgeViewRow>(part)) {
    case EdgeViewRow::kEdge:
      view.edge = Edge{a != 0, b, Version(c)};
      break;
    case EdgeViewRow::kCount:
      view.count = EdgeCount(a);
      break;
    case EdgeViewRow::kPosition:
      view.position = Offset(a);
      view.rewound = b != 0;
      break;
  }
}

void SortAnswers(UserView& view) {
  for (auto& answer : view.answers) {
    if (!std::ranges::is_sorted(answer, ListedBefore)) std::ranges::sort(answer, ListedBefore);
  }
}

}  // namespace fanfold
