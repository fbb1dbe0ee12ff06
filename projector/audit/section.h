// A section is what is verified at a time: the rows of ranges of users in one table of one shard,
// read at one moment, beside what the topics say of the same users at the positions of that moment.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "common/ports/lane.h"
#include "common/ports/row_image.h"
#include "common/stream/slot.h"
#include "projector/audit/row_digest.h"

namespace fanfold::projector {

// Both ends inclusive; of the user whose list a row is in.
struct UserRange {
  UserId first{1};
  UserId last{kUserIdMax};
};

// By the slot of the record's key, so that a partition's part of it can be told.
using SlotDigests = std::vector<RowSetDigest>;

struct Section {
  Projection projection;
  Shard shard;
  std::vector<UserRange> users;   // by first; no user is in two
  std::vector<Offset> positions;  // by partition: every event below is in the rows, none above
  SlotDigests found = SlotDigests(kSlots);     // of the rows
  SlotDigests expected = SlotDigests(kSlots);  // of what the topics say at the positions
};

// The slots whose rows are not what the topics say.
[[nodiscard]] std::set<Slot> WrongSlots(const Section& section);

// Finds the section that a row belongs to. The sections outlive it and stay where they are.
class SectionIndex {
 public:
  SectionIndex(std::span<const Section> sections, const Placement& placement);

  // Its index; nothing when no section holds that row.
  [[nodiscard]] std::optional<std::size_t> Of(Projection projection, const RecordKey& key) const;

 private:
  struct Entry {
    UserId first;
    UserId last;
    std::size_t section;
  };
  [[nodiscard]] std::size_t TableOf(Projection projection, Shard shard) const;

  Placement placement_;
  std::vector<std::vector<Entry>> tables_;  // by table and shard, by first
};

// Where along a partition the sections' positions are, lowest first.
struct Threshold {
  Offset position;
  std::size_t section;
};
[[nodiscard]] std::vector<Threshold> ThresholdsOf(std::span<const Section> sections,
                                                  Partition partition);

}  // namespace fanfold::projector
