#include "projector/audit/section.h"

#include <algorithm>

namespace fanfold::projector {

std::set<Slot> WrongSlots(const Section& section) {
  std::set<Slot> wrong;
  for (std::int32_t slot = 0; slot < kSlots; ++slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (section.found[at] != section.expected[at]) wrong.insert(Slot(slot));
  }
  return wrong;
}

SectionIndex::SectionIndex(std::span<const Section> sections, const Placement& placement)
    : placement_(placement),
      tables_(kProjections.size() * static_cast<std::size_t>(placement.shards())) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    for (const UserRange& users : section.users) {
      tables_[TableOf(section.projection, section.shard)].push_back({users.first, users.last, i});
    }
  }
  for (std::vector<Entry>& table : tables_) std::ranges::sort(table, {}, &Entry::first);
}

std::size_t SectionIndex::TableOf(Projection projection, Shard shard) const {
  return kProjections.size() * static_cast<std::size_t>(shard.value) + projection.index();
}

std::optional<std::size_t> SectionIndex::Of(Projection projection, const RecordKey& key) const {
  const UserId user = KeyOf(projection, key).user;
  const std::vector<Entry>& table = tables_[TableOf(projection, placement_.ShardOf(user))];
  const auto after = std::ranges::upper_bound(table, user, {}, &Entry::first);
  if (after == table.begin() || std::prev(after)->last < user) return std::nullopt;
  return std::prev(after)->section;
}

std::vector<Threshold> ThresholdsOf(std::span<const Section> sections, Partition partition) {
  std::vector<Threshold> thresholds;
  thresholds.reserve(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    thresholds.push_back({sections[i].positions[static_cast<std::size_t>(partition.value)], i});
  }
  std::ranges::stable_sort(thresholds, {}, &Threshold::position);
  return thresholds;
}

}  // namespace fanfold::projector
