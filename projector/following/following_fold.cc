#include "projector/following/following_fold.h"

#include <string>

#include "common/relation/codec.h"
#include "projector/runtime/batch.h"
#include "projector/runtime/outbox_codec.h"

namespace fanfold::projector {
namespace {

// Outcomes are dense: each lane's rows hold one for every event from `first` up to `next`.
void AddToOutbox(const TakenEvent& taken, const Outcome& outcome, Generation generation,
                 std::string& scratch) {
  std::vector<OutboxRow>& rows = taken.lane->decided;
  if (rows.empty() || rows.back().outcomes.size() >= kOutboxRowBytesMax) {
    const Offset first = taken.position.offset;
    rows.push_back({taken.position.partition, generation, first, first, {}});
  }
  OutboxRow& row = rows.back();
  row.next = Next(taken.position.offset);
  scratch.clear();
  AppendOutcome(scratch, outcome);
  AppendOutboxRecord(row.outcomes, {taken.key, scratch});
}

}  // namespace

EdgeKey FollowingFold::KeyOf(UserId subject, UserId object) const noexcept {
  return {subject, object};
}

void FollowingFold::Decide(EventBatch& batch) const {
  std::string scratch;
  for (const TakenEvent& taken : batch.events) {
    Outcome outcome;
    if (taken.read) {
      const Edge& edge = batch.rows.EdgeOf(taken.item);
      const EdgeCount count = batch.rows.CountOf(taken.item);
      outcome = fanfold::Decide(edge, count, *taken.read, taken.position, limit_);
      batch.rows.Move(taken.item, Apply(edge, outcome));
    } else {
      outcome = Park(taken.position, taken.read.error().reason, taken.read.error().event_id);
    }
    AddToOutbox(taken, outcome, taken.lane->id.generation, scratch);
  }
}

}  // namespace fanfold::projector
