#include "projector/runtime/batch.h"

#include <string>
#include <utility>

#include "projector/runtime/outbox_codec.h"

namespace fanfold::projector {
namespace {

ParkedRow ParkedRowOf(const Lane& lane, const LogRecord& record, const Unreadable& why) {
  ParkedRow row;
  row.lane = lane.id;
  row.offset = record.offset;
  row.reason = why.reason;
  row.detail = why.detail;
  row.event_id = why.event_id;
  row.key = std::string(record.key.value_or(std::string_view()).substr(0, kParkedKeyBytesMax));
  row.appended_ms = record.appended_ms;
  return row;
}

// As its decider had parked it. The outcome says which event and why; its own time is near.
ParkedRow ParkedRowOf(const Lane& lane, const LogRecord& record, const Outcome& outcome,
                      ParkReason reason) {
  ParkedRow row = ParkedRowOf(lane, record,
                              Unreadable{.reason = reason,
                                         .detail = "parked before the tables were restored",
                                         .event_id = outcome.event_id});
  row.offset = outcome.position.offset;
  return row;
}

// The last record each lane has taken; its digest is what the lane's next owner compares.
class LastTaken {
 public:
  void Note(Lane& lane, const LogRecord& record) {
    if (lane_ != &lane) Settle();
    lane_ = &lane;
    record_ = &record;
  }
  void Settle() {
    if (lane_ != nullptr) lane_->draft.last_digest = DigestOf(*record_);
    lane_ = nullptr;
  }

 private:
  Lane* lane_ = nullptr;
  const LogRecord* record_ = nullptr;
};

// Keeps the outcome if it moves a row of this shard.
void Keep(Outcome outcome, const Fold& fold, const WorkPlace& place, OutcomeBatch& batch) {
  if (!MovesEdge(outcome)) return;
  const EdgeKey key = fold.KeyOf(outcome.subject, outcome.object);
  if (place.placement.ShardOf(key.user) != place.shard) return;
  batch.rows.Add(key);
  batch.outcomes.push_back(std::move(outcome));
}

// Takes one record of the outcome topic.
std::optional<Outcome> TakeOutcome(Lane& lane, const LogRecord& record, const WorkPlace& place,
                                   std::vector<ParkedRow>& parked) {
  std::expected<Outcome, Unreadable> outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome) {
    lane.SkipUnreadable();
    Unreadable why = std::move(outcome.error());
    why.detail = std::string(ToString(why.reason)) + ": " + why.detail;
    why.reason = ParkReason::kUnreadableOutcome;
    // A recovering lane only looks for what was decided; the lanes that apply park it.
    const bool parks_here =
        !lane.deciding && place.placement.ShardOf(record.partition) == place.shard;
    if (parks_here) parked.push_back(ParkedRowOf(lane, record, why));
    return std::nullopt;
  }
  if (lane.AdmitOutcome(outcome->position) != Admission::kTake) return std::nullopt;
  const bool parks_again = outcome->parked && lane.phase == LanePhase::kRecovering;
  if (parks_again) parked.push_back(ParkedRowOf(lane, record, *outcome, *outcome->parked));
  return std::move(*outcome);
}

// Takes the outcomes of one row of the lane's outbox that its rows lack, as many as are `left`.
void TakeOutboxRow(Lane& lane, const OutboxRow& row, const Fold& fold, const WorkPlace& place,
                   std::size_t& left, OutcomeBatch& batch) {
  std::string_view rest = row.outcomes;
  for (Offset event = row.first; event < row.next && !lane.halt && left > 0; event = Next(event)) {
    const std::optional<OutboxRecord> record = TakeOutboxRecord(rest);
    if (record && event < lane.draft.event_offset) continue;
    auto outcome =
        ReadOutcomeRecord(record ? std::optional(record->value) : std::nullopt, row.partition);
    if (!outcome || outcome->position.offset != event) {
      lane.halt = HaltReason::kOutcomesTruncated;
    } else if (lane.AdmitDecided(outcome->position) == Admission::kTake) {
      Keep(std::move(*outcome), fold, place, batch);
      --left;
    }
  }
}

}  // namespace

EventBatch TakeEvents(LaneSet& lanes, std::span<const LogRecord> records, const Fold& fold,
                      const WorkPlace& place, std::vector<ParkedRow>& parked) {
  EventBatch batch;
  batch.events.reserve(records.size());
  std::size_t items = 0;
  LastTaken last;
  for (const LogRecord& record : records) {
    Lane* lane = lanes.Find(record.partition);
    if (lane == nullptr || lane->phase != LanePhase::kDeciding) continue;
    if (lane->AdmitEvent(record) != Admission::kTake) continue;
    last.Note(*lane, record);
    TakenEvent taken{lane, Position{record.partition, record.offset}, record.key,
                     ReadEventRecord(record.key, record.value, record.partition, place.placement)};
    if (taken.read) {
      batch.rows.Add(fold.KeyOf(taken.read->subject, taken.read->object));
      taken.item = items++;
    } else {
      parked.push_back(ParkedRowOf(*lane, record, taken.read.error()));
    }
    batch.events.push_back(std::move(taken));
  }
  last.Settle();
  batch.rows.Seal();
  return batch;
}

OutcomeBatch TakeOutcomes(LaneSet& lanes, std::span<const LogRecord> records, const Fold& fold,
                          const WorkPlace& place, std::vector<ParkedRow>& parked) {
  OutcomeBatch batch;
  LastTaken last;
  for (const LogRecord& record : records) {
    Lane* lane = lanes.Find(record.partition);
    const bool reads_outcomes = lane != nullptr && (lane->phase == LanePhase::kRecovering ||
                                                    lane->phase == LanePhase::kApplying);
    if (!reads_outcomes || lane->AdmitOutcomeRecord(record) != Admission::kTake) continue;
    std::optional<Outcome> outcome = TakeOutcome(*lane, record, place, parked);
    if (!lane->deciding && !lane->halt) last.Note(*lane, record);
    if (outcome) Keep(std::move(*outcome), fold, place, batch);
  }
  last.Settle();
  batch.rows.Seal();
  return batch;
}

OutcomeBatch TakeOutboxes(LaneSet& lanes, const Fold& fold, const WorkPlace& place,
                          std::size_t records_max) {
  OutcomeBatch batch;
  std::size_t left = records_max;
  for (Lane* lane : lanes.All()) {
    if (!lane->HasReadTopic()) continue;
    for (const OutboxRow& row : lane->outbox) {
      if (row.next > lane->draft.event_offset) {
        TakeOutboxRow(*lane, row, fold, place, left, batch);
      }
    }
  }
  batch.rows.Seal();
  return batch;
}

void ApplyOutcomes(OutcomeBatch& batch) {
  for (std::size_t item = 0; item < batch.outcomes.size(); ++item) {
    batch.rows.Move(item, Apply(batch.rows.EdgeOf(item), batch.outcomes[item]));
  }
}

StoreBatch MovesOf(LaneSet& lanes, const Fold& fold, const WorkPlace& place) {
  StoreBatch batch;
  batch.projection = fold.projection();
  batch.generation = place.generation;
  for (Lane* lane : lanes.All()) {
    if (!lane->DraftMoved()) continue;
    batch.moves.push_back(
        {lane->id, lane->fence, lane->deciding, lane->progress.next_offset, lane->draft});
    batch.outbox.insert(batch.outbox.end(), lane->decided.begin(), lane->decided.end());
  }
  return batch;
}

}  // namespace fanfold::projector
