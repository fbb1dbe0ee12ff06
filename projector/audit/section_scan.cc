#include "projector/audit/section_scan.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/ports/row_kinds.h"

namespace fanfold::projector {
namespace {

// Pages through what Fetch(after) gives, one item in hand.
template <class Item, class Fetch>
class Pages {
 public:
  Pages(Fetch fetch, ScanPace& pace) : fetch_(std::move(fetch)), pace_(pace) {}

  // Null at the end, or when reading failed.
  const Item* Peek() {
    if (at_ == page_.size() && !ended_) Load();
    return at_ < page_.size() ? &page_[at_] : nullptr;
  }
  void Pop() { ++at_; }
  [[nodiscard]] const Status& status() const noexcept { return status_; }

 private:
  void Load() {
    Result<std::vector<Item>> page = fetch_(page_.empty() ? nullptr : &page_.back());
    if (page && !pace_.Read(std::ssize(*page))) page = Fail(ErrorCode::kTimeout, "stopped");
    at_ = 0;
    ended_ = !page || page->size() < TableSnapshot::kRowsMax;
    if (!page) status_ = Forward(page);
    page_ = page ? std::move(*page) : std::vector<Item>();
  }

  Fetch fetch_;
  ScanPace& pace_;
  std::vector<Item> page_;
  std::size_t at_ = 0;
  bool ended_ = false;
  Status status_;
};

Status ReadPositions(TableSnapshot& snapshot, const Placement& placement, Generation generation,
                     Section& section) {
  Result<std::vector<LaneStatus>> lanes = snapshot.Lanes();
  if (!lanes) return Forward(lanes);
  section.positions.assign(static_cast<std::size_t>(placement.partitions()), Offset(0));
  for (const LaneStatus& lane : *lanes) {
    const bool ours = lane.lane.projection == section.projection &&
                      lane.lane.generation == generation &&
                      lane.lane.partition.value < placement.partitions();
    if (!ours) continue;
    section.positions[static_cast<std::size_t>(lane.lane.partition.value)] =
        lane.progress.event_offset;
  }
  return {};
}

void CompareCount(const Section& section, UserId user, std::int64_t active,
                  const std::optional<EdgeCount>& count, const SectionScanOptions& options) {
  if (!section.projection.has_counts() || count.value_or(EdgeCount(0)).value == active) return;
  const std::string said = count ? std::to_string(count->value) : "missing";
  options.wrong_count({DifferenceKind::kWrongCount, section.projection, section.shard, user,
                       UserId(0), fmt::format("count {}, {} active rows", said, active)});
}

// The rows and the count of one user after the other.
template <class RowPages, class CountPages>
void ReadUsers(RowPages& rows, CountPages& counts, const SectionScanOptions& options,
               UserRange& users, Section& section) {
  const RowKind& kind = KindOf(section.projection);
  std::size_t read = 0;
  while (true) {
    const RowImage* row = rows.Peek();
    const UserCount* count = counts.Peek();
    if (!rows.status() || !counts.status() || (row == nullptr && count == nullptr)) return;
    const UserId user = row == nullptr     ? count->user
                        : count == nullptr ? row->key.user
                                           : std::min(row->key.user, count->user);
    if (read >= options.rows_max) {
      users.last = UserId(user.value - 1);
      return;
    }
    std::int64_t counted = 0;
    for (; row != nullptr && row->key.user == user; rows.Pop(), row = rows.Peek()) {
      const RecordKey key = RecordOf(section.projection, row->key);
      section.found[static_cast<std::size_t>(SlotOf(key.subject).value)].Add(key, row->state);
      options.row(*row);
      counted += kind.is_counted(row->state) ? 1 : 0;
      ++read;
    }
    if (!rows.status()) return;
    const bool has_count = count != nullptr && count->user == user;
    CompareCount(section, user, counted, has_count ? std::optional(count->count) : std::nullopt,
                 options);
    if (has_count) counts.Pop();
  }
}

Status ScanRange(TableSnapshot& snapshot, Generation generation, const SectionScanOptions& options,
                 ScanPace& pace, UserRange& users, Section& section) {
  const UserId before(users.first.value - 1);
  Pages<RowImage, std::function<Result<std::vector<RowImage>>(const RowImage*)>> rows(
      [&](const RowImage* last) {
        return snapshot.Rows(section.projection, generation,
                             last != nullptr ? last->key : RowKey{before, UserId(kUserIdMax)},
                             users.last, TableSnapshot::kRowsMax);
      },
      pace);
  Pages<UserCount, std::function<Result<std::vector<UserCount>>(const UserCount*)>> counts(
      [&](const UserCount* last) {
        return snapshot.Counts(section.projection, generation,
                               last != nullptr ? last->user : before, users.last,
                               TableSnapshot::kRowsMax);
      },
      pace);
  ReadUsers(rows, counts, options, users, section);
  if (!rows.status()) return rows.status();
  return counts.status();
}

}  // namespace

Status ScanSection(TableSnapshot& snapshot, const Placement& placement,
                   const SectionScanOptions& options, ScanPace& pace, Section& section) {
  const Generation generation = options.generations[section.projection];
  Status read = ReadPositions(snapshot, placement, generation, section);
  for (UserRange& users : section.users) {
    if (!read) return read;
    read = ScanRange(snapshot, generation, options, pace, users, section);
  }
  return read;
}

}  // namespace fanfold::projector
