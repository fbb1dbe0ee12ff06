#include "reader/cache/held_list.h"

#include <algorithm>
#include <utility>

namespace fanfold::reader {
namespace {

// Removed rows are swept out when there are more of them than this share of the live ones.
constexpr std::size_t kDeadShare = 4;
constexpr std::size_t kDeadAllowed = 16;

}  // namespace

HeldList::HeldList(const ListRows& list, std::optional<ListedUser> floor)
    : rows_(std::span<const ListedUser>()), count_(list.count), floor_(floor), whole_(list.whole) {
  if (!floor_ && !list.rows.empty()) floor_ = list.rows.back();
  Rebuild(list.rows);
}

std::optional<std::int64_t> HeldList::SinceOf(UserId user) const noexcept {
  const std::optional<std::size_t> place = rows_.Find(user);
  return place ? std::optional(rows_.SinceAt(*place)) : std::nullopt;
}

std::size_t HeldList::PlaceAfter(const Cursor& after) const noexcept {
  // The first place with the cursor's time or a later one; then on through its equals, of which
  // removed ones cannot be compared.
  std::size_t low = 0;
  std::size_t high = rows_.places();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (rows_.SinceAt(middle) < after.since_ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  std::size_t end = low;
  for (std::size_t place = low; place < rows_.places(); ++place) {
    if (rows_.SinceAt(place) != after.since_ms) break;
    if (!rows_.IsLive(place)) continue;
    if (!ListedBefore(after, rows_.At(place))) break;
    end = place + 1;
  }
  return end;
}

std::optional<std::vector<ListedUser>> HeldList::Page(const PageStart& start,
                                                      std::size_t limit) const {
  std::vector<ListedUser> page;
  page.reserve(std::min(limit, rows_.live()));
  std::size_t place = start.after ? PlaceAfter(*start.after) : rows_.places();
  std::int64_t skip = start.offset;
  while (place-- > 0 && page.size() < limit) {
    if (!rows_.IsLive(place)) continue;
    if (skip-- > 0) continue;
    page.push_back(rows_.At(place));
  }
  if (page.size() < limit && !whole_) return std::nullopt;
  return page;
}

std::vector<ListedUser> HeldList::Rows() const {
  std::vector<ListedUser> rows;
  rows.reserve(rows_.live() + 1);
  VisitNewestFirst([&](const ListedUser& row) { rows.push_back(row); });
  return rows;
}

void HeldList::Rebuild(std::vector<ListedUser> rows) {
  const std::size_t held_max = whole_ ? kWholeRowsMax : 2 * kHeadRows;
  if (rows.size() > held_max) {
    rows.resize(kHeadRows);
    whole_ = false;
    floor_ = rows.back();
  }
  rows_ = RowBlock(rows);
}

void HeldList::Move(Direction list, const EdgeMove& move) {
  const UserId other = OtherIn(list, move);
  if (move.joins) {
    Join({other, move.since_ms});
  } else {
    Leave(other);
  }
}

void HeldList::Join(const ListedUser& row) {
  if (const std::optional<std::int64_t> since = SinceOf(row.user)) {
    if (*since == row.since_ms) return;
    Leave(row.user);
  }
  count_.value += 1;
  if (!whole_ && floor_ && !ListedBefore(row, *floor_)) return;
  if (rows_.TryAppend(row)) return;
  std::vector<ListedUser> rows = Rows();
  rows.insert(std::ranges::lower_bound(rows, row, ListedBefore), row);
  Rebuild(std::move(rows));
}

void HeldList::Leave(UserId user) {
  const std::optional<std::size_t> place = rows_.Find(user);
  if (place || !whole_) count_.value -= 1;
  if (!place) return;
  rows_.Remove(*place);
  const std::size_t dead = rows_.places() - rows_.live();
  if (dead > kDeadAllowed && dead * kDeadShare > rows_.live()) Rebuild(Rows());
}

}  // namespace fanfold::reader
