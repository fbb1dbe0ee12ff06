// From records to one transaction. Pure: take the records the lanes admit, ask the store for the
// rows they touch, fold, and what came of it is a StoreBatch. Views point into the LogBatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/projection_store.h"
#include "common/relation/codec.h"
#include "common/relation/event.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/lane.h"
#include "projector/runtime/row_set.h"

namespace fanfold::projector {

// Which part of the deployment a worker folds.
struct WorkPlace {
  Placement placement;
  Shard shard;
  Generation generation{1};
};

// A record that stands at its lane's position: an event, or why it is none.
struct TakenEvent {
  Lane* lane = nullptr;
  Position position;
  std::optional<std::string_view> key;
  std::expected<Event, Unreadable> read;
  std::size_t item = 0;  // of rows; meaningless when unreadable
};

struct EventBatch {
  std::vector<TakenEvent> events;
  RowSet rows;  // of the readable ones
};

struct OutcomeBatch {
  std::vector<Outcome> outcomes;  // item i of rows is outcome i
  RowSet rows;
};

// Takes what deciding lanes admit; records of other lanes are left. Seals the rows. What cannot be
// decided goes to `parked` as well.
[[nodiscard]] EventBatch TakeEvents(LaneSet& lanes, std::span<const LogRecord> records,
                                    const Fold& fold, const WorkPlace& place,
                                    std::vector<ParkedRow>& parked);

// Takes what recovering and applying lanes admit of the outcome topic, and keeps the outcomes that
// move a row of this shard. An outcome that cannot be read is parked on the partition's own shard.
[[nodiscard]] OutcomeBatch TakeOutcomes(LaneSet& lanes, std::span<const LogRecord> records,
                                        const Fold& fold, const WorkPlace& place,
                                        std::vector<ParkedRow>& parked);

// Takes what the outboxes of lanes that have read the topic hold above their rows: it was decided,
// and what it parked is parked. At most records_max outcomes. A lane whose outbox is not
// well-formed halts.
[[nodiscard]] OutcomeBatch TakeOutboxes(LaneSet& lanes, const Fold& fold, const WorkPlace& place,
                                        std::size_t records_max);

// Applies the outcomes in order. Requires: rows that are filled.
void ApplyOutcomes(OutcomeBatch& batch);

// The transaction that carries the lanes from where they are committed to their drafts. Rows are
// added by RowSet::WriteTo.
[[nodiscard]] StoreBatch MovesOf(LaneSet& lanes, const Fold& fold, const WorkPlace& place);

}  // namespace fanfold::projector
