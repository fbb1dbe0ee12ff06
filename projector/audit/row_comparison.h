// Sections that differ from the topics, row by row. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "common/ports/table_snapshot.h"
#include "projector/audit/difference.h"
#include "projector/audit/row_fold.h"
#include "projector/audit/section.h"

namespace fanfold::projector {

// Add every section, then fold each partition.
class RowComparison {
 public:
  explicit RowComparison(const Placement& placement) : placement_(placement) {}

  // Adds a section of the same range as `flagged`; only these slots of it are looked at. Returns
  // its number.
  std::size_t Add(const Section& flagged, std::set<Slot> slots);
  // That section, to be filled by reading it anew.
  [[nodiscard]] Section& SectionAt(std::size_t number) { return sections_[number]; }
  // Adds a row of that section; one of other slots is passed over.
  void AddRow(std::size_t number, const RowImage& row);
  [[nodiscard]] std::size_t rows() const noexcept { return rows_held_; }

  // The partitions that the slots belong to.
  [[nodiscard]] std::set<Partition> Partitions() const;
  // A fold that tells what differs as it reaches each section. Lives no longer than this object.
  // Requires: a section was added; all are of one stream.
  [[nodiscard]] RowFold NewFold(Partition partition,
                                const std::function<void(const Difference&)>& differs);

 private:
  using Rows = RowFold::Rows;

  // Is the row looked at, as one of that section?
  [[nodiscard]] bool Looks(const SectionIndex& index, std::size_t number,
                           const RecordKey& key) const;
  void Tell(std::size_t number, const RecordKey& record, const RowState& found,
            const RowState& expected, const std::function<void(const Difference&)>& differs) const;
  void Compare(const SectionIndex& index, std::size_t number, Partition partition,
               const Rows& expected, const std::function<void(const Difference&)>& differs) const;

  Placement placement_;
  std::vector<Section> sections_;
  std::vector<std::set<Slot>> slots_;  // of each section
  std::vector<Rows> found_;            // of each section
  std::size_t rows_held_ = 0;
};

}  // namespace fanfold::projector
