#include "projector/audit/edge_comparison.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace fanfold {

std::size_t EdgeComparison::Add(const Section& flagged, std::set<Slot> slots) {
  Section section{.projection = flagged.projection,
                  .shard = flagged.shard,
                  .users = flagged.users,
                  .positions = {}};
  sections_.push_back(std::move(section));
  slots_.push_back(std::move(slots));
  found_.emplace_back();
  return sections_.size() - 1;
}

void EdgeComparison::AddRow(std::size_t number, const EdgeRow& row) {
  const Follow follow = FollowOf(sections_[number].projection, row.key);
  if (!slots_[number].contains(SlotOf(follow.subject))) return;
  found_[number].emplace(follow, row.edge);
  ++rows_held_;
}

std::set<Partition> EdgeComparison::Partitions() const {
  std::set<Partition> partitions;
  for (const std::set<Slot>& slots : slots_) {
    for (const Slot slot : slots) partitions.emplace(slot.value % placement_.partitions());
  }
  return partitions;
}

bool EdgeComparison::Looks(const SectionIndex& index, std::size_t number,
                           const Follow& follow) const {
  return index.Of(sections_[number].projection, follow) == number &&
         slots_[number].contains(SlotOf(follow.subject));
}

EdgeFold EdgeComparison::NewFold(Partition partition,
                                 const std::function<void(const Difference&)>& differs) {
  const auto index = std::make_shared<SectionIndex>(sections_, placement_);
  const auto wants = [this, index](const Follow& follow) {
    for (const Projection projection : Projection::All()) {
      const auto number = index->Of(projection, follow);
      if (number && slots_[*number].contains(SlotOf(follow.subject))) return true;
    }
    return false;
  };
  return {ThresholdsOf(sections_, partition),
          wants,
          {.moved = [](const Follow&, const Edge&, const Edge&) {},
           .reached =
               [this, index, partition, differs](std::size_t number, const Edges& edges) {
                 Compare(*index, number, partition, edges, differs);
               }}};
}

void EdgeComparison::Compare(const SectionIndex& index, std::size_t number, Partition partition,
                             const Edges& expected,
                             const std::function<void(const Difference&)>& differs) const {
  const Edges& found = found_[number];
  for (const auto& [follow, edge] : expected) {
    if (Looks(index, number, follow) && !found.contains(follow)) {
      Tell(number, follow, Edge(), edge, differs);
    }
  }
  for (const auto& [follow, edge] : found) {
    if (placement_.PartitionOf(follow.subject) != partition) continue;
    const auto said = expected.find(follow);
    const bool belongs = said != expected.end() && Looks(index, number, follow);
    Tell(number, follow, edge, belongs ? said->second : Edge(), differs);
  }
}

void EdgeComparison::Tell(std::size_t number, const Follow& follow, const Edge& found,
                          const Edge& expected,
                          const std::function<void(const Difference&)>& differs) const {
  auto kind = fanfold::Compare(found, expected);
  if (!kind) return;
  const Section& section = sections_[number];
  const EdgeKey key = KeyOf(section.projection, follow);
  if (placement_.ShardOf(key.user) != section.shard) kind = DifferenceKind::kMisplacedRow;
  differs({*kind, section.projection, section.shard, key.user, key.other,
           fmt::format("found {}, the topics say {}", Describe(found), Describe(expected))});
}

}  // namespace fanfold
