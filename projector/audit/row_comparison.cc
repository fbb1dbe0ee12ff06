#include "projector/audit/row_comparison.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "common/ports/row_kinds.h"

namespace fanfold::projector {

std::size_t RowComparison::Add(const Section& flagged, std::set<Slot> slots) {
  Section section{.projection = flagged.projection,
                  .shard = flagged.shard,
                  .users = flagged.users,
                  .positions = {}};
  sections_.push_back(std::move(section));
  slots_.push_back(std::move(slots));
  found_.emplace_back();
  return sections_.size() - 1;
}

void RowComparison::AddRow(std::size_t number, const RowImage& row) {
  const RecordKey key = RecordOf(sections_[number].projection, row.key);
  if (!slots_[number].contains(SlotOf(key.subject))) return;
  found_[number].emplace(key, row.state);
  ++rows_held_;
}

std::set<Partition> RowComparison::Partitions() const {
  std::set<Partition> partitions;
  for (const std::set<Slot>& slots : slots_) {
    for (const Slot slot : slots) partitions.emplace(slot.value % placement_.partitions());
  }
  return partitions;
}

bool RowComparison::Looks(const SectionIndex& index, std::size_t number,
                          const RecordKey& key) const {
  return index.Of(sections_[number].projection, key) == number &&
         slots_[number].contains(SlotOf(key.subject));
}

RowFold RowComparison::NewFold(Partition partition,
                               const std::function<void(const Difference&)>& differs) {
  const auto index = std::make_shared<SectionIndex>(sections_, placement_);
  const auto wants = [this, index](const RecordKey& key) {
    for (const Projection projection : Projection::All()) {
      const auto number = index->Of(projection, key);
      if (number && slots_[*number].contains(SlotOf(key.subject))) return true;
    }
    return false;
  };
  return {KindOf(sections_.front().projection),
          ThresholdsOf(sections_, partition),
          wants,
          {.moved = [](const RecordKey&, const RowState&, const RowState&) {},
           .reached =
               [this, index, partition, differs](std::size_t number, const Rows& rows) {
                 Compare(*index, number, partition, rows, differs);
               }}};
}

void RowComparison::Compare(const SectionIndex& index, std::size_t number, Partition partition,
                            const Rows& expected,
                            const std::function<void(const Difference&)>& differs) const {
  const Rows& found = found_[number];
  for (const auto& [key, state] : expected) {
    if (Looks(index, number, key) && !found.contains(key)) {
      Tell(number, key, RowState(), state, differs);
    }
  }
  for (const auto& [key, state] : found) {
    if (placement_.PartitionOf(key.subject) != partition) continue;
    const auto said = expected.find(key);
    const bool belongs = said != expected.end() && Looks(index, number, key);
    Tell(number, key, state, belongs ? said->second : RowState(), differs);
  }
}

void RowComparison::Tell(std::size_t number, const RecordKey& record, const RowState& found,
                         const RowState& expected,
                         const std::function<void(const Difference&)>& differs) const {
  const Section& section = sections_[number];
  const Projection projection = section.projection;
  auto kind = fanfold::Compare(projection, found, expected);
  if (!kind) return;
  const RowKey key = KeyOf(projection, record);
  if (placement_.ShardOf(key.user) != section.shard) kind = DifferenceKind::kMisplacedRow;
  differs({*kind, projection, section.shard, key.user, key.other,
           fmt::format("found {}, the topics say {}", Describe(projection, found),
                       Describe(projection, expected))});
}

}  // namespace fanfold::projector
