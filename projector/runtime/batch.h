// From records to one transaction. Pure: takes the records that the lanes admit and hands them to
// the fold's batch; what came of it is a LaneBatch.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/lane.h"

namespace fanfold::projector {

// Takes the events that deciding lanes admit; records of other lanes are left.
[[nodiscard]] std::vector<TakenEvent> TakeEvents(LaneSet& lanes,
                                                 std::span<const LogRecord> records);
// Gives them to `batch`, which they outlive. Each that cannot be read goes to `parked`, too.
void ReadEvents(std::span<const TakenEvent> events, FoldBatch& batch,
                std::vector<ParkedRow>& parked);

// Takes what recovering and applying lanes admit of the outcome topic. An outcome that cannot be
// read is parked on the partition's own shard.
void TakeOutcomes(LaneSet& lanes, std::span<const LogRecord> records, const WorkPlace& place,
                  FoldBatch& batch, std::vector<ParkedRow>& parked);

// Takes the outcomes that stand in the outboxes of lanes that have read the topic, and not in their
// rows yet: each was decided, and what it parked is parked. At most records_max outcomes. A lane
// whose outbox is not well-formed halts.
void TakeOutboxes(LaneSet& lanes, std::size_t records_max, FoldBatch& batch);

// The transaction that carries the lanes from where they are committed to their drafts.
[[nodiscard]] LaneBatch MovesOf(LaneSet& lanes, Projection projection, const WorkPlace& place);

}  // namespace fanfold::projector
