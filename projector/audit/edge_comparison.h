// Sections that differ from the topics, edge by edge. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/ports/lane_store.h"
#include "projector/audit/difference.h"
#include "projector/audit/edge_fold.h"
#include "projector/audit/section.h"

namespace fanfold {

// Add every section, then fold each partition.
class EdgeComparison {
 public:
  explicit EdgeComparison(const Placement& placement) : placement_(placement) {}

  // The same range as `flagged`, of which these slots are looked at; returns its number.
  std::size_t Add(const Section& flagged, std::set<Slot> slots);
  // To be filled by reading it anew.
  [[nodiscard]] Section& SectionAt(std::size_t number) { return sections_[number]; }
  // A row of that section; of other slots it is passed over.
  void AddRow(std::size_t number, const EdgeRow& row);
  [[nodiscard]] std::size_t rows() const noexcept { return rows_held_; }

  // Those that the slots belong to.
  [[nodiscard]] std::set<Partition> Partitions() const;
  // A fold that tells what differs as it reaches each section. Lives no longer than this object.
  [[nodiscard]] EdgeFold NewFold(Partition partition,
                                 const std::function<void(const Difference&)>& differs);

 private:
  using Edges = std::unordered_map<Follow, Edge>;

  // Is the edge looked at, as one of that section?
  [[nodiscard]] bool Looks(const SectionIndex& index, std::size_t number,
                           const Follow& follow) const;
  void Tell(std::size_t number, const Follow& follow, const Edge& found, const Edge& expected,
            const std::function<void(const Difference&)>& differs) const;
  void Compare(const SectionIndex& index, std::size_t number, Partition partition,
               const Edges& expected, const std::function<void(const Difference&)>& differs) const;

  Placement placement_;
  std::vector<Section> sections_;
  std::vector<std::set<Slot>> slots_;  // of each section
  std::vector<Edges> found_;           // of each section
  std::size_t rows_held_ = 0;
};

}  // namespace fanfold
