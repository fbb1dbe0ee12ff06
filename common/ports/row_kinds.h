// The rows of each projection, for code that knows no kind of them. A record gives the whole row
// that it moves: the record with the highest version counts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/difference_kind.h"
#include "common/ports/event_log.h"
#include "common/ports/row_image.h"
#include "common/stream/slot.h"

namespace fanfold {

// A record of the topic that is applied.
struct SaidRecord {
  Offset event;        // which it is about; of a stream without outcomes its own
  bool moves = false;  // a row, to `state`, where its kind says so
  RecordKey key;
  RowState state;
};
using SaidRecords = std::vector<std::optional<SaidRecord>>;  // nothing where one cannot be read

// Functions of one kind of rows; all pure.
struct RowKind {
  // Appends what each record says. Takes batches.
  void (*read)(std::span<const LogRecord> records, std::int32_t partitions, SaidRecords& said);
  // "active since 20 version 3"
  std::string (*describe)(const RowState& state);
  // How these differ, both there.
  DifferenceKind (*compare)(const RowState& found, const RowState& expected);
  // Is it one of those that its user's count counts?
  bool (*is_counted)(const RowState& state);
  // Does a record that says this move such a row, which is there? Null: always.
  bool (*moves)(const RowState& before, const RowState& says) = nullptr;
  bool one_a_user = false;  // else a user has many
};

// Does the record move the row that stands at `before`?
[[nodiscard]] inline bool Moves(const RowKind& kind, const SaidRecord& record,
                                const RowState& before) {
  if (!record.moves) return false;
  return kind.moves == nullptr || SaysNothing(before) || kind.moves(before, record.state);
}

// Projections of one stream have one kind.
[[nodiscard]] const RowKind& KindOf(Projection projection);

// How a row differs from what the topics say; nothing when it does not.
[[nodiscard]] std::optional<DifferenceKind> Compare(Projection projection, const RowState& found,
                                                    const RowState& expected);
// "no row" of one that says nothing.
[[nodiscard]] std::string Describe(Projection projection, const RowState& state);

}  // namespace fanfold
